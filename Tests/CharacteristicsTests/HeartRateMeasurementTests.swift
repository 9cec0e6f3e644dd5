import Basics
import Characteristics
import Mutations
import Testing

@Suite struct HeartRateMeasurementTests {
    typealias Measurement = HeartRateMeasurement

    static let examples: [(Measurement, octets: [UInt8], json: String)] = [
        (Measurement(bpm: 72), [0x00, 0x48], #"{"bpm": 72, "contact": null}"#),
        (Measurement(bpm: 0), [0x00, 0x00], #"{"bpm": 0, "contact": null}"#),
        (Measurement(bpm: 255), [0x00, 0xFF], #"{"bpm": 255, "contact": null}"#),
        (Measurement(bpm: 256), [0x01, 0x00, 0x01], #"{"bpm": 256, "contact": null}"#),
        (Measurement(bpm: 300), [0x01, 0x2C, 0x01], #"{"bpm": 300, "contact": null}"#),
        (Measurement(bpm: 65535), [0x01, 0xFF, 0xFF], #"{"bpm": 65535, "contact": null}"#),
        (Measurement(bpm: 72, format: .uint16), [0x01, 0x48, 0x00], #"{"bpm": 72, "contact": null}"#),
        (Measurement(bpm: 72, contact: .notDetected), [0x04, 0x48], #"{"bpm": 72, "contact": false}"#),
        (Measurement(bpm: 72, contact: .detected), [0x06, 0x48], #"{"bpm": 72, "contact": true}"#),
        (
            Measurement(bpm: 72, contact: .detected, rrIntervals: [853]), [0x16, 0x48, 0x55, 0x03],
            #"{"bpm": 72, "contact": true, "rr_ms": [833.008]}"#
        ),
        (
            Measurement(bpm: 67, rrIntervals: [882, 906]), [0x10, 0x43, 0x72, 0x03, 0x8A, 0x03],
            #"{"bpm": 67, "contact": null, "rr_ms": [861.328, 884.766]}"#
        ),
        (
            Measurement(bpm: 72, energyExpended: 10), [0x08, 0x48, 0x0A, 0x00],
            #"{"bpm": 72, "contact": null, "energy_kj": 10}"#
        ),
        (
            Measurement(bpm: 72, energyExpended: 10, rrIntervals: [853]), [0x18, 0x48, 0x0A, 0x00, 0x55, 0x03],
            #"{"bpm": 72, "contact": null, "energy_kj": 10, "rr_ms": [833.008]}"#
        ),
        (
            Measurement(bpm: 300, contact: .detected, energyExpended: 65535, rrIntervals: [512]),
            [0x1F, 0x2C, 0x01, 0xFF, 0xFF, 0x00, 0x02],
            #"{"bpm": 300, "contact": true, "energy_kj": 65535, "rr_ms": [500]}"#
        ),
        (
            Measurement(bpm: 72, rrIntervals: [0, 1, 832, 1024, 65535]),
            [0x10, 0x48, 0x00, 0x00, 0x01, 0x00, 0x40, 0x03, 0x00, 0x04, 0xFF, 0xFF],
            #"{"bpm": 72, "contact": null, "rr_ms": [0, 0.977, 812.5, 1000, 63999.023]}"#
        ),
    ]

    @Test(arguments: examples)
    func `A measurement is encoded, decoded and written as JSON`(
        measurement: Measurement, octets: [UInt8], json: String
    ) throws {
        #expect(measurement.octets == octets)
        #expect(try Measurement(octets: octets) == measurement)
        #expect(measurement.json == json)
        var pool = PacketPool()
        var packet = pool.take([0x1B, 0x03, 0x00])
        measurement.append(to: &packet, in: &pool)
        #expect(pool.octets(of: packet) == [0x1B, 0x03, 0x00] + octets)
    }

    @Test(
        arguments: [
            // reserved flags: HRP/COL/HRF/BI-01-C
            ([0xE0, 0x48], Measurement(bpm: 72)),
            // surplus octets: HRP/COL/HRF/BI-02-C
            ([0x00, 0x48, 0x01, 0x02], Measurement(bpm: 72)),
            ([0x08, 0x48, 0x0A, 0x00, 0x55], Measurement(bpm: 72, energyExpended: 10)),
            // an odd octet after the last RR-Interval
            ([0x10, 0x48, 0x55, 0x03, 0x01], Measurement(bpm: 72, rrIntervals: [853])),
            // contact "detected", but not supported
            ([0x02, 0x48], Measurement(bpm: 72)),
        ] as [([UInt8], Measurement)])
    func `A client tolerates reserved flags and surplus octets`(octets: [UInt8], measurement: Measurement) throws {
        #expect(try Measurement(octets: octets) == measurement)
    }

    @Test(
        arguments: [
            ([], "octet 0: Flags needs 1 octet(s), and 0 are left"),
            ([0x00], "octet 1: Heart Rate Measurement Value needs 1 octet(s), and 0 are left"),
            ([0x01, 0x48], "octet 1: Heart Rate Measurement Value needs 2 octet(s), and 1 are left"),
            ([0x08, 0x48, 0x0A], "octet 2: Energy Expended needs 2 octet(s), and 1 are left"),
            ([0x10, 0x48], "octet 2: RR-Interval needs 2 octet(s), and 0 are left"),
            ([0x10, 0x48, 0x55], "octet 2: RR-Interval needs 2 octet(s), and 1 are left"),
            ([0x1F, 0x48], "octet 1: Heart Rate Measurement Value needs 2 octet(s), and 1 are left"),
        ] as [([UInt8], String)])
    func `Truncated values are rejected with the reason`(octets: [UInt8], complaint: String) {
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
        }
    }

    @Test(
        arguments: [
            (23, [9, 8, 8, 7]), (185, [90, 89, 89, 88]), (247, [121, 120, 120, 119]), (515, [255, 254, 254, 253]),
            (517, [255, 254, 254, 253]), (65535, [255, 254, 254, 253]), (5, [0, 0, 0, 0]), (0, [0, 0, 0, 0]),
        ] as [(Int, [Int])])
    func `The number of RR-Intervals depends on the MTU`(mtu: Int, counts: [Int]) {
        let measurements = [
            Measurement(bpm: 72), Measurement(bpm: 72, energyExpended: 0), Measurement(bpm: 300),
            Measurement(bpm: 72, format: .uint16, energyExpended: 0),
        ]
        #expect(measurements.map { $0.maximumRRIntervals(mtu: mtu) } == counts)
        for (measurement, count) in zip(measurements, counts) where count > 0 {
            var full = measurement
            full.rrIntervals = Array(repeating: 853, count: count)
            #expect(full.octets.count <= min(mtu - 3, 512))
            #expect(full.octets.count + 2 > min(mtu - 3, 512))
        }
    }
}
