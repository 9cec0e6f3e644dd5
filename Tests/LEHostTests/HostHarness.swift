import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Testing

/// The device of the tests: one dynamic value, a heart rate.
struct Values: AttributeValues {
    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] { [0x00, 72] }
    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {}
}

/// A host whose controller is the test, in octets.
struct HostHarness {
    var host: Host
    var pool = PacketPool()
    var now = Instant.start
    var values = Values()
    /// The packets that the host sent, with their H4 indicators.
    var sent: [[UInt8]] = []
    /// The other outputs, without `.wake`; the values of notifications are in `notified`.
    var outputs: [Host.Output] = []
    var notified: [[UInt8]] = []

    static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)
    static let version: [UInt8] = [0x0E, 12, 1, 0x01, 0x10, 0, 9, 0, 0, 9, 0xFF, 0xFF, 0, 0]
    static let buffers: [UInt8] = [0x0E, 7, 1, 0x02, 0x20, 0, 27, 0, 2]
    static let address: [UInt8] = [0x0E, 10, 1, 0x09, 0x10, 0, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]

    /// Value handle 0x0003, configuration 0x0004.
    init(
        randomAddress: DeviceAddress? = nil, properties: CharacteristicProperties = [.read, .notify],
        preferring preferred: ConnectionParameters? = nil, security: HostSecurity = .none
    ) throws {
        host = Host(
            table: try Self.table(properties), randomAddress: randomAddress, preferring: preferred, security: security)
    }

    static func table(_ properties: CharacteristicProperties) throws -> AttributeTable {
        let measurement = CharacteristicDefinition(uuid: UUID(0x2A37), properties: properties)
        return try AttributeTable([ServiceDefinition(uuid: UUID(0x180D), characteristics: [measurement])])
    }

    mutating func step(_ input: Host.Input) {
        var outbox: [Host.Output] = []
        host.step(input, values: &values, at: now, pool: &pool, into: &outbox)
        for output in outbox {
            switch output {
            case .send(let kind, let packet):
                sent.append(H4Framer.octets(kind, pool.octets(of: packet)))
                pool.release(packet)
            case .notified(_, _, let packet), .indicated(_, _, let packet):
                notified.append(pool.octets(of: packet))
                pool.release(packet)
            case .wake: break
            default: outputs.append(output)
            }
        }
    }

    mutating func event(_ octets: [UInt8]) { step(.received(.event, pool.take(octets))) }
    mutating func acl(_ octets: [UInt8]) { step(.received(.acl, pool.take(octets))) }

    mutating func wait(_ duration: Duration) {
        now = now.advanced(by: duration)
        step(.timePassed)
    }

    /// The packets since the last call.
    mutating func takeSent() -> [[UInt8]] {
        defer { sent = [] }
        return sent
    }

    mutating func takeOutputs() -> [Host.Output] {
        defer { outputs = [] }
        return outputs
    }

    /// Answers commands with success, until the host sends none.
    mutating func answerAll() {
        while let index = sent.firstIndex(where: { $0[0] == 1 }) {
            let opcode = Array(sent.remove(at: index)[1...2])
            event([0x0E, 4, 1] + opcode + [0])
        }
    }

    /// Starts on a minimal controller: LE buffers, a public address, advertising, scanning and connecting.  It supports
    /// Read Local Supported Features only if `features` is not empty, and LE Read Transmit Power only with its range.
    mutating func start(features: LEFeatures = [], transmitPower: [Int8]? = nil) {
        step(.command(.start))
        var offered = opcodes(
            Command.leReadBufferSize, Command.setEventMask, Command.leSetEventMask, Command.readBDADDR)
        if !features.isEmpty { offered.append(Command.leReadLocalSupportedFeatures.opcode) }
        if transmitPower != nil { offered.append(Command.leReadTransmitPower.opcode) }
        let commands = SupportedCommands(offered).octets
        let answers: [Opcode: [UInt8]] = [
            Command.readLocalVersionInformation.opcode: Self.version,
            Command.readLocalSupportedCommands.opcode:
                Event.complete(Command.readLocalSupportedCommands.opcode, .success, commands).octets,
            Command.leReadLocalSupportedFeatures.opcode:
                Event.complete(Command.leReadLocalSupportedFeatures.opcode, .success, features.octets).octets,
            Command.leReadBufferSize.opcode: Self.buffers, Command.readBDADDR.opcode: Self.address,
            Command.leReadTransmitPower.opcode:
                Event.complete(
                    Command.leReadTransmitPower.opcode, .success, (transmitPower ?? []).map(UInt8.init(bitPattern:))
                ).octets,
        ]
        var answered = sent.count - 1
        while answered < sent.count, let opcode = Opcode(ofCommand: Array(sent[answered].dropFirst())) {
            event(answers[opcode] ?? Event.complete(opcode).octets)
            answered += 1
        }
    }

    /// LE Connection Complete with handle 0x0040.
    mutating func connected(role: UInt8, handle: UInt8 = 0x40) {
        event([0x3E, 19, 1, 0, handle, 0, role, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 0x28, 0, 0, 0, 0x2A, 0, 1])
    }
}

func opcodes(_ kinds: any AnyCommandKind...) -> [Opcode] { kinds.map(\.opcode) }
