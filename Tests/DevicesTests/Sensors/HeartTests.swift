import Basics
import Devices
import Testing

@Suite struct HeartTests {
    private static func beats(_ heart: inout Heart, until seconds: Int, every step: Int64 = 1_000_000_000) -> [Int64] {
        var beats: [Int64] = []
        var now: Int64 = 0
        let end = Int64(seconds) * 1_000_000_000
        while now < end {
            now = min(end, now + step)
            heart.beats(until: Instant(nanoseconds: now)) { beats.append($0.nanoseconds) }
        }
        return beats
    }

    private static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test(
        arguments: [
            (-5, 0), (0, 0), (0.4, 0), (0.5, 1), (71.6, 72), (255, 255), (256, 256), (300, 300), (65535, 65535),
            (1e9, 65535), (.nan, 0),
        ] as [(Double, UInt16)])
    func `The curve is reported`(rate: Double, bpm: UInt16) {
        var heart = Heart(rate: Signal(rate))
        for second in 0..<10 { #expect(heart.bpm(at: Self.at(Double(second))) == bpm) }
    }

    @Test func `A stopped curve has no rate and no beats`() {
        var heart = Heart(rate: Signal(.list([60], period: .seconds(3), then: .stop)), variability: .none)
        #expect(Self.beats(&heart, until: 10) == [1_000_000_000, 2_000_000_000])
        #expect(heart.bpm(at: Self.at(2.9)) == 60)
        #expect(heart.bpm(at: Self.at(3)) == nil)
    }

    @Test(arguments: [30, 72, 180, 255, 300, 1000, 65535])
    func `The mean rate is that of the curve`(rate: Double) {
        for variability in [Heart.Variability.none, .resting] {
            var heart = Heart(rate: Signal(rate), seed: 5, variability: variability)
            let count = Self.beats(&heart, until: 600).count
            #expect(abs(Double(count) - 10 * rate) <= 1)
        }
    }

    @Test(arguments: [0, -1, .nan] as [Double])
    func `A rate of 0 has no beats`(rate: Double) {
        var heart = Heart(rate: Signal(rate))
        #expect(Self.beats(&heart, until: 100).isEmpty)
    }

    @Test func `Intervals agree with the rate`() {
        var heart = Heart(rate: Signal(72), seed: 5)
        let beats = Self.beats(&heart, until: 600)
        let intervals = zip(beats.dropFirst(), beats).map { Double($0 - $1) / 1e6 }
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        let deviation = (intervals.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(intervals.count))
            .squareRoot()
        #expect(abs(mean - 60000 / 72) < 0.2)
        #expect((25...40).contains(deviation))
        #expect(intervals.allSatisfy { abs($0 - mean) < 0.12 * mean })
    }

    @Test(arguments: [(100, 0, 15.0), (0, 100, 6.0)])
    func `Respiration varies the beats 15 times per minute, and Mayer waves 6 times`(
        respiration: Int, mayer: Int, turns: Double
    ) {
        let variability = Heart.Variability(respiration: respiration, noise: 0, mayer: mayer)
        var heart = Heart(rate: Signal(75), variability: variability)
        // an even heart beats each 0.8 s; these stray by up to a tenth of that
        let strays = Self.beats(&heart, until: 600).enumerated()
            .map { Double($1) / 1e9 - 0.8 * Double($0 + 1) }
        #expect(strays.allSatisfy { $0.magnitude < 0.0801 })
        #expect((strays.max() ?? 0) > 0.07 && (strays.min() ?? 0) < -0.07)
        let crossings = zip(strays, strays.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(Double(crossings) - 10 * turns) <= 2)
    }

    @Test func `Beats do not depend on how they are taken`() {
        let curve = Curve.walk(start: 62, by: 5, period: .milliseconds(300), range: 50...180)
        var (coarse, fine) = (
            Heart(rate: Signal(curve, seed: 1), seed: 1), Heart(rate: Signal(curve, seed: 1), seed: 1)
        )
        var other = Heart(rate: Signal(curve, seed: 1), seed: 2)
        let beats = Self.beats(&coarse, until: 120, every: 120_000_000_000)
        #expect(Self.beats(&fine, until: 120, every: 7_654_321) == beats)
        #expect(Self.beats(&other, until: 120) != beats)
    }

    @Test(
        arguments: [
            .walk(start: 62, by: 5, period: .milliseconds(300), range: 50...180), .constant(65535), .constant(1001),
            .list([65535, 0, 70, 3000.5, 999], period: .milliseconds(700), then: .repeat),
        ] as [Curve])
    func `Skipped beats do not affect later ones`(curve: Curve) {
        for end in [0, 1, 124_999_999, 60_000_000_001, 77_123_456_789] as [Int64] {
            var (all, some) = (Heart(rate: Signal(curve), seed: 3), Heart(rate: Signal(curve), seed: 3))
            let beats = Self.beats(&all, until: 80)
            #expect(some.skipBeats(until: Instant(nanoseconds: end)) == (end >= 125_000_000))
            let rest = Self.beats(&some, until: 80)
            #expect(rest == beats.suffix(rest.count) && rest.count >= beats.count { $0 >= end })
            #expect(rest.count < beats.count || end < 125_000_000)
        }
    }

    @Test func `Skipping a day of very fast beats is not slower`() {
        func pass(_ rate: Double) -> Duration {
            var heart = Heart(rate: Signal(rate))
            return ContinuousClock().measure { _ = heart.skipBeats(until: Self.at(86400)) }
        }
        #expect(pass(65535) < pass(72) * 4 + .milliseconds(100))
    }

    @Test func `A rate is overridden and restored`() {
        let curve = Curve.ramp(start: 60, end: 120, over: .seconds(60))
        var heart = Heart(rate: Signal(curve), variability: .none)
        var untouched = Signal(curve)
        heart.setRate(Signal(.list([300, 0], period: .seconds(5))), at: Self.at(10.3))
        heart.setRate(nil, at: Self.at(20.05))
        let beats = Self.beats(&heart, until: 30)
        #expect(heart.bpm(at: Self.at(10.299)) == 70)
        #expect(heart.bpm(at: Self.at(10.3)) == 300)
        #expect(heart.bpm(at: Self.at(15.3)) == 0)
        #expect(heart.bpm(at: Self.at(20.05)) == untouched.value(at: .milliseconds(20050)).map { UInt16($0.rounded()) })
        #expect(abs(beats.count { (10_300_000_000..<15_300_000_000).contains($0) } - 25) <= 1)
        #expect(beats.count { (15_300_000_000..<20_050_000_000).contains($0) } == 0)
        #expect(abs(beats.count { $0 >= 20_050_000_000 } - 14) <= 1)
    }

    @Test func `A change applies from its instant, whether or not earlier beats were taken`() {
        func beats(_ step: Int64, changedAt now: Bool) -> [Int64] {
            var heart = Heart(rate: Signal(60), seed: 4)
            var beats: [Int64] = []
            if now { heart.beats(until: Self.at(10.31)) { beats.append($0.nanoseconds) } }
            heart.setRate(Signal(200), at: Self.at(10.31))
            for tick in 1...Int64(20_000_000_000 / step) {
                heart.beats(until: Instant(nanoseconds: tick * step)) { beats.append($0.nanoseconds) }
            }
            return beats
        }
        #expect(beats(1_000_000_000, changedAt: true) == beats(1_000_000_000, changedAt: false))
        #expect(beats(1_000_000_000, changedAt: true) == beats(10_000_000, changedAt: false))
    }

    @Test func `The same beats on every machine`() {
        let curve = Curve.sum([
            .walk(start: 62, by: 2, period: .seconds(1), range: 50...180),
            .sine(mean: 0, amplitude: 5, period: .seconds(60)),
        ])
        var heart = Heart(rate: Signal(curve, seed: 7), seed: 7)
        let digest = Self.beats(&heart, until: 600).reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        #expect(digest == 13_720_239_101_125_765_198)
    }

    // MARK: Energy

    @Test(
        arguments: [
            (56, 3600, 0), (120, 60, 40), (120, 3600, 2423), (30, 3600, 0), (65535, 60, 41317), (65535, 100, 65535),
            (65535, 100_000, 65535),
        ] as [(Double, Int, UInt16)])
    func `Power`(rate: Double, seconds: Int, kilojoules: UInt16) {
        var heart = Heart(rate: Signal(rate))
        #expect(heart.kilojoules(at: Self.at(Double(seconds))) == kilojoules)
        #expect(heart.kilojoules(at: Self.at(Double(seconds))) == kilojoules)
    }

    @Test func `Energy does not depend on how often it is read`() {
        let curve = Curve.ramp(start: 60, end: 180, over: .seconds(600))
        var (often, once) = (Heart(rate: Signal(curve)), Heart(rate: Signal(curve)))
        for step in 0..<5000 { _ = often.kilojoules(at: Self.at(Double(step) * 0.1)) }
        #expect(often.kilojoules(at: Self.at(500)) == once.kilojoules(at: Self.at(500)))
        once.resetEnergy(at: Self.at(500.5))
        #expect(once.kilojoules(at: Self.at(500.5)) == 0)
        // 160 to 180 beats a minute for 99.5 s: 114 × 631 J a minute
        #expect(once.kilojoules(at: Self.at(600)) == 119)
    }
}
