import ATT
import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import ScenarioLanguage
import SecurityManager
import Synchronization
import SystemBluetooth
import Testing
import VirtualWorld

/// One system and the devices of a scenario, in virtual time: programs request, and the log has their events and the ATT
/// requests of the system (`>`), in order.
struct SystemHarness {
    /// The first device of a scenario.
    static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)

    private let reader: InstructionReader
    private var world: World
    private var host: SystemHost
    private let controller: Int
    private var wakes: [Instant] = []
    private var outputs: [SystemHost.Output] = []
    private var actions = 0
    private var lastID: UInt32 = 0
    /// The attributes of the first device, which programs discover or know.
    private(set) var characteristics: [UUID: DiscoveredCharacteristic] = [:]
    private(set) var log: [String] = []
    /// The address by which the system knows the first device.
    private(set) var peer = Self.strap
    private var lastEvent: (program: UInt32, text: String)?

    /// A system whose programs have begun to use it.
    init(_ policy: HostPolicy, _ scenario: TestDevices = .strap, programs: UInt32 = 2) throws {
        let scenario = try scenario.scenario
        reader = InstructionReader(scenario)
        world = try World(scenario, seed: 1)
        controller = world.addGuest(at: .start)
        let secrets = RandomStream(seed: 1).stream("secrets")
        host = SystemHost(
            policy, DeviceAddress(0xC0FF_EE00_00FF, .random), secrets: .stream(secrets), user: PairingUser())
        world.start()
        for program in 1...programs { ask(program, .open) }
        run(.milliseconds(10))
        log.removeAll()
    }

    // MARK: What happens

    mutating func ask(_ program: UInt32, _ request: CentralRequest) { self.request(program, .central(request)) }

    mutating func serve(_ program: UInt32, _ request: PeripheralRequest) { self.request(program, .peripheral(request)) }

    mutating func agree(_ program: UInt32, _ request: PairingRequest) { self.request(program, .pairing(request)) }

    /// Starts an operation; its number is one higher than that of the one before.
    mutating func start(_ program: UInt32, _ operation: CentralOperation) {
        lastID += 1
        ask(program, .start(operation, id: lastID, peer))
    }

    mutating func run(_ duration: Duration) {
        let limit = world.now.advanced(by: duration)
        while true {
            settle()
            let (event, wake) = (world.nextDue ?? .never, wakes.min() ?? .never)
            guard min(event, wake) <= limit else { break }
            if event <= wake {
                _ = world.runNext(until: event)
            } else {
                world.run(until: wake)
                wakes.removeAll { $0 <= wake }
                host.step(.timePassed, at: world.now, into: &outputs)
            }
        }
        world.run(until: limit)
        settle()
    }

    /// Performs an action of the scenario language.
    mutating func act(_ line: String) throws {
        guard case .act(let rule) = try reader.read(Array(line.utf8), at: world.now) else {
            throw Missing(description: line)
        }
        actions += 1
        let hasActed = world.act(rule, as: "test \(actions)", at: world.now)
        #expect(hasActed)
        settle()
    }

    /// Notes something in the log.
    mutating func note(_ text: String) {
        log.append(text)
        lastEvent = nil
    }

    mutating func clear() {
        log.removeAll()
        lastEvent = nil
    }

    // MARK: Attributes

    func value(_ uuid: UUID) throws -> UInt16 { try found(uuid).valueHandle }

    func found(_ uuid: UUID) throws -> DiscoveredCharacteristic {
        guard let found = characteristics[uuid] else { throw Missing(description: "\(uuid)") }
        return found
    }

    mutating func read(_ program: UInt32, _ uuid: UUID) throws {
        start(program, .procedure(.readLong(handle: try value(uuid))))
    }

    mutating func write(_ program: UInt32, _ uuid: UUID, _ octets: [UInt8]) throws {
        start(program, .procedure(.write(handle: try value(uuid), value: octets)))
    }

    mutating func subscribe(_ program: UInt32, _ uuid: UUID, _ isOn: Bool = true) throws {
        let characteristic = try found(uuid)
        let configuration: ClientConfiguration =
            characteristic.properties.contains(.notify) ? .notification : .indication
        let range = HandleRange(characteristic.valueHandle + 1, characteristic.range.last)
        start(program, .notify(isOn, value: characteristic.valueHandle, descriptors: range, configuration))
    }

    /// Connects a program, lets the system prepare the link, and discovers the attributes if the system does not.
    mutating func connect(_ program: UInt32 = 1) {
        ask(program, .connect(peer, ConnectionOptions()))
        run(.seconds(5))
        if characteristics.isEmpty {
            start(program, .procedure(.discoverEverything))
            run(.seconds(5))
        }
        clear()
    }

    // MARK: Driving

    private mutating func request(_ program: UInt32, _ request: ProgramRequest) {
        host.step(.request(ProgramID(number: program), request), at: world.now, into: &outputs)
        settle()
    }

    private mutating func settle() {
        repeat {
            let now = outputs
            outputs.removeAll()
            for output in now {
                switch output {
                case .send(let kind, let octets):
                    if kind == .acl, let line = Self.request(in: octets, names: names) { log(request: line) }
                    world.receive(kind, octets[...], fromGuest: controller, at: world.now)
                case .wake(let due): wakes.append(due)
                case .event(let program, let event): note(event, of: program.number)
                }
            }
            while let output = world.outbox.takeFirst() {
                guard case .toGuest(controller, let kind, let packet) = output else { continue }
                let octets = world.pool.octets(of: packet)
                world.pool.release(packet)
                host.step(.received(kind, octets), at: world.now, into: &outputs)
            }
        } while !outputs.isEmpty
    }

    // MARK: The log

    /// The names of handles: the characteristic's UUID, of descriptors with theirs.
    private var names: [UInt16: String] {
        var names: [UInt16: String] = [:]
        for characteristic in characteristics.values {
            names[characteristic.valueHandle] = "\(characteristic.uuid)"
            for descriptor in characteristic.descriptors {
                names[descriptor.handle] = "\(characteristic.uuid)/\(descriptor.type)"
            }
        }
        return names
    }

    /// A discovery has many requests, which are one line.
    private mutating func log(request line: String) {
        if line != "> discovery" || log.last != line { note(line) }
    }

    private static func request(in acl: [UInt8], names: [UInt16: String]) -> String? {
        guard acl.count > 8, acl[6] == 4, acl[7] == 0 else { return nil }
        let pdu = Array(acl[8...])
        let handle = pdu.count > 2 ? UInt16(pdu[1]) | UInt16(pdu[2]) << 8 : 0
        let name = names[handle] ?? "\(handle)"
        switch pdu[0] {
        case 0x02: return "> exchange MTU \(handle)"
        case 0x04, 0x06, 0x10: return "> discovery"
        case 0x08: return Array(pdu.suffix(2)) == [0x00, 0x2A] ? "> read 2A00 anywhere" : "> discovery"
        case 0x0A: return "> read \(name)"
        case 0x0C: return "> read more of \(name)"
        case 0x12: return "> write \(name) \(Array(pdu[3...]).hex)"
        case 0x52: return "> command \(name) \(Array(pdu[3...]).hex)"
        case 0x1E: return "> confirmation"
        default: return "> \(pdu[0])"
        }
    }

    private mutating func note(_ event: ProgramEvent, of program: UInt32) {
        switch event {
        case .central(let event): note(event, of: program)
        case .peripheral(let event): note("\(event)", by: program)
        case .pairing(let event): note(Self.text(event), by: program)
        }
    }

    /// An event that several programs receive is one line.
    private mutating func note(_ text: String, by program: UInt32) {
        if let lastEvent, lastEvent.text == text, lastEvent.program < program, let line = log.popLast() {
            log.append("\(lastEvent.program), \(program)" + line.dropFirst("\(lastEvent.program)".count))
        } else {
            log.append("\(program) \(text)")
        }
        lastEvent = (program, text)
    }

    private mutating func note(_ event: CentralEvent, of program: UInt32) {
        var line = ""
        switch event {
        case .state(let state): line += "\(state)"
        case .discovered(let peer, let advertisement, _):
            line += "discovered \(advertisement.name ?? "\(peer)")"
        case .connected(_, let mtu): line += "connected \(mtu)"
        case .failedToConnect(_, let failure): line += "failed to connect: \(failure)"
        case .disconnecting: line += "disconnecting"
        case .disconnected(_, let failure, _): line += "disconnected" + (failure.map { ": \($0)" } ?? "")
        case .connection(_, let isConnected): line += "connection \(isConnected)"
        case .renamed(_, let name): line += "renamed \(name)"
        case .exchangedMTU(_, let mtu): line += "MTU \(mtu)"
        case .finished(let id, _, let result): line += "finished \(id): \(Self.text(result))"
        case .value(_, let handle, let octets): line += "value of \(names[handle] ?? "\(handle)"): \(octets.hex)"
        case .servicesChanged(_, let range): line += "services changed \(range.first) to \(range.last)"
        case .found(_, let services): line += "found " + Self.text(services)
        case .lost(_, let services): line += "lost " + Self.text(services)
        case .resolved: line += "resolved"
        case .ownValue(_, let uuid, let octets):
            line += "own value of \(uuid)" + (uuid == .databaseHash ? "" : ": \(octets.hex)")
        case .paired(_, let failure): line += "paired" + (failure.map { ": \($0)" } ?? "")
        case .bonded(_, let isBonded): line += "bonded \(isBonded)"
        case .forgotten: line += "forgotten"
        }
        learn(event)
        note(line, by: program)
    }

    /// Takes the attributes of the strap from an event.
    private mutating func learn(_ event: CentralEvent) {
        switch event {
        case .discovered(let peer, let advertisement, _) where advertisement.name == "Strap": self.peer = peer
        case .finished(_, peer, .success(.procedure(.services(let services)))), .found(peer, let services):
            for characteristic in services.flatMap(\.characteristics) {
                characteristics[characteristic.uuid] = characteristic
            }
        default: break
        }
    }

    private static func text(_ services: [DiscoveredService]) -> String {
        services.map { "\($0.uuid)" }.joined(separator: " ")
    }

    private static func text(_ result: Result<CentralOutcome, CentralFailure>) -> String {
        switch result {
        case .success(.procedure(.value(let value))): value.hex
        case .success(.procedure(.services(let services))): text(services)
        case .success(.procedure(.written)): "written"
        case .success(.procedure(let outcome)): "\(outcome)"
        case .success(.notifying(let isOn)): isOn ? "notifying" : "not notifying"
        case .success(let outcome): "\(outcome)"
        case .failure(.refused(let error)): "refused \(error)"
        case .failure(let failure): "\(failure)"
        }
    }

    private static func text(_ event: PairingEvent) -> String {
        switch event {
        case .changedAgent(let hasEffect): hasEffect ? "is agent, or none" : "changed no agent"
        case .requestedPasskey: "is asked for the passkey"
        case .requestedComparison: "is asked to compare"
        case .displayed: "displays a passkey"
        case .ended: "is asked no more"
        }
    }
}

/// What a test needs and the world lacks.
struct Missing: Error, CustomStringConvertible {
    let description: String
}
