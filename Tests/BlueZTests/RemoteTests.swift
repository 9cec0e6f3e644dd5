import ATT
import BlueZNames
import Bluetooth
import DBus
import GATT
import HCI
import Testing

@testable import BlueZ

/// bluetoothd's objects and errors of peers, converted into reports, handles and ATT errors.
struct RemoteTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_00"

    private typealias Object = (path: ObjectPath, interfaces: Value)

    /// An object with one interface.
    private static func object(
        _ path: String, _ interface: String, _ properties: [(name: String, value: Value)]
    ) throws -> Object {
        let values = Value.options(properties)
        return (
            try ObjectPath("\(device)/\(path)"),
            .dictionary(
                key: .string, value: values.type, [Value.Entry(.string("org.bluez.\(interface)"), values)])
        )
    }

    private static func service(_ path: String, _ uuid: Value = .string("180D")) throws -> Object {
        try object(path, "GattService1", [("UUID", uuid), ("Primary", .boolean(true))])
    }

    private static func characteristic(
        _ path: String, _ uuid: Value = .string("2A37"), flags: Value = .strings(["notify"]), of owner: String? = nil
    ) throws -> Object {
        let above = owner ?? String(path.split(separator: "/")[0])
        return try object(
            path, "GattCharacteristic1",
            [("UUID", uuid), ("Flags", flags), ("Service", .path(try ObjectPath("\(device)/\(above)")))])
    }

    @Test func `Handles are taken from the paths, in any order`() throws {
        let objects = [
            try Self.object(
                "service0010/char0014/desc0016", "GattDescriptor1",
                [
                    ("UUID", .string("2902")),
                    ("Characteristic", .path(try ObjectPath("\(Self.device)/service0010/char0014"))),
                ]),
            try Self.characteristic("service0010/char0014", flags: .strings(["indicate", "read", "reliable-write"])),
            try Self.characteristic("service0010/char0012", .string("00002a38-0000-1000-8000-00805f9b34fb")),
            try Self.service("service0010"), try Self.service("service000a", .string("180F")),
        ]
        let attributes = try RemoteAttributes(objects, of: Self.device)
        #expect(attributes.services.map(\.range) == [HandleRange(0x0A, 0x0A), HandleRange(0x10, 0x16)])
        let found = attributes.services[1].characteristics
        #expect(found.map(\.uuid) == [UUID(0x2A38), UUID(0x2A37)])
        #expect(found.map(\.valueHandle) == [0x13, 0x15])
        #expect(found.map(\.properties) == [.notify, [.read, .indicate]])
        #expect(found.map(\.configurationHandle) == [nil, 0x16])
        #expect(attributes.location(of: 0x16)?.interface == .gattDescriptor)
        #expect(attributes.handle(ofValueAt: try ObjectPath("\(Self.device)/service0010/char0014")) == 0x15)
        #expect(attributes.characteristic(ofConfiguration: 0x16)?.valueHandle == 0x15)
        #expect(attributes.location(of: 0x14) == nil)
    }

    @Test(arguments: [
        "service0010/char0000", "service0010/charffff", "service0010/char12", "service0010/char0x12",
        "service0010/char00012", "service0010/desc0012", "service0010/char0010",
        "service0010/char000f", "service0010/value0",
    ])
    func `Objects without a valid handle are ignored`(path: String) throws {
        let objects = [try Self.service("service0010"), try Self.characteristic(path)]
        #expect(try RemoteAttributes(objects, of: Self.device).services.map(\.characteristics) == [[]])
    }

    @Test func `Objects of wrong types or with missing properties are ignored`() throws {
        let odd: [Object] = [
            try Self.service("service0020", .uint32(0x180D)), try Self.service("service0021", .string("heart")),
            try Self.characteristic("service0010/char0012", .boolean(true)),
            try Self.characteristic("service0010/char0014", of: "service0099"),
            try Self.object("service0010/char0016", "GattCharacteristic1", [("UUID", .string("2A37"))]),
            (Self.device, .strings(["org.bluez.GattService1"])),
            (try ObjectPath("\(Self.device)/service0030"), .byte(1)),
            ("/org/bluez/hci0/dev_01/service0040", try Self.service("service0040").interfaces),
        ]
        let sound = [try Self.service("service0010"), try Self.characteristic("service0010/char0018", flags: .byte(3))]
        let found = try RemoteAttributes(odd + sound, of: Self.device).services
        #expect(found.map(\.range.first) == [0x10])
        #expect(found[0].characteristics.map(\.valueHandle) == [0x19])
        #expect(found[0].characteristics.map(\.properties) == [[]])
    }

    @Test func `Too many objects are rejected`() throws {
        let most = try (1...Client.maximumDiscovered).map { try Self.service("service" + Self.hex($0)) }
        #expect(try RemoteAttributes(most, of: Self.device).services.count == Client.maximumDiscovered)
        let more = most + [try Self.service("serviceffff")]
        #expect(throws: RemoteAttributes.TooMany.self) { try RemoteAttributes(more, of: Self.device) }
    }

    private static func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    // MARK: Reports

    private static func heard(_ properties: [(name: String, value: Value)]) throws -> RemoteDevice {
        let address: (name: String, value: Value) = ("Address", .string("C0:FF:EE:00:00:01"))
        return try #require(RemoteDevice(device, .options([address, ("AddressType", .string("random"))] + properties)))
    }

    @Test func `A report contains everything known about a device`() throws {
        let other = "12345678-1234-1234-1234-123456789abc"
        let device = try Self.heard([
            ("Name", .string("strap")), ("RSSI", .int16(-52)), ("UUIDs", .strings([other, "180d", "?"])),
            ("ServiceData", .options([("180f", .octets([99]))])),
            (
                "ManufacturerData",
                .dictionary(key: .uint16, value: .variant, [Value.Entry(.uint16(0x6B), .variant(.octets([1])))])
            ),
        ])
        let report = device.report()
        #expect(
            (report.kind, report.address, report.rssi) == (.undirected, DeviceAddress(0xC0FF_EE00_0001, .random), -52))
        let data = try AdvertisingData(octets: report.data, limit: .extended)
        #expect(data.localName == "strap")
        #expect(data.services == [UUID(0x180D), try #require(UUID(other))])
        #expect(data.data(.serviceData16Bit) == [0x0F, 0x18, 99])
        #expect(data.manufacturerSpecificData?.company == 0x6B)
        #expect(device.report(isReceived: false).rssi == 127)
    }

    @Test func `Data that does not fit into a report is omitted`() throws {
        let long = Value.octets([UInt8](repeating: 7, count: 5000))
        let others = (0..<100).map { "12345678-1234-1234-1234-1234567890" + Self.hex($0).suffix(2) }
        let device = try Self.heard([
            ("Name", .string(String(repeating: "é", count: 5000))), ("RSSI", .int16(.min)),
            ("UUIDs", .strings(["180d"] + others)),
            ("ServiceData", .options([("180f", long), ("1809", .octets([1]))])),
        ])
        let data = try AdvertisingData(octets: device.report().data, limit: .extended)
        #expect(data.localName == nil)
        #expect(data.services.count == 16)
        #expect(data.services.first == UUID(0x180D))
        #expect(data.data(.serviceData16Bit) == [0x09, 0x18, 1])
        #expect(device.report().rssi == -128)
    }

    @Test(arguments: ["Name", "RSSI", "UUIDs", "ServiceData", "ManufacturerData", "Connected", "ServicesResolved"])
    func `A property of a wrong type changes nothing`(name: String) throws {
        let device = try Self.heard([("Name", .string("strap")), ("Connected", .boolean(true)), ("RSSI", .int16(1))])
        let wrong: [Value] = [
            .byte(1), .uint32(1), .signature("s"), .descriptor(Descriptor(owning: -1)), .structure([.byte(1)]),
            .variant(.uint64(0)), .dictionary(key: .byte, value: .byte, [Value.Entry(.byte(1), .byte(2))]),
        ]
        for value in wrong {
            var changed = device
            changed.update(with: .options([(name, value)]))
            #expect(changed == device)
        }
    }

    @Test func `A device needs an address`() {
        let addresses: [Value] = [.string(""), .string("C0:FF:EE"), .uint64(1), .octets([0xC0, 0xFF, 0xEE, 0, 0, 1])]
        for address in addresses { #expect(RemoteDevice(Self.device, .options([("Address", address)])) == nil) }
        #expect(RemoteDevice(Self.device, .strings([])) == nil)
    }

    // MARK: Errors

    @Test(
        arguments: [
            ("Failed", "Operation failed with ATT error: 0x80", ATTError(rawValue: 0x80)),
            ("Failed", "Operation failed with ATT error: 0x0e (Unlikely)", .unlikelyError),
            ("Failed", "Operation failed with ATT error: 0x00", nil),
            ("Failed", "Operation failed with ATT error: 0x", nil),
            ("Failed", "Operation failed with ATT error: 0x123", nil), ("Failed", "Operation failed", nil),
            ("Failed", "", nil), ("NotPermitted", "Read not permitted", .readNotPermitted),
            ("NotPermitted", "Write not permitted", .writeNotPermitted),
            ("NotPermitted", "Not paired", .insufficientAuthentication),
            ("NotPermitted", "Not Paired", .insufficientAuthentication), ("NotPermitted", "Notify acquired", nil),
            ("InvalidArguments", "Invalid offset", .invalidOffset),
            ("InvalidArguments", "Invalid Length", .invalidAttributeValueLength),
            ("InvalidArguments", "Invalid arguments in method call", nil), ("InvalidOffset", "", .invalidOffset),
            ("InvalidValueLength", "", .invalidAttributeValueLength), ("NotAuthorized", "", .insufficientAuthorization),
            ("NotSupported", "", .requestNotSupported), ("InProgress", "", nil), ("NotReady", "", nil),
        ] as [(String, String, ATTError?)])
    func `Errors are those of the server, as far as bluetoothd reports them`(
        name: String, message: String, error: ATTError?
    ) {
        let remote = RemoteError(name: "org.bluez.Error.\(name)", message: message)
        #expect(remote.attError == error)
        let failure = CallFailure.remote(remote).procedureFailure(for: 7)
        if let error {
            #expect(failure == .refused(error, handle: 7))
        } else if case .unavailable(let why) = failure {
            #expect(why.contains(remote.name))
        } else {
            Issue.record("\(failure)")
        }
    }

    @Test(arguments: [
        (
            CallFailure.remote(RemoteError(name: "org.bluez.Error.NotConnected", message: "")),
            Procedure.Failure.disconnected
        ),
        (.remote(RemoteError(name: "org.bluez.Error.Failed", message: "Not connected")), .disconnected),
        (.timedOut(after: .seconds(35)), .bearerLost), (.disconnected, .disconnected), (.cancelled, .disconnected),
    ])
    func `Other failures are those of the connection`(failure: CallFailure, wanted: Procedure.Failure) {
        #expect(failure.procedureFailure(for: 1) == wanted)
    }
}
