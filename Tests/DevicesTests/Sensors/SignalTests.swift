import Testing

@testable import Devices

@Suite struct SignalTests {
    /// A curve, a number of seconds (or hours) between two questions, and what is answered.
    static let tables: [(Curve, every: Duration, answers: [Double?])] = [
        (.constant(300), .seconds(1), [300, 300]),
        (.list([1, 2], period: .seconds(2)), .seconds(1), [1, 1, 2, 2, 2, 2]),
        (.list([1, 2], period: .seconds(1), then: .repeat), .seconds(1), [1, 2, 1, 2, 1]),
        (.list([1, 2], period: .seconds(1), then: .stop), .seconds(1), [1, 2, nil, nil]),
        (.list([], period: .seconds(1)), .seconds(1), [nil]),
        (.list([], period: .zero, then: .repeat), .seconds(1), [nil]),
        (.ramp(start: 60, end: 80, over: .seconds(4)), .seconds(1), [60, 65, 70, 75, 80, 80]),
        (.ramp(start: 60, end: 80, over: .zero), .seconds(1), [60, 80]),
        (.step(start: 10, by: -3, period: .seconds(2)), .seconds(1), [10, 10, 7, 7, 4]),
        (.sine(mean: 70, amplitude: 10, period: .seconds(4)), .seconds(1), [70, 80, 70, 60, 70]),
        (.walk(start: 9, by: 0, period: .seconds(1), range: 0...5), .seconds(1), [5, 5]),
        (
            .pieces([
                .init(.ramp(start: 0, end: 10, over: .seconds(2)), for: .seconds(2)),
                .init(.list([7, 8], period: .seconds(1)), for: .seconds(2)),
            ]), .seconds(1), [0, 5, 7, 8, nil]
        ),
        (.pieces([.init(.constant(1), for: .seconds(1)), .init(.constant(2))]), .seconds(1), [1, 2, 2]),
        (.pieces([]), .seconds(1), [nil]),
        (.days([24, 0, 48]), .seconds(6 * 3600), [0, 6, 12, 18, 24, 24, 24, 24, 24, 36, 48, 60, 72, 78]),
        (.days([16], profile: .waking), .seconds(5 * 3600), [0, 0, 3, 8, 13, 16, 16]),
        (.days([]), .seconds(3600), [0, 0]),
        (.samples([.init(at: .seconds(1), 5), .init(at: .seconds(3), 6)]), .seconds(1), [5, 5, 5, 6, 6]),
        (.samples([]), .seconds(1), [nil]),
        (
            .sum([.constant(1), .list([10, 20], period: .seconds(1), then: .stop)]), .seconds(1), [11, 21, nil]
        ),
    ]

