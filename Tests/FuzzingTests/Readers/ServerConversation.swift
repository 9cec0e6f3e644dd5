import ATT
import Bluetooth
import Characteristics
import GATT
import Octets
import Simulation

extension Reader {
    /// The first octet: whether the owner of the values refuses everything. An empty PDU: the server notifies and
    /// indicates, and 10 s pass.
    static let server = Reader(
        "server", "PDUs of a GATT client: the server answers with at most one PDU within its MTU, and keeps no packet"
    ) { octets throws(Broken) in
        var tested = TestedServer(refuses: (octets.first ?? 0) & 1 == 1)
        for pdu in Conversation(octets.dropFirst()).prefix(256) {
            try pdu.isEmpty ? tested.passTime() : tested.receive(pdu)
        }
    }
}

/// A server with its table, values and pool.
private struct TestedServer {
    private static let table = try? AttributeTable([
        ServiceDefinition(
            uuid: UUID(0x1800),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A00), properties: .read, value: .fixed(Array("Strap".utf8)))
            ]),
        ServiceDefinition(
            uuid: UUID(0x180D),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A37), properties: [.notify, .indicate]),
                CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read),
                CharacteristicDefinition(uuid: UUID(0x2A39), properties: [.write, .writeWithoutResponse]),
            ]),
        ServiceDefinition(
            uuid: VendorUUID.fitness.uuid,
            characteristics: [
                CharacteristicDefinition(
                    uuid: VendorUUID.steps.uuid, properties: [.read, .write],
                    descriptors: [DescriptorDefinition(uuid: UUID(0x2901), value: Array("Page".utf8))])
            ]),
        ServiceDefinition(
            uuid: UUID(0x180F),
            characteristics: [
                CharacteristicDefinition(
                    uuid: UUID(0x2A19), properties: [.read, .write, .writeWithoutResponse], value: .requested)
            ]),
    ])
    private static let measurement: UInt16 = 6

    private var server = Server(receives: 247)
    private var values: Values
    private var pool = PacketPool()
    private var now = Instant.start

    init(refuses: Bool) { values = Values(refuses: refuses) }

    mutating func receive(_ pdu: [UInt8]) throws(Broken) {
        guard let table = Self.table else { throw Broken(description: "there is no table") }
        var outbox: [Server.Output] = []
        let mtu = server.mtu
        server.receive(
            pool.take(pdu), table: table, values: &values, at: now, pool: &pool, into: &outbox)
        var sent = try take(outbox)
        while outbox.contains(where: \.needsAnswer) {
            outbox.removeAll()
            let answer: Result<[UInt8], ATTError> =
                values.refuses ? .failure(.insufficientAuthorization) : .success([UInt8](repeating: 9, count: 600))
            server.answer(answer, table: table, values: &values, at: now, pool: &pool, into: &outbox)
            sent += try take(outbox)
        }
        try require(sent.count <= 1, "\(pdu.hex) has \(sent.count) answers")
        guard let answer = sent.first, let opcode = pdu.first, opcode != 0x1E else { return }
        try require(answer.count <= mtu, "the answer to \(pdu.hex) has \(answer.count) octets")
        try require(opcode & 0x40 == 0, "the command \(pdu.hex) is answered with \(answer.hex)")
        let response = Opcode(rawValue: opcode)?.response?.rawValue
        try require(
            answer.first == response || answer.count == 5 && answer.starts(with: [0x01, opcode]),
            "\(pdu.hex) is answered with \(answer.hex)")
    }

    mutating func passTime() throws(Broken) {
        now = now.advanced(by: .seconds(10))
        var outbox: [Server.Output] = []
        server.timePassed(at: now, into: &outbox)
        let packet = pool.take([0x00, 72])
        server.notify(Self.measurement, packet, pool: &pool, into: &outbox)
        pool.release(packet)
        server.indicate(Self.measurement, [0x00, 72], at: now, pool: &pool, into: &outbox)
        try require(try take(outbox).allSatisfy { $0.count == 5 }, "another PDU is sent with a value")
    }

    /// The PDUs that are sent.
    private mutating func take(_ outbox: [Server.Output]) throws(Broken) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for case .send(let packet) in outbox {
            sent.append(pool.octets(of: packet))
            pool.release(packet)
        }
        try require(pool.taken == 0, "\(pool.taken) packets are kept")
        return sent
    }
}

extension Server.Output {
    /// Whether the client waits for the caller.
    fileprivate var needsAnswer: Bool { if case .requested(_, needsAnswer: true) = self { true } else { false } }
}

/// Values of at most 100 octets.
private struct Values: AttributeValues {
    let refuses: Bool
    private var values: [UInt16: [UInt8]] = [:]

    init(refuses: Bool) { self.refuses = refuses }

    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] {
        if refuses { throw .insufficientAuthorization }
        return values[handle] ?? [UInt8](repeating: 7, count: 60)
    }

    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        if refuses || value.contains(0xFF) { throw ATTError(rawValue: 0x80) }
        guard value.count <= 100 else { throw .invalidAttributeValueLength }
        values[handle] = value
    }
}
