import Basics
import Bluetooth
import Characteristics
import Mutations
import Testing

/// Values with few octets: valid ones, which survive decoding and encoding, and malformed ones.
@Suite struct ValueTests {
    struct Format: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let again: @Sendable ([UInt8]) throws(Malformed) -> [UInt8]
        let valid: [[UInt8]]
        let refused: [([UInt8], complaint: String)]
    }

    static let formats = [
        Format(
            testDescription: "Body Sensor Location",
            again: { octets throws(Malformed) in try BodySensorLocation(octets: octets).octets },
            valid: [[0], [6], [7], [255]],
            refused: [
                ([], "octet 0: Body Sensor Location needs 1 octet(s), and 0 are left"),
                ([1, 2], "octet 1: 1 octet(s) after the last field"),
            ]),
        Format(
            testDescription: "Heart Rate Control Point",
            again: { octets throws(Malformed) in try HeartRateControlPoint(octets: octets).octets },
            valid: [[1]],
            refused: [
                ([], "octet 0: Heart Rate Control Point needs 1 octet(s), and 0 are left"),
                ([2], "octet 0: Heart Rate Control Point is 2, and must be 1"),
                ([1, 0], "octet 1: 1 octet(s) after the last field"),
            ]),
        Format(
            testDescription: "Battery Level",
            again: { octets throws(Malformed) in try BatteryLevel(octets: octets).octets },
            valid: [[0], [87], [100]],
            refused: [([101], "octet 0: Battery Level is 101, and must be 0 to 100")]),
        Format(
            testDescription: "text",
            again: { octets throws(Malformed) in try UTF8Text(octets: octets, "Model Number").octets },
            valid: [[], Array("Strap é 🫀".utf8), [0x65, 0xCC, 0x81]],
            refused: [
                ([0x41, 0xFF], "octet 1: Model Number is 255, and must be UTF-8"),
                ([0x41, 0xC3], "octet 1: Model Number is 195, and must be UTF-8"),
                ([0xC0, 0x80], "octet 0: Model Number is 192, and must be UTF-8"),
            ]),
        Format(
            testDescription: "Device Name",
            again: { octets throws(Malformed) in try DeviceName(octets: octets).octets },
            valid: [[], Array("Lubdub HRM".utf8), Array(repeating: 0x41, count: 248)],
            refused: [
                (Array(repeating: 0x41, count: 249), "octet 248: 1 octet(s) after the last field"),
                ([0x41, 0x00], "octet 1: Device Name is 0, and must be UTF-8 without U+0000"),
            ]),
        Format(
            testDescription: "PnP ID",
            again: { octets throws(Malformed) in try PnPID(octets: octets).octets },
            valid: [[0x01, 0x6B, 0x00, 0x34, 0x12, 0x13, 0x02]],
            refused: [
                ([0x00, 0, 0, 0, 0, 0, 0], "octet 0: Vendor ID Source is 0, and must be 1 or 2"),
                ([0x01, 0, 0, 0, 0, 0], "octet 5: Product Version needs 2 octet(s), and 1 are left"),
            ]),
        Format(
            testDescription: "Appearance",
            again: { octets throws(Malformed) in try Appearance(octets: octets).octets },
            valid: [[0x41, 0x03], [0xFF, 0xFF]],
            refused: [([0x41], "octet 0: Appearance needs 2 octet(s), and 1 are left")]),
        Format(
            testDescription: "Service Changed",
            again: { octets throws(Malformed) in try ServiceChanged(octets: octets).octets },
            valid: [[1, 0, 0xFF, 0xFF], [7, 0, 7, 0]],
            refused: [
                ([0, 0, 7, 0], "octet 0: Start of Affected Attribute Handle Range is 0, and must be 1 to 65535"),
                ([7, 0, 6, 0], "octet 2: End of Affected Attribute Handle Range is 6, and must be 7 to 65535"),
            ]),
    ]

    @Test(arguments: formats)
    func `Valid octets survive decoding and encoding`(format: Format) throws {
        for octets in format.valid { #expect(try format.again(octets) == octets) }
    }

    @Test(arguments: formats)
    func `Malformed octets are rejected with the reason`(format: Format) {
        for (octets, complaint) in format.refused {
            let error = #expect(throws: Malformed.self) { try format.again(octets) }
            #expect(error?.description == complaint)
        }
    }

    @Test(arguments: formats)
    func `No prefix and no flipped bit traps, or changes when encoded again`(format: Format) {
        for mutation in format.valid.flatMap(\.mutations) {
            guard let again = try? format.again(mutation) else { continue }
            #expect(again == mutation)
        }
    }

    @Test func `Locations have names, reserved ones do not`() {
        #expect(
            BodySensorLocation.names.map { BodySensorLocation(name: $0)?.octets } == (0...6).map { [UInt8($0)] })
        #expect(BodySensorLocation(1).json == #""chest""#)
        #expect(BodySensorLocation(5).json == #""ear_lobe""#)
        #expect(BodySensorLocation(7).json == "7")
        #expect(BodySensorLocation(name: "ear lobe") == nil)
        #expect(BatteryLevel(percent: 87)?.json == "87")
        #expect(BatteryLevel(percent: 101) == nil)
    }

    @Test func `Invalid values are rejected`() {
        #expect(DeviceName(String(repeating: "é", count: 125)) == nil)
        #expect(DeviceName("a\0") == nil)
        #expect(ServiceChanged(handles: 0...7) == nil)
    }

    @Test func `Each string of the device information has its characteristic`() {
        let numbers = DeviceInformation.allCases.map(\.uuid.number)
        #expect(numbers == [0x2A29, 0x2A24, 0x2A25, 0x2A27, 0x2A26, 0x2A28])
    }
}
