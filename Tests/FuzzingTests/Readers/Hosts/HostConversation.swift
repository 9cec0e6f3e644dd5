import Basics
import Bluetooth
import Fuzzing
import GATT
import HCI
import LEHost
import SecurityManager

extension Reader {
    /// The first octet selects the controller: 0 starts a host below which all packets come from the octets, others
    /// come with a host that advertises, scans or connects; bit 2: with privacy. The first octet of a packet: an event, ACL data, the
    /// success of the oldest command, a request of the host's caller, or 1 s.
    static let host = Reader(
        "host", "packets of a controller: the host sends only valid commands and data, and keeps no packet"
    ) { octets throws(Broken) in
        let choice = octets.first ?? 0
        guard var tested = TestedHost.started[Int(choice & 7)] else {
            throw Broken(description: "the host does not start")
        }
        for packet in Conversation(octets.dropFirst()).prefix(256) {
            try tested.act(packet.first ?? 0, Array(packet.dropFirst()))
        }
        try tested.step(.received(.event, tested.pool.take(Event.hardwareError(1).octets)))
        try require(tested.pool.taken == 0, "\(tested.pool.taken) packets are kept")
    }
}

private struct NoRefusal: AttributeValues {
    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] { [0x00, 72] }
    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {}
}

/// A host whose controller is the reader.
private struct TestedHost: Sendable {
    var pool = PacketPool()
    private var host: Host
    private var values = NoRefusal()
    private var now = Instant.start
    /// The commands without an answer.
    private var commands: [Command] = []
    private var connections: [ConnectionID] = []

    private static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let parameters = ConnectionParameters(
        minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A)
    private static let requests: [Host.Input] = [
        .command(
            .advertise(
                AdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0), data: [2, 1, 6], scanResponse: [])),
        .command(.scan(ScanParameters(isActive: true, interval: 0x60, window: 0x60), filterDuplicates: true)),
        .command(.connect(ConnectionCreation(to: strap, parameters: parameters), timeout: .seconds(5))),
        .command(.notify(handle: 3, [0, 72])), .command(.stopAdvertising), .command(.stopScanning),
        .command(.cancelConnecting), .command(.changeAddress(DeviceAddress(0xC0FF_EE00_0002, .random))),
        .fault(.stall(.all)), .fault(.stall([])), .command(.start), .fault(.confirmIndications(false)),
        .fault(.overhear(true)), .command(.rotateAddress), .command(.stop), .command(.attenuate(20)),
        .fault(.offer(mtu: 100)),
    ]

    /// What the host's caller requests of a connection.
    private static func request(_ choice: UInt8, of connection: ConnectionID) -> Host.Command {
        switch choice {
        case 0: .procedure(connection, .discoverEverything, id: 7)
        case 2: .readSignalStrength(connection)
        case 3: .readRemoteFeatures(connection)
        case 4: .requestParameters(connection, parameters)
        case 5: .disconnect(connection, reason: .remoteUserTerminated)
        case 6: .security(connection, .pair)
        case 7: .procedure(connection, .exchangeMTU, id: 8)
        default: .procedure(connection, .readLong(handle: 3), id: 7)
        }
    }

    init(hasPrivacy: Bool) throws(Broken) {
        let measurement = CharacteristicDefinition(uuid: UUID(0x2A37), properties: [.read, .notify, .indicate])
        let service = ServiceDefinition(uuid: UUID(0x180D), characteristics: [measurement])
        guard let table = try? AttributeTable([service]) else { throw Broken(description: "there is no table") }
        let security = HostSecurity(
            hasPrivacy ? SecuritySettings() : nil, resolvingKey: 1,
            privateAddressLifetime: hasPrivacy ? .seconds(3) : nil,
            secrets: .stream(RandomStream(seed: 1)))
        host = Host(table: table, randomAddress: nil, preferring: nil, security: security)
    }

    mutating func act(_ kind: UInt8, _ octets: [UInt8]) throws(Broken) {
        switch kind % 6 {
        case 0: try step(.received(.event, pool.take(octets)))
        case 1: try step(.received(.acl, pool.take(octets)))
        case 2: try answer(octets)
        case 3: try step(Self.requests[Int(octets.first ?? 0) % Self.requests.count])
        case 4:
            guard let connection = connections.last else { return }
            try step(.command(Self.request(octets.first ?? 1, of: connection)))
        default:
            now = now.advanced(by: .seconds(1))
            try step(.timePassed)
        }
    }

    mutating func step(_ input: Host.Input) throws(Broken) {
        var outbox: [Host.Output] = []
        host.step(input, values: &values, at: now, pool: &pool, into: &outbox)
        for output in outbox {
            switch output {
            case .send(let kind, let packet):
                let octets = pool.octets(of: packet)
                pool.release(packet)
                try sent(kind, octets)
            case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
            case .connected(let connection, _): connections.append(connection)
            case .disconnected(let connection, _, _): connections.removeAll { $0 == connection }
            default: break
            }
        }
    }

    private mutating func sent(_ kind: PacketKind, _ octets: [UInt8]) throws(Broken) {
        switch kind {
        case .command:
            guard let command = try? Command(octets: octets), (try? command.check()) != nil else {
                throw Broken(description: "the host sends the command \(octets.hex)")
            }
            commands.append(command)
        case .acl:
            var packet = pool.take(octets)
            let header = try? pool.takeACLHeader(off: &packet)
            pool.release(packet)
            try require(header != nil && octets.count > 4, "the host sends the data \(octets.hex)")
        default: throw Broken(description: "the host sends a packet of the kind \(kind)")
        }
    }

    /// Answers the oldest command with success and these return parameters.
    private mutating func answer(_ parameters: [UInt8]) throws(Broken) {
        guard !commands.isEmpty else { return }
        let opcode = commands.removeFirst().opcode
        let event = Event.complete(opcode, .success, Array(parameters.prefix(200)))
        try step(.received(.event, pool.take(event.octets)))
    }

    /// The hosts of all choices: starting one takes longer than most conversations.
    static let started: [TestedHost?] = (0..<8).map { choice in
        guard var tested = try? TestedHost(hasPrivacy: choice & 4 != 0) else { return nil }
        let start: Void? =
            choice & 1 == 0
            ? try? tested.start(isExtended: choice & 2 != 0) : try? tested.step(.command(.start))
        return start.map { tested }
    }

    /// Starts above a controller with two buffers of 27 octets.
    mutating func start(isExtended: Bool) throws(Broken) {
        try step(.command(.start))
        let features: LEFeatures = isExtended ? .extendedAdvertising : []
        let kinds: [any AnyCommandKind] =
            [Command.leReadBufferSize, Command.setEventMask, Command.leSetEventMask, Command.readBDADDR]
            + (isExtended ? [Command.leReadLocalSupportedFeatures] : [])
        let version = LocalVersion(
            hciVersion: 9, hciSubversion: 0, linkLayerVersion: 9, company: 0xFFFF, linkLayerSubversion: 0)
        let results: [Opcode: [UInt8]] = [
            Command.readLocalVersionInformation.opcode: version.octets,
            Command.readLocalSupportedCommands.opcode: SupportedCommands(kinds.map(\.opcode)).octets,
            Command.leReadLocalSupportedFeatures.opcode: features.octets,
            Command.leReadBufferSize.opcode: LEBufferSize(length: 27, count: 2).octets,
            Command.readBDADDR.opcode: [0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5],
        ]
        while let command = commands.first { try answer(results[command.opcode] ?? []) }
    }
}
