import Basics
import Characteristics
import Mutations
import Testing

/// The characteristics of the Running Speed and Cadence Service.
@Suite struct RunningTests {
    static let examples: [(RSCMeasurement, octets: [UInt8], json: String)] = [
        (RSCMeasurement(speed: 0, cadence: 0), [0, 0, 0, 0], #"{"speed_mps": 0, "cadence": 0, "running": false}"#),
        (
            RSCMeasurement(metresPerSecond: 3.5, stepsPerMinute: 168, isRunning: true), [0x04, 0x80, 0x03, 0xA8],
            #"{"speed_mps": 3.5, "cadence": 168, "running": true}"#
        ),
        (
            RSCMeasurement(metresPerSecond: 2.8, stepsPerMinute: 90, strideMetres: 1.25),
            [0x01, 0xCD, 0x02, 90, 0x7D, 0],
            #"{"speed_mps": 2.801, "cadence": 90, "stride_length_m": 1.25, "running": false}"#
        ),
        (
            RSCMeasurement(metresPerSecond: 1, metres: 100_000), [0x02, 0, 1, 0, 0x40, 0x42, 0x0F, 0],
            #"{"speed_mps": 1, "cadence": 0, "total_distance_m": 100000, "running": false}"#
        ),
        (
            RSCMeasurement(
                metresPerSecond: 1e9, stepsPerMinute: 1e9, strideMetres: 1e9, metres: 1e12, isRunning: true),
            [0x07] + [UInt8](repeating: 0xFF, count: 9),
            #"{"speed_mps": 255.996, "cadence": 255, "stride_length_m": 655.35, "total_distance_m": 429496729.5, "running": true}"#
        ),
        (
            RSCMeasurement(metresPerSecond: -1, stepsPerMinute: .nan, strideMetres: -1, metres: -1),
            [0x03] + [UInt8](repeating: 0, count: 9),
            #"{"speed_mps": 0, "cadence": 0, "stride_length_m": 0, "total_distance_m": 0, "running": false}"#
        ),
    ]

    @Test(arguments: examples)
    func `A measurement is encoded, decoded and written as JSON`(
        measurement: RSCMeasurement, octets: [UInt8], json: String
    ) throws {
        #expect(measurement.octets == octets)
        #expect(try RSCMeasurement(octets: octets[...]) == measurement)
        #expect(measurement.json == json)
        var pool = PacketPool()
        var packet = pool.take()
        measurement.append(to: &packet, in: &pool)
        #expect(pool.octets(of: packet) == octets)
    }

    @Test(
        arguments: [
            ([0xF8, 0x80, 0x03, 0xA8], RSCMeasurement(speed: 0x380, cadence: 168)),
            ([0x00, 0x80, 0x03, 0xA8, 1, 2], RSCMeasurement(speed: 0x380, cadence: 168)),
        ] as [([UInt8], RSCMeasurement)])
    func `Reserved flags and surplus octets are ignored`(octets: [UInt8], measurement: RSCMeasurement) throws {
        #expect(try RSCMeasurement(octets: octets[...]) == measurement)
    }

    @Test(
        arguments: [
            ([], "octet 0: Flags needs 1 octet(s), and 0 are left"),
            ([0, 1], "octet 1: Instantaneous Speed needs 2 octet(s), and 1 are left"),
            ([0, 1, 2], "octet 3: Instantaneous Cadence needs 1 octet(s), and 0 are left"),
            ([1, 1, 2, 3, 4], "octet 4: Instantaneous Stride Length needs 2 octet(s), and 1 are left"),
            ([2, 1, 2, 3, 4, 5, 6], "octet 4: Total Distance needs 4 octet(s), and 3 are left"),
        ] as [([UInt8], String)])
    func `Malformed octets are rejected with the reason`(octets: [UInt8], reason: String) {
        let error = #expect(throws: Malformed.self) { try RSCMeasurement(octets: octets[...]) }
        #expect(error?.description == reason)
    }

    @Test(arguments: examples)
    func `No prefix and no flipped bit traps, or changes when encoded again`(
        _: RSCMeasurement, octets: [UInt8], _: String
    ) throws {
        for mutation in octets.mutations {
            guard let measurement = try? RSCMeasurement(octets: mutation[...]) else { continue }
            #expect(try RSCMeasurement(octets: measurement.octets[...]) == measurement)
            #expect(measurement.json.hasPrefix("{\"speed_mps\": "))
        }
    }

    @Test(
        arguments: [
            (0, "[]"), (3, #"["stride_length", "total_distance"]"#),
            (0x1C, #"["walking_or_running", "calibration", "multiple_locations"]"#),
            (0xFFE0, "[]"),
        ] as [(UInt16, String)])
    func `Features have names, reserved ones do not`(bits: UInt16, json: String) throws {
        let feature = RSCFeature(rawValue: bits)
        #expect(feature.json == json)
        #expect(try RSCFeature(octets: feature.octets[...]) == feature)
        #expect(throws: Malformed.self) { try RSCFeature(octets: feature.octets[..<1]) }
        #expect(throws: Malformed.self) { try RSCFeature(octets: (feature.octets + [0])[...]) }
    }

    @Test func `Locations have names, reserved ones do not`() throws {
        #expect(SensorLocation.names.map { SensorLocation(name: $0)?.octets } == (0...16).map { [UInt8($0)] })
        #expect(
            [0, 2, 16, 17, 255].map { SensorLocation($0).json } == [
                #""other""#, #""in_shoe""#, #""chain_ring""#, "17", "255",
            ])
        #expect(SensorLocation(name: "nose") == nil)
        #expect(throws: Malformed.self) { try SensorLocation(octets: []) }
        #expect(throws: Malformed.self) { try SensorLocation(octets: [1, 2]) }
    }

    @Test(
        arguments: [
            (.setCumulativeValue(0), [1, 0, 0, 0, 0], #"{"set_total_distance_m": 0}"#),
            (.setCumulativeValue(0x0403_0201), [1, 1, 2, 3, 4], #"{"set_total_distance_m": 6730598.5}"#),
            (.response(to: 1, .success), [16, 1, 1], #"{"response_to": 1, "result": 1}"#),
            (.response(to: 0x7F, .opCodeNotSupported), [16, 0x7F, 2], #"{"response_to": 127, "result": 2}"#),
        ] as [(SCControlPoint, [UInt8], String)])
    func `A request or a response is encoded, decoded and written as JSON`(
        value: SCControlPoint, octets: [UInt8], json: String
    ) throws {
        #expect(value.octets == octets)
        #expect(try SCControlPoint(octets: octets[...]) == value)
        #expect(value.json == json)
        for mutation in octets.mutations {
            guard let other = try? SCControlPoint(octets: mutation[...]) else {
                #expect(mutation.isEmpty)
                continue
            }
            #expect(other.octets == mutation)
            #expect(other.json.hasPrefix("{"))
        }
    }

    @Test(
        arguments: [
            [1], [1, 0, 0, 0], [1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0], [16], [16, 1], [16, 1, 0], [16, 1, 5],
        ] as [[UInt8]])
    func `Other octets have only an Op Code`(octets: [UInt8]) throws {
        let value = try SCControlPoint(octets: octets[...])
        #expect(value.cumulativeValue == nil)
        #expect(value.response == nil)
        #expect(value.json == "{\"op_code\": \(octets[0])}")
    }
}
