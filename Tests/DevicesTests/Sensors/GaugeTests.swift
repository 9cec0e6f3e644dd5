import Basics
import Testing

@testable import Devices

@Suite struct GaugeTests {
    private static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test func `A resumed curve continues from its own start`() {
        let step = Signal(.step(start: 100, by: 1, period: .seconds(1)))
        var gauge = Gauge(Signal(1))
        gauge.set(step, at: Self.at(10))
        gauge.set(Signal(7), at: Self.at(20))
        gauge.set(nil, at: Self.at(25))
        gauge.set(step, at: Self.at(25), begun: Self.at(10))
        #expect([9, 10, 19.5, 20, 25, 30].map { gauge.value(at: Self.at($0)) } == [1, 100, 109, 7, 115, 120])
    }

    @Test func `Only data that is no longer needed is discarded`() {
        var gauge = Gauge(Signal(0))
        for second in 1...100 { gauge.set(Signal(Double(second)), at: Self.at(Double(second))) }
        gauge.forget(before: Self.at(97.5))
        #expect(gauge.remembered == 4)
        #expect([97.5, 98, 99.5, 1000].map { gauge.value(at: Self.at($0)) } == [97, 98, 99, 100])
        gauge.set(nil, at: Self.at(101))
        gauge.forget(before: Self.at(101))
        #expect(gauge.remembered == 0)
        #expect(gauge.value(at: Self.at(102)) == 0)
    }

    /// As a rule makes that acts each microsecond.
    @Test(.timeLimit(.minutes(30)))
    func `The cost of a change does not depend on how many others come between two samples`() {
        var gauge = Gauge(Signal(0))
        for tick in 1...400_000 as ClosedRange<Int64> {
            gauge.set(Signal(1), at: Instant(nanoseconds: 1000 * tick))
            gauge.forget(before: .start)
            if gauge.value(at: .start) != 0 { Issue.record("a later change matters") }
        }
        #expect(gauge.nextChange(after: .start) == Instant(nanoseconds: 1000))
    }

    @Test func `A heart and its energy remember few changes`() {
        var (heart, energy) = (Heart(rate: Signal(60)), Energy(Gauge(Signal(150))))
        for tick in 1...10_000 {
            let instant = Self.at(Double(tick) / 20)
            heart.beats(until: instant) { _ in }
            heart.setRate(Signal(Double(60 + tick % 100)), at: instant)
            energy.setRate(tick % 2 == 0 ? nil : Signal(65535), at: instant, begun: nil)
        }
        #expect(heart.remembered <= 4)
        #expect(energy.remembered <= 22)
    }

    @Test func `Saturated energy counts again after a reset`() {
        var energy = Energy(Gauge(Signal(65535)))
        #expect(energy.kilojoules(at: Self.at(3600)) == 65535)
        energy.setRate(Signal(156), at: Self.at(7200), begun: nil)
        #expect(energy.kilojoules(at: Self.at(7200)) == 65535)
        energy.reset(at: Self.at(7200))
        // 100 beats a minute above 56 are 63.1 kJ a minute.
        #expect(energy.kilojoules(at: Self.at(7260)) == 63)
    }
}
