import Basics
import Bluetooth
import GATT

/// A service with writable values.
///
///     0001-000C  FFF0  0003 FFF1 read, write; 0005 FFF2 read, write; 0007 FFF3 write; 0009 FFF4 read, fixed;
///                      000B FFF5 notify, indicate; 000C CCCD
enum PagesFixture {
    static func server() throws -> TestServer<Pages> {
        TestServer(
            try AttributeTable([
                ServiceDefinition(
                    uuid: UUID(0xFFF0),
                    characteristics: [
                        CharacteristicDefinition(uuid: UUID(0xFFF1), properties: [.read, .write]),
                        CharacteristicDefinition(uuid: UUID(0xFFF2), properties: [.read, .write]),
                        CharacteristicDefinition(uuid: UUID(0xFFF3), properties: .write),
                        CharacteristicDefinition(uuid: UUID(0xFFF4), properties: .read, value: .fixed([9])),
                        CharacteristicDefinition(uuid: UUID(0xFFF5), properties: [.notify, .indicate]),
                    ])
            ]), Pages())
    }
}

/// Values of at most `longest` octets, to which the octet FF cannot be written.
struct Pages: AttributeValues {
    static let longest = 300
    static let refusal = ATTError(rawValue: 0x80)
    private(set) var pages: [UInt16: [UInt8]] = [0x0003: Array("abcdef".utf8), 0x0005: []]

    mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] { pages[handle] ?? [] }

    mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        guard value.count <= Self.longest else { throw .invalidAttributeValueLength }
        guard !value.contains(0xFF) else { throw Self.refusal }
        pages[handle] = value
    }
}