    @Test(arguments: tables)
    func `A curve and its values`(curve: Curve, every: Duration, answers: [Double?]) {
        var signal = Signal(curve)
        for (index, answer) in answers.enumerated() {
            let value = signal.value(at: every * index)
            #expect((value == nil) == (answer == nil), "at \(every * index)")
            if let value, let answer { #expect(abs(value - answer) < 1e-8, "at \(every * index)") }
        }
        // and asked backwards
        for (index, answer) in answers.enumerated().reversed() {
            #expect((signal.value(at: every * index) == nil) == (answer == nil))
        }
        #expect(signal.value(at: .seconds(-1)) == signal.value(at: .zero))
    }

    static let walking = Curve.walk(start: 62, by: 2, period: .seconds(1), range: 50...180)

    @Test func `A walk does not depend on earlier queries`() {
        var often = Signal(Self.walking, seed: 7)
        let values = (0..<1000).map { often.value(at: .milliseconds(250 * $0)) }
        for index in [999, 0, 500, 501, 3, 998] {
            var once = Signal(Self.walking, seed: 7)
            #expect(once.value(at: .milliseconds(250 * index)) == values[index])
            #expect(often.value(at: .milliseconds(250 * index)) == values[index])
        }
        var other = Signal(Self.walking, seed: 8)
        #expect((0..<1000).map { other.value(at: .milliseconds(250 * $0)) } != values)
    }

    @Test func `A walk stays within its range and step size`() throws {
        var signal = Signal(.walk(start: 51, by: 2, period: .seconds(1), range: 50...55), seed: 3)
        var last = 51.0
        var seen = (least: 55.0, most: 50.0)
        for second in 0..<2000 {
            let next = signal.value(at: .seconds(second))
            let value = try #require(next)
            #expect((50...55).contains(value))
            #expect(abs(value - last) <= 2)
            last = value
            seen = (min(seen.least, value), max(seen.most, value))
        }
        #expect(seen.least < 50.1 && seen.most > 54.9)
    }

    static let ticking = Curve.walk(start: 62, by: 2, period: .milliseconds(1), range: 45...120)

    /// Where one block of steps ends and the next begins, on each of the levels.
    @Test(arguments: [1, 2, 7, 1 << 16, 3 << 16, 1 << 26] as [Int64])
    func `A walk is continuous across blocks, in any order of queries`(block: Int64) throws {
        var signal = Signal(Self.ticking, seed: 7)
        let steps = (block << 16) - 1000...(block << 16) + 1000
        let values = steps.map { signal.value(at: .milliseconds($0)) ?? .nan }
        for (value, next) in zip(values, values.dropFirst()) {
            #expect((45...120).contains(next) && abs(next - value) <= 2)
        }
        #expect(Set(values).count > 1900)
        for place in [0, 1000, 999, 1001, 2000, 1000] {
            var other = Signal(Self.ticking, seed: 7)
            #expect(other.value(at: .milliseconds(steps.lowerBound + Int64(place))) == values[place])
            #expect(signal.value(at: .milliseconds(steps.lowerBound + Int64(place))) == values[place])
        }
    }

    @Test func `A walk is the same stepwise and with jumps`() {
        var (walked, jumped) = (Signal(Self.ticking, seed: 7), Signal(Self.ticking, seed: 7))
        var last: Double?
        for step in 0...400_000 as ClosedRange<Int64> { last = walked.value(at: .milliseconds(step)) }
        #expect(jumped.value(at: .milliseconds(400_000)) == last)
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: [
            (2, 45...120), (0, 45...120), (1e-9, 45...120), (1e300, 45...120), (200, 45...120),
            (2, -1e308...1e308), (.greatestFiniteMagnitude, -1e308...1e308),
        ] as [(Double, ClosedRange<Double>)])
    func `A walk over years of nanoseconds is fast and within its range`(
        by: Double, range: ClosedRange<Double>
    ) throws {
        var signal = Signal(.walk(start: 62, by: by, period: .nanoseconds(1), range: range), seed: 3)
        for time in [Int64.max, Int64.max - 1, 1 << 48, 1, 1 << 62, 0] {
            let place = signal.value(atNanoseconds: time)
            #expect(range.contains(try #require(place)))
        }
        #expect(signal.value(atNanoseconds: 0) == 62)
    }

    @Test(arguments: [.nanoseconds(1), .microseconds(1), .microseconds(999)] as [Duration])
    func `A walk with a very short period takes at most one step per millisecond`(period: Duration) throws {
        var signal = Signal(.walk(start: 62, by: 2, period: period, range: 45...120), seed: 7)
        var places: Set<Double> = []
        for second in 0..<60 {
            let value = signal.value(at: .seconds(second))
            let place = try #require(value)
            #expect((45...120).contains(place))
            places.insert(place)
        }
        #expect(places.count == 60)
        #expect(signal.computedSteps <= 60_000 + 4 << 16)
    }

    @Test func `A walk is evenly distributed in the long run`() {
        var signal = Signal(.walk(start: 62, by: 2, period: .milliseconds(1), range: 0...100), seed: 5)
        var tenths = Array(repeating: 0, count: 10)
        for hour in 1...500 { tenths[min(9, Int((signal.value(at: .seconds(3600 * hour)) ?? 0) / 10))] += 1 }
        #expect(tenths.allSatisfy { (25...80).contains($0) }, "\(tenths)")
    }

    @Test func `Two walks of a sum are independent`() {
        var pair = Signal(.sum([Self.walking, Self.walking]), seed: 7)
        var one = Signal(Self.walking, seed: 7)
        #expect(pair.value(at: .seconds(100)) != one.value(at: .seconds(100)).map { 2 * $0 })
    }

    @Test func `The same values on every machine`() {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        var signals = [
            Signal(Self.walking, seed: 7), Signal(.sine(mean: 36.6, amplitude: 0.4, period: .seconds(86400))),
            Signal(.ramp(start: 0, end: 6600, over: .seconds(3600))),
            Signal(.days([8124, 0, 10000], profile: .waking)),
        ]
        for step in 0..<1000 {
            for index in signals.indices {
                let bits = signals[index].value(at: .milliseconds(7919 * step))?.bitPattern ?? 0
                digest = (digest ^ bits) &* 0x100_0000_01B3
            }
        }
        #expect(digest == 14_353_230_992_418_453_782)
    }
}
