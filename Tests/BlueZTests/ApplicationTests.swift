import Bluetooth
import DBus
import GATT
import Testing

@testable import BlueZ

@Suite struct ApplicationTests {
    static let table = try? AttributeTable([
        ServiceDefinition(
            uuid: UUID(0x1800),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A00), properties: [.read], value: .fixed([0x78]))
            ]),
        ServiceDefinition(uuid: UUID(0x1801)),
        ServiceDefinition(
            uuid: UUID(0x180D),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A37), properties: [.notify]),
                CharacteristicDefinition(
                    uuid: UUID(0x2A39), properties: [.write, .writeWithoutResponse, .indicate],
                    descriptors: [DescriptorDefinition(uuid: UUID(0x2901), value: [0x68, 0x69])]),
            ]),
    ])

    static func application() throws -> Application {
        let source = Application.Source(
            respond: { _ in .failure(.unlikelyError) }, subscribed: { _, _ in }, confirmed: { _ in },
            owner: BlueZOwner())
        return try Application(try #require(table), number: 3, source)
    }

    private static func property(_ name: String, _ object: ExportedObject) -> Value? {
        object.interfaces.first?.properties.first { $0.name.text == name }?.get()
    }

    @Test func `bluetoothd's own services and descriptors are omitted`() throws {
        let objects = try Self.application().objects
        #expect(
            objects.map(\.path.text) == [
                "/lubdub/device3/service2", "/lubdub/device3/service2/value0", "/lubdub/device3/service2/value1",
                "/lubdub/device3/service2/value1/more0",
            ])
        #expect(
            objects.compactMap { $0.interfaces.first?.name.text } == [
                "org.bluez.GattService1", "org.bluez.GattCharacteristic1", "org.bluez.GattCharacteristic1",
                "org.bluez.GattDescriptor1",
            ])
        #expect(objects.compactMap { Self.property("UUID", $0)?.string } == ["180D", "2A37", "2A39", "2901"])
        #expect(Self.property("Primary", objects[0]) == .boolean(true))
        #expect(Self.property("Service", objects[1]) == .path(objects[0].path))
        #expect(Self.property("Characteristic", objects[3]) == .path(objects[2].path))
        #expect(Self.property("Flags", objects[1]) == .strings(["notify"]))
        #expect(Self.property("Flags", objects[2]) == .strings(["write-without-response", "write", "indicate"]))
        #expect(Self.property("Flags", objects[3]) == .strings(["read"]))
    }

    @Test func `Flags contain security requirements and permissions`() throws {
        let secure = CharacteristicDefinition(
            uuid: UUID(0xFFF1), properties: [.read, .write, .notify],
            permissions: [.readable(needing: .encrypted), .writeable(needing: .full)],
            descriptors: [
                DescriptorDefinition(uuid: UUID(0x2901), permissions: [.readable, .writeable], value: nil),
                DescriptorDefinition(uuid: UUID(0x2901), permissions: .writeable(needing: .authenticated), value: nil),
            ])
        let source = Application.Source(
            respond: { _ in .failure(.unlikelyError) }, subscribed: { _, _ in }, confirmed: { _ in },
            owner: BlueZOwner())
        let table = try AttributeTable([ServiceDefinition(uuid: UUID(0xFFF0), characteristics: [secure])])
        let flags = try Application(table, number: 3, source).objects.map { Self.property("Flags", $0) }
        #expect(
            flags == [
                nil,
                .strings([
                    "read", "write", "notify", "encrypt-read", "encrypt-write", "encrypt-authenticated-write",
                    "authorize", "encrypt-authenticated-notify",
                ]),
                .strings(["read", "write"]), .strings(["write", "encrypt-authenticated-write"]),
            ])
    }

    private static func objects(_ services: [ServiceDefinition]) throws -> [ExportedObject] {
        let source = Application.Source(
            respond: { _ in .failure(.unlikelyError) }, subscribed: { _, _ in }, confirmed: { _ in },
            owner: BlueZOwner())
        return try Application(try AttributeTable(services), number: 3, source).objects
    }

    @Test func `A secondary service is included by its path`() throws {
        let objects = try Self.objects([
            ServiceDefinition(uuid: UUID(0xFFF0), isPrimary: false),
            ServiceDefinition(uuid: UUID(0xFFF1), includes: [0]),
        ])
        #expect(objects.map { Self.property("Primary", $0) } == [.boolean(false), .boolean(true)])
        #expect(objects.map { Self.property("Includes", $0) } == [nil, .paths([objects[0].path])])
    }

    @Test func `All properties are flags, security is that of declared access, and 2902 belongs to bluetoothd`() throws
    {
        let objects = try Self.objects([
            ServiceDefinition(
                uuid: UUID(0xFFF0),
                characteristics: [
                    CharacteristicDefinition(
                        uuid: UUID(0xFFF1),
                        properties: [.broadcast, .authenticatedSignedWrites, .extendedProperties, .notify],
                        permissions: .readable(needing: .encrypted),
                        descriptors: [
                            DescriptorDefinition(uuid: UUID(0x2900), value: [1, 0]),
                            DescriptorDefinition(uuid: UUID(0x2902), value: nil),
                        ])
                ])
        ])
        #expect(objects.compactMap { Self.property("UUID", $0)?.string } == ["FFF0", "FFF1", "2900"])
        #expect(
            Self.property("Flags", objects[1])
                == .strings([
                    "broadcast", "notify", "authenticated-signed-writes", "extended-properties", "encrypt-notify",
                ]))
    }

    @Test func `Values are found by their handles`() throws {
        let application = try Self.application()
        let table = try #require(Self.table)
        let handle = try #require(table.handle(ofValue: 1, service: 2))
        #expect(application.path(of: handle)?.text == "/lubdub/device3/service2/value1")
        let name = try #require(table.handle(ofValue: 0, service: 0))
        #expect(application.path(of: name) == nil)
    }

    @Test(arguments: [
        (ATTError.readNotPermitted, "NotPermitted"), (.writeNotPermitted, "NotPermitted"),
        (.requestNotSupported, "NotSupported"), (.invalidOffset, "InvalidOffset"),
        (.insufficientAuthorization, "NotAuthorized"), (.invalidAttributeValueLength, "InvalidValueLength"),
        (.procedureAlreadyInProgress, "InProgress"),
    ])
    func `Errors have the names that bluetoothd expects`(error: ATTError, name: String) {
        #expect(MethodError(error).name.text == "org.bluez.Error.\(name)")
    }

    @Test(arguments: [(0x80, "0x80"), (0x9F, "0x9f"), (0x0E, "0xe"), (0x13, "0x13")] as [(UInt8, String)])
    func `Other errors are numbers`(code: UInt8, text: String) {
        #expect(MethodError(ATTError(rawValue: code)) == MethodError("org.bluez.Error.Failed", text))
    }

    @Test func `An advertisement contains exactly what is configured`() throws {
        var advertisement = Advertisement(name: "strap")
        let path: ObjectPath = "/a"
        func names() -> [String] {
            advertisement.object(at: path, for: BlueZOwner()) {}.interfaces.flatMap(\.properties).map(\.name.text)
                .sorted()
        }
        #expect(names() == ["Discoverable", "LocalName", "MaxInterval", "MinInterval", "Type"])
        advertisement.services = [UUID(0x180D)]
        advertisement.appearance = 833
        advertisement.manufacturerData = [0xFFFF: [1, 2]]
        advertisement.serviceData = [UUID(0x180D): [3]]
        advertisement.includesTxPower = true
        #expect(
            names() == [
                "Appearance", "Discoverable", "Includes", "LocalName", "ManufacturerData", "MaxInterval", "MinInterval",
                "ServiceData", "ServiceUUIDs", "Type",
            ])
        advertisement.isConnectable = false
        #expect(!names().contains("Discoverable"))
    }

    @Test func `Adapters are parsed`() throws {
        let properties = Value.options([
            ("Address", .string("00:AA:01:00:00:00")), ("Alias", .string("desk")), ("Powered", .boolean(true)),
            ("Roles", .strings(["central", "peripheral"])),
        ])
        func interfaces(_ names: [(String, Value)]) -> Value {
            .dictionary(
                key: .string, value: properties.type, names.map { Value.Entry(.string($0.0), $0.1) })
        }
        let advertises = Value.options([("SupportedInstances", .byte(4))])
        let all = interfaces([
            ("org.bluez.Adapter1", properties), ("org.bluez.GattManager1", .options([])),
            ("org.bluez.LEAdvertisingManager1", advertises),
        ])
        let adapter = try #require(Adapter("/org/bluez/hci7", all))
        #expect(adapter.name == "hci7")
        #expect(adapter.address == DeviceAddress("00:AA:01:00:00:00/public"))
        #expect((adapter.alias, adapter.isPowered, adapter.servesAttributes) == ("desk", true, true))
        #expect(adapter.freeAdvertisements == 4)
        #expect(adapter.roles == ["central", "peripheral"])
        #expect(Adapter("/org/bluez/hci7", interfaces([("org.bluez.Device1", properties)])) == nil)
        #expect(Adapter("/somewhere", all) == nil)
        #expect(Adapter("/org/bluez/hci7", .byte(3)) == nil)
        #expect(Adapter("/org/bluez/hci7", interfaces([("org.bluez.Adapter1", .byte(3))]))?.alias == "")
    }
}
