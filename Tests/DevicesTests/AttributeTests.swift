import Basics
import Bluetooth
import Characteristics
import Devices
import Services
import Testing

@Suite struct AttributeTests {
    static let answers: [(request: String, response: String)] = [
        // Primary services.
        ("10 01 00 FF FF 00 28", "11 06 01 00 05 00 00 18 06 00 0D 00 01 18 0E 00 15 00 0D 18"),
        ("10 16 00 FF FF 00 28", "11 06 16 00 19 00 0F 18 1A 00 1E 00 0A 18"),
        // Characteristics: handle, properties, handle of the value, UUID.
        ("08 01 00 05 00 03 28", "09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A"),
        ("08 06 00 0D 00 03 28", "09 07 07 00 20 08 00 05 2A 0A 00 0A 0B 00 29 2B 0C 00 02 0D 00 2A 2B"),
        ("08 0E 00 15 00 03 28", "09 07 0F 00 10 10 00 37 2A 12 00 02 13 00 38 2A 14 00 08 15 00 39 2A"),
        ("08 16 00 19 00 03 28", "09 07 17 00 12 18 00 19 2A"),
        ("08 1A 00 1E 00 03 28", "09 07 1B 00 02 1C 00 29 2A 1D 00 02 1E 00 24 2A"),
        // Client Characteristic Configurations.
        ("04 11 00 11 00", "05 01 11 00 02 29"),
        ("04 19 00 19 00", "05 01 19 00 02 29"),
        // Values.
        ("0A 03 00", "0B 53 74 72 61 70"),
        ("0A 05 00", "0B 41 03"),
        ("0A 08 00", "01 0A 08 00 02"),
        ("0A 0B 00", "0B 00"),
        ("12 0B 00 01", "13"),
        ("0A 10 00", "01 0A 10 00 02"),
        ("0A 11 00", "0B 00 00"),
        ("0A 13 00", "0B 01"),
        ("12 13 00 02", "01 12 13 00 03"),
        ("0A 15 00", "01 0A 15 00 02"),
        ("0A 18 00", "0B 50"),
        ("0A 1C 00", "0B 4C 75 62 64 75 62"),
        ("0A 1E 00", "0B 31"),
        // Heart Rate Service 1.0, section 3.3.1: Reset Energy Expended, and what is not.
        ("12 15 00 01", "13"),
        ("12 15 00 00", "01 12 15 00 80"),
        ("12 15 00 02", "01 12 15 00 80"),
        ("12 15 00 FF", "01 12 15 00 80"),
        ("12 15 00 01 00", "01 12 15 00 0D"),
        ("12 15 00", "01 12 15 00 0D"),
    ]

    @Test(arguments: answers)
    func `A client is answered`(request: String, response: String) throws {
        var strap = try Wearer.complete()
        #expect(strap.answer(hex(request)) == hex(response))
        #expect(strap.pool.taken == 0)
    }

    @Test func `Preferred connection parameters are present if defined`() throws {
        var definition = PeripheralDefinition(name: "Strap", appearance: .heartRateBelt, services: [])
        definition.preferredConnection = ConnectionParameters(
            minimumInterval: 8, maximumInterval: 16, latency: 4, supervisionTimeout: 400)
        var strap = try Wearer(definition)
        #expect(strap.answer(hex("08 06 00 07 00 03 28")) == hex("09 07 06 00 02 07 00 04 2A"))
        #expect(strap.answer(hex("0A 07 00")) == hex("0B 08 00 10 00 04 00 90 01"))
    }

    @Test func `Without energy and location there is only the measurement`() throws {
        var strap = try Wearer(.constant(72))
        #expect(strap.answer(hex("08 0E 00 FF FF 03 28")) == hex("09 07 0F 00 10 10 00 37 2A"))
        #expect(strap.answer(hex("04 12 00 FF FF")) == hex("01 04 12 00 0A"))
    }

    static let parts: [(value: DeviceValue, handle: UInt16?)] = [
        (DeviceValue(service: 0, .heartRate), 0x0010), (DeviceValue(service: 0, .contact), 0x0010),
        (DeviceValue(service: 0, .energy), 0x0010), (DeviceValue(service: 0, .location), 0x0013),
        (DeviceValue(service: 0, .controlPoint), 0x0015), (DeviceValue(service: 1, .battery), 0x0018),
        (DeviceValue(service: 2, .manufacturer), 0x001C), (DeviceValue(service: 2, .model), 0x001E),
        (DeviceValue(service: 2, .serial), nil), (DeviceValue(service: 1, .none), nil),
        (DeviceValue(service: 0, .none), nil), (DeviceValue(service: 3, .heartRate), nil),
    ]

    @Test(arguments: parts)
    func `A value has the handle of its characteristic`(value: DeviceValue, handle: UInt16?) throws {
        let device = try Wearer.complete().device
        #expect(device.handle(of: value) == handle)
        if let handle, value.id == value.id.characteristicValue {
            #expect(device.value(of: handle) == value)
        }
    }

    /// 248 octets for the name, 512 for other values; é has two and the astronaut eleven.
    static let texts: [(text: String, name: Int, information: Int)] = [
        ("", 0, 0), (String(repeating: "a", count: 248), 248, 248), (String(repeating: "a", count: 600), 248, 512),
        (String(repeating: "é", count: 300), 248, 512), ("a" + String(repeating: "é", count: 300), 247, 511),
        (String(repeating: "👩‍🚀", count: 60), 242, 506),
    ]

    @Test(arguments: texts)
    func `Long texts end with a whole character`(text: String, name: Int, information: Int) throws {
        var strap = try Wearer(
            PeripheralDefinition(
                name: text, appearance: .heartRateBelt, services: [.deviceInformation([(.model, text)])]))
        _ = strap.answer(hex("02 05 02"))
        #expect(strap.answer(hex("0A 03 00")) == [0x0B] + Array(text.utf8.prefix(name)))
        #expect(strap.answer(hex("0A 10 00")) == [0x0B] + Array(text.utf8.prefix(information)))
    }
}
