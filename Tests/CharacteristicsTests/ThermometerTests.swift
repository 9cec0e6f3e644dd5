import Basics
import Characteristics
import Mutations
import Testing

@Suite struct ThermometerTests {
    typealias Measurement = TemperatureMeasurement

    static let noon = DateTime(secondsSince1970: 951_825_600)  // 2000-02-29T12:00:00
    static let examples: [(Measurement, octets: [UInt8], json: String)] = [
        (Measurement(celsius: 36.6), [0x00, 0x6E, 0x01, 0x00, 0xFF], #"{"celsius": 36.6}"#),
        (Measurement(celsius: 37, decimals: 2), [0x00, 0x74, 0x0E, 0x00, 0xFE], #"{"celsius": 37}"#),
        (Measurement(celsius: -0.25, decimals: 2), [0x00, 0xE7, 0xFF, 0xFF, 0xFE], #"{"celsius": -0.25}"#),
        (Measurement(celsius: 37, in: .fahrenheit), [0x01, 0xDA, 0x03, 0x00, 0xFF], #"{"celsius": 37}"#),
        (Measurement(celsius: nil), [0x00, 0xFF, 0xFF, 0x7F, 0x00], #"{"celsius": null}"#),
        (Measurement(celsius: 1e300), [0x00, 0xFE, 0xFF, 0x7F, 0x00], #"{"celsius": null}"#),
        (Measurement(celsius: -1e300, in: .fahrenheit), [0x01, 0x02, 0x00, 0x80, 0x00], #"{"celsius": null}"#),
        (
            Measurement(celsius: 36.6, type: TemperatureType(3)), [0x04, 0x6E, 0x01, 0x00, 0xFF, 0x03],
            #"{"celsius": 36.6, "type": "ear"}"#
        ),
        (
            Measurement(celsius: 36.6, timeStamp: noon, type: TemperatureType(200)),
            [0x06, 0x6E, 0x01, 0x00, 0xFF, 0xD0, 0x07, 2, 29, 12, 0, 0, 200],
            #"{"celsius": 36.6, "type": 200, "timestamp": "2000-02-29T12:00:00"}"#
        ),
    ]

    @Test(arguments: examples)
    func `A measurement is encoded, decoded and written as JSON`(
        measurement: Measurement, octets: [UInt8], json: String
    ) throws {
        #expect(measurement.octets == octets)
        #expect(try Measurement(octets: octets) == measurement)
        #expect(measurement.json == json)
    }

    @Test(
        arguments: [
            ([0xF8, 0x6E, 0x01, 0x00, 0xFF], Measurement(celsius: 36.6)),
            ([0x00, 0x6E, 0x01, 0x00, 0xFF, 0x03, 0x04], Measurement(celsius: 36.6)),
        ] as [([UInt8], Measurement)])
    func `Reserved flags and surplus octets are ignored`(octets: [UInt8], measurement: Measurement) throws {
        #expect(try Measurement(octets: octets) == measurement)
    }

    @Test(
        arguments: [
            ([], "octet 0: Flags needs 1 octet(s), and 0 are left"),
            ([0x00, 1, 2, 3], "octet 1: Temperature Measurement Value needs 4 octet(s), and 3 are left"),
            ([0x02, 1, 2, 3, 4, 0xD0, 0x07, 2], "octet 8: Day needs 1 octet(s), and 0 are left"),
            ([0x04, 1, 2, 3, 4], "octet 5: Temperature Type needs 1 octet(s), and 0 are left"),
            ([0x02, 1, 2, 3, 4, 0x2D, 0x06, 1, 1, 0, 0, 0], "octet 5: Year is 1581, and must be 0, or 1582 to 9999"),
            ([0x02, 1, 2, 3, 4, 0, 0, 13, 1, 0, 0, 0], "octet 7: Month is 13, and must be 0 to 12"),
        ] as [([UInt8], String)])
    func `Malformed octets are rejected with the reason`(octets: [UInt8], complaint: String) {
        let error = #expect(throws: Malformed.self) { try Measurement(octets: octets) }
        #expect(error?.description == complaint)
    }

    @Test(arguments: examples)
    func `No prefix and no flipped bit traps, or changes when encoded again`(
        _: Measurement, octets: [UInt8], _: String
    ) throws {
        for mutation in octets.mutations {
            guard let measurement = try? Measurement(octets: mutation) else { continue }
            #expect(try Measurement(octets: measurement.octets) == measurement)
            #expect(measurement.json.hasPrefix("{\"celsius\": "))
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00"), (-1, "1969-12-31T23:59:59"), (946_684_800, "2000-01-01T00:00:00"),
            (951_782_399, "2000-02-28T23:59:59"), (951_868_800, "2000-03-01T00:00:00"),
            (4_107_542_399, "2100-02-28T23:59:59"), (4_107_542_400, "2100-03-01T00:00:00"),
            (-12_244_089_600, "1582-01-01T00:00:00"), (253_402_300_799, "9999-12-31T23:59:59"),
        ] as [(Int64, String)])
    func `Seconds since 1970 give a date`(seconds: Int64, text: String) {
        #expect(DateTime(secondsSince1970: seconds)?.description == text)
    }

    @Test(arguments: [-12_244_089_601, 253_402_300_800, .min, .max] as [Int64])
    func `Years out of range are rejected`(seconds: Int64) {
        #expect(DateTime(secondsSince1970: seconds) == nil)
    }

    @Test func `The days of 400 years are consecutive`() throws {
        let lengths: [UInt8] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var (year, month, day) = (1970 as UInt16, 1 as UInt8, 1 as UInt8)
        for number in 0..<146_097 as Range<Int64> {
            let date = try #require(DateTime(secondsSince1970: number * 86400))
            guard (date.year, date.month, date.day) == (year, month, day) else {
                Issue.record("day \(number) is \(date)")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let length = month == 2 && isLeap ? 29 : lengths[Int(month) - 1]
            (month, day) = day < length ? (month, day + 1) : (month + 1, 1)
            if month == 13 { (year, month) = (year + 1, 1) }
        }
        #expect(year == 2370)
    }

    @Test func `Types have names, reserved ones do not`() {
        #expect(TemperatureType.names.map { TemperatureType(name: $0)?.octets } == (1...9).map { [UInt8($0)] })
        #expect(
            [0, 1, 9, 10, 255].map { TemperatureType($0).json } == ["0", #""armpit""#, #""tympanum""#, "10", "255"])
        #expect(TemperatureType(name: "nose") == nil)
    }

    @Test(
        arguments: [
            (36.6, [0x4C, 0x0E], #"{"celsius": 36.6}"#), (-0.005, [0xFF, 0xFF], #"{"celsius": -0.01}"#),
            (0, [0, 0], #"{"celsius": 0}"#), (-300, [0x4D, 0x95], #"{"celsius": -273.15}"#),
            (1e300, [0xFF, 0x7F], #"{"celsius": 327.67}"#), (.infinity, [0xFF, 0x7F], #"{"celsius": 327.67}"#),
            (.nan, [0x00, 0x80], #"{"celsius": null}"#), (nil, [0x00, 0x80], #"{"celsius": null}"#),
        ] as [(Double?, [UInt8], String)])
    func `Temperature is encoded, decoded and written as JSON`(celsius: Double?, octets: [UInt8], json: String) throws {
        let temperature = Temperature(celsius: celsius)
        #expect(temperature.octets == octets)
        #expect(try Temperature(octets: octets) == temperature)
        #expect(temperature.json == json)
    }

    @Test func `A range allows only the intervals in it`() {
        let range = MeasurementIntervalRange(seconds: 5...60)
        let allowed = [0, 4, 5, 60, 61].map { range.allows(MeasurementInterval(seconds: $0)) }
        #expect(allowed == [false, false, true, true, false])
        #expect(MeasurementIntervalRange(seconds: 0...9).allows(MeasurementInterval(seconds: 0)))
        #expect(MeasurementInterval(seconds: 60).json == "60")
    }
}
