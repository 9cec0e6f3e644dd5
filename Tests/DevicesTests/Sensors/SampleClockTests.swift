import Basics
import Devices
import Testing

@Suite struct SampleClockTests {
    @Test(
        arguments: [
            (500, 0, 0, 0), (500, 0, 1, 2_000_000), (500, 0, 500, 1_000_000_000), (130, 0, 1, 7_692_307),
            (130, 0, 2, 15_384_615), (130, 0, 130, 1_000_000_000), (130, 0, 130_000_000_001, 1_000_000_000_007_692_307),
            (500, 20, 500_010, 1_000_000_000_000), (500, -1000, 999, 2_000_000_000), (0, 0, 3, 3_000_000_000),
            (500, 0, -5, 0),
        ] as [(Int, Int, Int64, Int64)])
    func `A sample and its instant`(hertz: Int, partsPerMillion: Int, index: Int64, nanoseconds: Int64) {
        let clock = SampleClock(hertz: hertz, partsPerMillion: partsPerMillion)
        #expect(clock.instant(of: index).nanoseconds == nanoseconds)
    }

    @Test(arguments: [(500, 0), (500, 37), (130, 0), (1, -100_000), (100_000, 100_000), (333, -999)])
    func `Samples are counted at their instants`(hertz: Int, partsPerMillion: Int) {
        let clock = SampleClock(hertz: hertz, partsPerMillion: partsPerMillion)
        for index in [0, 1, 2, 499, 500, 12345, 4_294_967_295, 8_000_000_000] as [Int64] {
            let instant = clock.instant(of: index)
            #expect(clock.count(until: instant) == index + 1)
            #expect(clock.count(until: instant.advanced(byNanoseconds: -1)) == index)
        }
    }

    @Test func `Extreme sample numbers and instants`() {
        let clock = SampleClock(hertz: 1)
        #expect(clock.instant(of: .max) == .never)
        #expect(clock.instant(of: 9_223_372_037) == .never)
        #expect(clock.count(until: Instant(nanoseconds: -1)) == 0)
        #expect(clock.count(until: .never) == 9_223_372_037)
    }

    @Test func `Heart rates are sampled until the curve stops`() {
        var samples = HeartRateSamples(Signal(.list([62.4, 300, 70000], period: .milliseconds(4), then: .stop)))
        var values: [UInt16] = []
        samples.take(0..<10, into: &values)
        #expect(values == [62, 62, 300, 300, 65535, 65535])
        #expect(samples.saturated == 70000)
        samples.take(1..<3, into: &values)
        #expect(values == [62, 300])
        #expect(samples.saturated == nil)
        samples.take(6..<9, into: &values)
        #expect(values == [])
        samples.rate.set(Signal(80), at: Instant(nanoseconds: 14_000_000))
        samples.take(5..<9, into: &values)
        #expect(values == [65535])
        samples.take(7..<9, into: &values)
        #expect(values == [80, 80])
        samples.take(-2..<1, into: &values)
        #expect(values == [])
    }

    @Test func `A walk with the period of the samples has one step per sample`() {
        let walk = Curve.walk(start: 62, by: 2, period: .milliseconds(2), range: 45...120)
        var (whole, parts) = (HeartRateSamples(Signal(walk, seed: 3)), HeartRateSamples(Signal(walk, seed: 3)))
        var (values, portion, joined): ([UInt16], [UInt16], [UInt16]) = ([], [], [])
        whole.take(0..<50_000, into: &values)
        var next: Int64 = 0
        while next < 50_000 {
            let end = min(50_000, next + 118)
            parts.take(next..<end, into: &portion)
            joined += portion
            next = end
        }
        #expect(joined == values)
        #expect(values.allSatisfy { 45...120 ~= $0 } && Set(values).count > 60)
    }
}
