import ATT
import Bluetooth
import DBus
import GATT
import SystemBluetooth
import Testing

@testable import BlueZServer

/// Objects of programs, as services: src/gatt-database.c.
@Suite struct ApplicationTests {
    private static func object(_ path: String, _ interface: String, _ properties: [(String, Value)]) -> Value.Entry {
        Value.Entry(
            .path((try? ObjectPath(path)) ?? "/"),
            .dictionary(
                key: .string, value: .dictionary(key: .string, value: .variant),
                [Value.Entry(.string(interface), .options(properties.map { (name: $0.0, value: $0.1) }))]))
    }

    private static func managed(_ entries: [Value.Entry]) -> Value {
        let properties = ValueType.dictionary(key: .string, value: .variant)
        return .dictionary(key: .path, value: .dictionary(key: .string, value: properties), entries)
    }

    private static func service(_ path: String = "/s", _ more: [(String, Value)] = []) -> Value.Entry {
        object(path, "org.bluez.GattService1", [("UUID", .string("180d")), ("Primary", .boolean(true))] + more)
    }

    private static func characteristic(_ flags: [String], _ path: String = "/s/c") -> Value.Entry {
        object(
            path, "org.bluez.GattCharacteristic1",
            [("UUID", .string("0x2A37")), ("Service", .path("/s")), ("Flags", .strings(flags))])
    }

    /// The characteristic with these flags.
    private static func parsed(_ flags: [String]) throws -> LocalCharacteristic {
        let application = try Application(managed([service(), characteristic(flags)]), numberedFrom: 5)
        return try #require(application.services.first?.definition.characteristics.first)
    }

    @Test func `Flags are properties and permissions`() throws {
        let read = try Self.parsed(["read", "notify"])
        #expect(read.uuid == UUID(0x2A37) && read.properties == [.read, .notify] && read.value == nil)
        #expect(read.reading == [] && read.writing == nil && read.subscribing == [])
        let secure = try Self.parsed(["encrypt-read", "secure-write", "encrypt-authenticated-indicate"])
        #expect(secure.properties == [.read, .write, .indicate])
        #expect(secure.reading == .encrypted && secure.subscribing == [.encrypted, .authenticated])
        #expect(secure.writing == [.encrypted, .authenticated, .secureConnections, .fullKeySize])
        let unchecked = try Self.parsed(["notify"])
        #expect(unchecked.reading == [] && unchecked.writing == [], "without permissions, nothing is checked")
    }

    @Test func `Extended properties have a descriptor that bluetoothd answers for`() throws {
        let entries = [
            Self.service(), Self.characteristic(["reliable-write", "writable-auxiliaries"]),
            Self.object(
                "/s/c/d", "org.bluez.GattDescriptor1",
                [("UUID", .string("2901")), ("Characteristic", .path("/s/c")), ("Flags", .strings(["read"]))]),
        ]
        let service = try #require(try Application(Self.managed(entries), numberedFrom: 0).services.first)
        let definition = try #require(service.definition.characteristics.first)
        #expect(definition.properties == .extendedProperties && definition.writing == [])
        #expect(definition.descriptors.map(\.uuid) == [.characteristicExtendedProperties, UUID(0x2901)])
        #expect(definition.descriptors.first?.value == [3, 0] && definition.descriptors.last?.value == nil)
        #expect(service.characteristics.first?.descriptors == [nil, "/s/c/d"])
    }

    @Test func `A service includes earlier ones`() throws {
        let entries = [
            Self.service("/a", [("Includes", .paths(["/s"]))]),
            Self.service("/s", [("Includes", .paths(["/a", "/x"]))]),
        ]
        let services = try Application(Self.managed(entries), numberedFrom: 7).services
        #expect(services.map(\.definition.includes) == [[], [7]])
    }

    @Test func `More attributes than handles, and more services than the limit, are refused`() {
        let many = (0..<16_500).map { Self.characteristic(["read"], "/s/c\($0)") }
        #expect(throws: MethodError.noEntry) {
            try Application(Self.managed([Self.service()] + many), numberedFrom: 0)
        }
        #expect(throws: MethodError.noEntry) {
            try Application(Self.managed((0...256).map { Self.service("/s\($0)") }), numberedFrom: 0)
        }
    }
}
