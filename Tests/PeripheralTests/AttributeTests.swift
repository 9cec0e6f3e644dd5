import Bluetooth
import Characteristics
import Octets
import Peripheral
import Sensors
import Testing

@Suite struct AttributeTests {
    static let answers: [(request: String, response: String)] = [
        // Primary services.
        ("10 01 00 FF FF 00 28", "11 06 01 00 05 00 00 18 06 00 09 00 01 18 0A 00 11 00 0D 18"),
        ("10 12 00 FF FF 00 28", "11 06 12 00 15 00 0F 18 16 00 1A 00 0A 18"),
        // Characteristics: handle, properties, handle of the value, UUID.
        ("08 01 00 05 00 03 28", "09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A"),
        ("08 06 00 09 00 03 28", "09 07 07 00 20 08 00 05 2A"),
        ("08 0A 00 11 00 03 28", "09 07 0B 00 10 0C 00 37 2A 0E 00 02 0F 00 38 2A 10 00 08 11 00 39 2A"),
        ("08 12 00 15 00 03 28", "09 07 13 00 12 14 00 19 2A"),
        ("08 16 00 1A 00 03 28", "09 07 17 00 02 18 00 29 2A 19 00 02 1A 00 24 2A"),
        // Client Characteristic Configurations.
        ("04 0D 00 0D 00", "05 01 0D 00 02 29"),
        ("04 15 00 15 00", "05 01 15 00 02 29"),
        // Values.
        ("0A 03 00", "0B 53 74 72 61 70"),
        ("0A 05 00", "0B 41 03"),
        ("0A 08 00", "01 0A 08 00 02"),
        ("0A 0C 00", "01 0A 0C 00 02"),
        ("0A 0D 00", "0B 00 00"),
        ("0A 0F 00", "0B 01"),
        ("12 0F 00 02", "01 12 0F 00 03"),
        ("0A 11 00", "01 0A 11 00 02"),
        ("0A 14 00", "0B 50"),
        ("0A 18 00", "0B 4C 75 62 64 75 62"),
        ("0A 1A 00", "0B 31"),
        // Heart Rate Service 1.0, section 3.3.1: Reset Energy Expended, and what is not.
        ("12 11 00 01", "13"),
        ("12 11 00 00", "01 12 11 00 80"),
        ("12 11 00 02", "01 12 11 00 80"),
        ("12 11 00 FF", "01 12 11 00 80"),
        ("12 11 00 01 00", "01 12 11 00 0D"),
        ("12 11 00", "01 12 11 00 0D"),
    ]

    @Test(arguments: answers)
    func `A client is answered`(request: String, response: String) throws {
        var strap = try Wearer.complete()
        #expect(strap.answer(hex(request)) == hex(response))
        #expect(strap.pool.taken == 0)
    }

    @Test func `Without energy and location only the measurement is there`() throws {
        var strap = try Wearer(.constant(72))
        #expect(strap.answer(hex("08 0A 00 FF FF 03 28")) == hex("09 07 0B 00 10 0C 00 37 2A"))
        #expect(strap.answer(hex("04 0E 00 FF FF")) == hex("01 04 0E 00 0A"))
    }

    static let parts: [(part: Part, handle: UInt16?)] = [
        (Part(service: 0, .heartRate), 0x000C), (Part(service: 0, .contact), 0x000C),
        (Part(service: 0, .energy), 0x000C), (Part(service: 0, .location), 0x000F),
        (Part(service: 0, .controlPoint), 0x0011), (Part(service: 1, .battery), 0x0014),
        (Part(service: 2, .information(.manufacturer)), 0x0018), (Part(service: 2, .information(.model)), 0x001A),
        (Part(service: 2, .information(.serial)), nil), (Part(service: 1, .contact), nil),
        (Part(service: 0, .battery), nil), (Part(service: 3, .heartRate), nil),
    ]

    @Test(arguments: parts)
    func `A part has the handle of what it is sent with`(part: Part, handle: UInt16?) throws {
        let device = try Wearer.complete().device
        #expect(device.handle(of: part) == handle)
        if let handle, part.quantity != .contact, part.quantity != .energy {
            #expect(device.part(of: handle) == part)
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
        #expect(strap.answer(hex("0A 0C 00")) == [0x0B] + Array(text.utf8.prefix(information)))
    }
}
