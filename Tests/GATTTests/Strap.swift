import ATT
import Basics
import Bluetooth
import GATT

/// Octets from hexadecimal digits: `0A 0B 00`.  Ignores other text.
func hex(_ text: String) -> [UInt8] { text.split(separator: " ").compactMap { UInt8($0, radix: 16) } }

/// A heart rate strap.
///
///     0001-0005  1800  0003 2A00 read, 0005 2A01 read
///     0006-000D  180D  0008 2A37 notify, 0009 CCCD, 000B 2A38 read, 000D 2A39 write
///     000E-0012  fb005c80-…  0010 fb005c81-… read, indicate (50 octets), 0011 CCCD, 0012 2901
enum Strap {
    static let service = UUID("fb005c80-02e7-f387-1cad-8acd2d8df0c8") ?? UUID(0)
    static let characteristic = UUID("fb005c81-02e7-f387-1cad-8acd2d8df0c8") ?? UUID(0)
    static let serviceHex = "C8 F0 8D 2D CD 8A AD 1C 87 F3 E7 02 80 5C 00 FB"
    static let characteristicHex = "C8 F0 8D 2D CD 8A AD 1C 87 F3 E7 02 81 5C 00 FB"
    static let long = [UInt8](0..<50)

    static let definitions = [
        ServiceDefinition(
            uuid: UUID(0x1800),
            characteristics: [
                CharacteristicDefinition(
                    uuid: UUID(0x2A00), properties: .read, value: .fixed([0x53, 0x74, 0x72, 0x61, 0x70])),
                CharacteristicDefinition(uuid: UUID(0x2A01), properties: .read, value: .fixed([0x40, 0x03])),
            ]),
        ServiceDefinition(
            uuid: UUID(0x180D),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A37), properties: .notify),
                CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read),
                CharacteristicDefinition(uuid: UUID(0x2A39), properties: .write),
            ]),
        ServiceDefinition(
            uuid: service,
            characteristics: [
                CharacteristicDefinition(
                    uuid: characteristic, properties: [.read, .indicate],
                    descriptors: [DescriptorDefinition(uuid: UUID(0x2901), value: [0x52, 0x61, 0x77])])
            ]),
    ]

    static func table() throws -> AttributeTable { try AttributeTable(definitions) }
}

/// The dynamic values of the strap; a `refusal` is thrown by every access.
struct StrapValues: AttributeValues {
    var refusal: ATTError?
    var written: [[UInt8]] = []

    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] {
        if let refusal { throw refusal }
        return handle == 0x000B ? [0x01] : Strap.long
    }

    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        if let refusal { throw refusal }
        guard value.count == 1 else { throw .invalidAttributeValueLength }
        guard value == [0x01] else { throw ATTError(rawValue: 0x80) }
        written.append(value)
    }
}

typealias StrapServer = TestServer<StrapValues>

extension StrapServer {
    init(refusal: ATTError? = nil) throws {
        self.init(try Strap.table(), StrapValues())
        values.refusal = refusal
    }
}

/// A server with its table, values and pool.
struct TestServer<Values: AttributeValues> {
    var server = Server(receives: 247)
    var table: AttributeTable
    var values: Values
    var pool = PacketPool()
    private(set) var events: [Server.Output] = []

    init(_ table: AttributeTable, _ values: Values) { (self.table, self.values) = (table, values) }

    /// The PDUs sent for a PDU received; the other outputs go to `events`.
    mutating func answer(_ octets: [UInt8]) -> [[UInt8]] {
        var outbox: [Server.Output] = []
        server.receive(
            pool.take(octets), table: table, values: &values, at: .start, pool: &pool, into: &outbox)
        return sent(outbox)
    }

    /// The PDUs sent to notify a value.
    mutating func notify(_ handle: UInt16, _ value: [UInt8]) -> [[UInt8]] {
        var outbox: [Server.Output] = []
        let packet = pool.take(value.prefix(PacketPool.capacity))
        server.notify(handle, packet, pool: &pool, into: &outbox)
        pool.release(packet)
        return sent(outbox)
    }

    /// The PDUs sent to indicate a value.
    mutating func indicate(_ handle: UInt16, _ value: [UInt8], at now: Instant = .start) -> [[UInt8]] {
        var outbox: [Server.Output] = []
        server.indicate(handle, value, at: now, pool: &pool, into: &outbox)
        return sent(outbox)
    }

    mutating func timePassed(at now: Instant) {
        var outbox: [Server.Output] = []
        server.timePassed(at: now, into: &outbox)
        _ = sent(outbox)
    }

    /// The PDUs sent when the table changes.
    mutating func change(to table: AttributeTable, isAnnounced: Bool = true) -> [[UInt8]] {
        var outbox: [Server.Output] = []
        server.attributesChanged(
            from: self.table, to: table, isAnnounced: isAnnounced, at: .start, pool: &pool, into: &outbox)
        self.table = table
        return sent(outbox)
    }

    /// The PDUs sent when a bonded client has encrypted the link.
    mutating func restore(_ client: BondedClient) -> [[UInt8]] {
        var outbox: [Server.Output] = []
        server.restore(client, table: table, at: .start, pool: &pool, into: &outbox)
        return sent(outbox)
    }

    mutating func sent(_ outbox: [Server.Output]) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        events = []
        for output in outbox {
            guard case .send(let packet) = output else {
                events.append(output)
                continue
            }
            sent.append(pool.octets(of: packet))
            pool.release(packet)
        }
        return sent
    }
}

extension PDU {
    /// The encoded PDU.
    var octets: [UInt8] {
        var pool = PacketPool()
        let packet = pool.take(self)
        return pool.octets(of: packet)
    }
}
