import Basics
import Characteristics
import Mutations
import Testing

/// The octets of Pulse Oximeter Service 1.0.1, section 3.
@Suite struct PulseOximetryTests {
    typealias Continuous = PLXContinuousMeasurement
    typealias SpotCheck = PLXSpotCheckMeasurement

    private static func pair(_ spo2: Double, _ rate: Double) -> SpO2PR {
        SpO2PR(spo2: MedicalShortFloat(spo2, decimals: 1), pulseRate: MedicalShortFloat(rate, decimals: 0))
    }

    private static let details = PLXDetails(
        measurementStatus: [.measurementOngoing, .fullyQualifiedData], sensorStatus: .unconnectedToUser,
        amplitude: MedicalShortFloat(1.5, decimals: 1))

    static let continuous: [(Continuous, octets: [UInt8], json: String)] = [
        (Continuous(pair(97, 62)), [0x00, 0xCA, 0xF3, 0x3E, 0x00], #"{"spo2": 97, "pulse_rate": 62}"#),
        (
            Continuous(pair(.nan, .infinity)), [0x00, 0xFF, 0x07, 0xFE, 0x07],
            #"{"spo2": null, "pulse_rate": null}"#
        ),
        (
            Continuous(pair(97.5, 62), fast: pair(96, 63)), [0x01, 0xCF, 0xF3, 0x3E, 0x00, 0xC0, 0xF3, 0x3F, 0x00],
            #"{"spo2": 97.5, "pulse_rate": 62, "fast": {"spo2": 96, "pulse_rate": 63}}"#
        ),
        (
            Continuous(pair(97, 62), slow: pair(98, 61)), [0x02, 0xCA, 0xF3, 0x3E, 0x00, 0xD4, 0xF3, 0x3D, 0x00],
            #"{"spo2": 97, "pulse_rate": 62, "slow": {"spo2": 98, "pulse_rate": 61}}"#
        ),
        (
            Continuous(pair(97, 62), fast: pair(0, 0), slow: pair(100, 300), details: details),
            [
                0x1F, 0xCA, 0xF3, 0x3E, 0x00, 0x00, 0xF0, 0x00, 0x00, 0xE8, 0xF3, 0x2C, 0x01, 0x20, 0x01, 0x00, 0x08,
                0x00, 0x0F, 0xF0,
            ],
            #"{"spo2": 97, "pulse_rate": 62, "fast": {"spo2": 0, "pulse_rate": 0}, "#
                + #""slow": {"spo2": 100, "pulse_rate": 300}, "#
                + #""measurement_status": ["measurement_ongoing", "fully_qualified_data"], "#
                + #""sensor_status": ["sensor_unconnected_to_user"], "contact": false, "amplitude": 1.5}"#
        ),
        (
            Continuous(pair(-0.5, 62), details: PLXDetails(sensorStatus: [])),
            [0x08, 0xFB, 0xFF, 0x3E, 0x00, 0x00, 0x00, 0x00],
            #"{"spo2": -0.5, "pulse_rate": 62, "sensor_status": [], "contact": true}"#
        ),
    ]

    @Test(arguments: continuous)
    func `A continuous measurement is encoded, decoded and written as JSON`(
        measurement: Continuous, octets: [UInt8], json: String
    ) throws {
        #expect(measurement.octets == octets)
        #expect(try Continuous(octets: octets[...]) == measurement)
        #expect(measurement.json == json)
        var pool = PacketPool()
        var packet = pool.take()
        measurement.append(to: &packet, in: &pool)
        #expect(pool.octets(of: packet) == octets)
        pool.release(packet)
    }

    private static let noon = DateTime(secondsSince1970: 951_825_600)  // 2000-02-29T12:00:00

    static let spotChecks: [(SpotCheck, octets: [UInt8], json: String)] = [
        (SpotCheck(pair(97, 62)), [0x00, 0xCA, 0xF3, 0x3E, 0x00], #"{"spo2": 97, "pulse_rate": 62}"#),
        (
            SpotCheck(pair(97, 62), timeStamp: noon, isClockSet: false),
            [0x11, 0xCA, 0xF3, 0x3E, 0x00, 0xD0, 0x07, 2, 29, 12, 0, 0],
            #"{"spo2": 97, "pulse_rate": 62, "timestamp": "2000-02-29T12:00:00", "clock_set": false}"#
        ),
        (
            SpotCheck(pair(97, 62), timeStamp: noon, details: details),
            [
                0x0F, 0xCA, 0xF3, 0x3E, 0x00, 0xD0, 0x07, 2, 29, 12, 0, 0, 0x20, 0x01, 0x00, 0x08, 0x00, 0x0F, 0xF0,
            ],
            #"{"spo2": 97, "pulse_rate": 62, "timestamp": "2000-02-29T12:00:00", "#
                + #""measurement_status": ["measurement_ongoing", "fully_qualified_data"], "#
                + #""sensor_status": ["sensor_unconnected_to_user"], "contact": false, "amplitude": 1.5}"#
        ),
    ]

    @Test(arguments: spotChecks)
    func `A spot-check is encoded, decoded and written as JSON`(
        measurement: SpotCheck, octets: [UInt8], json: String
    ) throws {
        #expect(measurement.octets == octets)
        #expect(try SpotCheck(octets: octets[...]) == measurement)
        #expect(measurement.json == json)
    }

    static let features: [(PLXFeatures, octets: [UInt8], json: String)] = [
        (PLXFeatures([]), [0x00, 0x00], "[]"),
        (
            PLXFeatures([.timeStamp, .fast, .slow, .amplitude]), [0x78, 0x00],
            """
            ["timestamp", "spo2pr_fast", "spo2pr_slow", "pulse_amplitude_index"]
            """
        ),
        (
            PLXFeatures([], measurementStatus: [.measurementUnavailable], sensorStatus: .unconnectedToUser),
            [0x03, 0x00, 0x00, 0x20, 0x00, 0x08, 0x00], #"["measurement_status", "device_and_sensor_status"]"#
        ),
        (
            PLXFeatures(.amplitude, sensorStatus: .unconnectedToUser), [0x42, 0x00, 0x00, 0x08, 0x00],
            #"["device_and_sensor_status", "pulse_amplitude_index"]"#
        ),
    ]

    @Test(arguments: features)
    func `Features are encoded, decoded and written as JSON`(
        features: PLXFeatures, octets: [UInt8], json: String
    ) throws {
        #expect(features.octets == octets)
        #expect(try PLXFeatures(octets: octets[...]) == features)
        #expect(features.json == json)
    }

    @Test func `Reserved flags and surplus octets are ignored`() throws {
        let plain = Continuous(Self.pair(97, 62))
        #expect(try Continuous(octets: [0xE0, 0xCA, 0xF3, 0x3E, 0x00]) == plain)
        #expect(try Continuous(octets: [0x00, 0xCA, 0xF3, 0x3E, 0x00, 0xFF]) == plain)
        #expect(try SpotCheck(octets: [0xE0, 0xCA, 0xF3, 0x3E, 0x00, 0xFF]) == SpotCheck(Self.pair(97, 62)))
    }

    @Test(
        arguments: [
            ([], "octet 0: Flags needs 1 octet(s), and 0 are left"),
            ([0x00, 1, 2, 3], "octet 3: SpO2PR-Normal - PR needs 2 octet(s), and 1 are left"),
            ([0x01, 1, 2, 3, 4], "octet 5: SpO2PR-Fast - SpO2 needs 2 octet(s), and 0 are left"),
            ([0x02, 1, 2, 3, 4, 5], "octet 5: SpO2PR-Slow - SpO2 needs 2 octet(s), and 1 are left"),
            ([0x04, 1, 2, 3, 4], "octet 5: Measurement Status needs 2 octet(s), and 0 are left"),
            ([0x08, 1, 2, 3, 4, 5, 6], "octet 5: Device and Sensor Status needs 3 octet(s), and 2 are left"),
            ([0x10, 1, 2, 3, 4], "octet 5: Pulse Amplitude Index needs 2 octet(s), and 0 are left"),
        ] as [([UInt8], String)])
    func `A measurement that ends too early is rejected with the reason`(octets: [UInt8], complaint: String) {
        let error = #expect(throws: Malformed.self) { try Continuous(octets: octets[...]) }
        #expect(error?.description == complaint)
    }

    @Test func `No prefix and no flipped bit traps, or changes when encoded again`() throws {
        for octets in Self.continuous.flatMap(\.octets.mutations) {
            guard let value = try? Continuous(octets: octets[...]) else { continue }
            #expect(try Continuous(octets: value.octets[...]) == value)
            #expect(value.json.hasPrefix("{\"spo2\": "))
        }
        for octets in Self.spotChecks.flatMap(\.octets.mutations) {
            guard let value = try? SpotCheck(octets: octets[...]) else { continue }
            #expect(try SpotCheck(octets: value.octets[...]) == value)
            #expect(value.json.hasPrefix("{\"spo2\": "))
        }
        for octets in Self.features.flatMap(\.octets.mutations) {
            guard let value = try? PLXFeatures(octets: octets[...]) else { continue }
            #expect(try PLXFeatures(octets: value.octets[...]) == value)
            #expect(value.json.hasPrefix("["))
        }
    }

    // MARK: SFLOAT

    @Test(
        arguments: [
            (97, 1, 0xF3CA), (97, 0, 0x0061), (72.5, 1, 0xF2D5), (-5, 1, 0xFFCE), (0, 0, 0), (-0.04, 1, 0xF000),
            (1, 99, 0xD3E8),  // 8 decimals are the most, and 3 of them fit
            // a mantissa that does not fit has fewer decimals
            (204.5, 1, 0xF7FD), (204.6, 1, 0x00CD), (-204.5, 1, 0xF803), (2045, 0, 0x07FD), (2046, 0, 0x10CD),
            (20_450_000_000, 0, 0x77FD), (-20_450_000_000, 0, 0x7803),
            // too large numbers are infinite
            (20_460_000_000, 0, 0x07FE), (1e300, 1, 0x07FE), (-1e300, 1, 0x0802), (.infinity, 1, 0x07FE),
            (-.infinity, 8, 0x0802), (.nan, 1, 0x07FF),
        ] as [(Double, Int, UInt16)])
    func `A number is encoded`(value: Double, decimals: Int, bits: UInt16) {
        #expect(MedicalShortFloat(value, decimals: decimals).bits == bits)
    }

    @Test func `Every pattern of bits is a number or a special value`() throws {
        for bits in UInt16.min...UInt16.max {
            let float = MedicalShortFloat(bits: bits)
            #expect((-8...7).contains(float.exponent) && (-2048...2047).contains(float.mantissa))
            guard float.special == nil else { continue }
            let expected =
                Double(float.mantissa)
                * (0..<abs(float.exponent)).reduce(1.0) { power, _ in
                    float.exponent < 0 ? power / 10 : power * 10
                }
            #expect(abs(try #require(float.value) - expected) <= expected.magnitude * 1e-12)
        }
        let values = MedicalSpecialValue.allCases.map { MedicalShortFloat($0).value }
        #expect(values == [.infinity, nil, nil, nil, -.infinity])
    }

    @Test func `Percents with one decimal survive encoding`() {
        for tenth in 0...1000 {
            #expect(MedicalShortFloat(Double(tenth) / 10, decimals: 1).value == Double(tenth) / 10)
        }
    }
}
