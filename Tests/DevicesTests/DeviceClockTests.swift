import Basics
import Characteristics
import Services
import Testing

@testable import Devices

/// The clock that a device's sensors go by.
@Suite struct DeviceClockTests {
    private static func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }

    @Test func `Without a drift it is the clock of the simulation`() {
        var clock = DeviceClock()
        clock.drift(by: 0, from: at(5))
        for instant in [Instant.start, at(1), at(1e6), .never] {
            #expect(clock.time(at: instant) == instant)
            #expect(clock.instant(of: instant) == instant)
        }
    }

    static let drifts: [(ppm: Double, after100s: Double)] = [
        (100, 100.01), (-100, 99.99), (1000, 100.1), (-1000, 99.9), (0.5, 100.00005), (1e9, 100.1), (-.infinity, 99.9),
    ]

    @Test(arguments: drifts) func `It gains, and keeps what it has gained`(ppm: Double, after100s: Double) {
        var clock = DeviceClock()
        clock.drift(by: ppm, from: at(10))
        #expect(clock.time(at: at(10)) == at(10))
        #expect(clock.time(at: at(110)) == at(10 + after100s))
        clock.drift(by: 0, from: at(110))
        #expect(clock.time(at: at(110)) == at(10 + after100s))
        #expect(clock.time(at: at(210)) == at(110 + after100s))
        // Earlier times do not change.
        #expect(clock.time(at: at(5)) == at(5))
        #expect(clock.time(at: at(60)) == at(10 + after100s / 2))
    }

    @Test func `It begins anew, and drifts as before`() {
        var clock = DeviceClock()
        clock.drift(by: 1000, from: at(10))
        clock.restart(at: at(110))
        #expect(clock.time(at: at(110)) == .start && clock.time(at: at(210)) == at(100.1))
        #expect(clock.instant(of: at(100.1)) == at(210) && clock.instant(of: .never) == .never)
    }

    @Test func `Two changes at an instant are one`() {
        var clock = DeviceClock()
        clock.drift(by: 500, from: at(1))
        clock.drift(by: 0, from: at(1))
        clock.drift(by: -500, from: at(1))
        #expect(clock.time(at: at(1001)) == at(1000.5))
    }

    /// Never back, never a jump; and an instant that was asked for is late enough, and not later than it must be.
    @Test func `It never jumps or goes back, however often it changes`() {
        var clock = DeviceClock()
        var chance = RandomStream(seed: 1)
        var (now, last) = (Instant.start, Instant.start)
        for _ in 0..<1000 {
            let step = Int64(chance.below(3_000_000))
            now = now.advanced(byNanoseconds: step)
            let shows = clock.time(at: now)
            #expect(shows >= last)
            #expect(abs(last.duration(to: shows).inNanoseconds - step) <= step / 1000 + 2)
            last = shows
            clock.drift(by: Double(Int64(chance.below(2001)) - 1000), from: now)
            #expect(clock.time(at: now) == shows)
            let wanted = shows.advanced(byNanoseconds: Int64(chance.below(5_000_000)))
            let due = clock.instant(of: wanted)
            #expect(clock.time(at: due) >= wanted)
            #expect(clock.time(at: due.advanced(byNanoseconds: -1)) < wanted || due == now)
        }
        #expect(clock.time(at: .never) == .never)
        #expect(clock.instant(of: .never) == .never)
        #expect(clock.time(at: Instant(nanoseconds: .max - 1)).nanoseconds > 0)
    }

    @Test func `Periods and samples follow it`() throws {
        var strap = try Wearer(.constant(60)) { _ in }
        strap.device.drift(by: 1000, at: .start)
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        let times = strap.notified(until: at(100)).map(\.time.nanoseconds)
        #expect(times.count == 100)  // 100.1 s have passed there
        #expect(times.first == 999_001_000)  // 1 s / 1.001, rounded up
        strap.device.drift(by: 0, at: at(100))
        let next = try #require(strap.notified(until: at(101)).first)
        #expect(next.time == at(100.9))  // its 101 s
    }

    @Test func `Of 500 samples in a second there are 500,050 in 1000 s`() throws {
        var patch = try Wearer(.measurements(.constant(60), rate: 500))
        patch.device.drift(by: 100, at: .start)
        patch.device.didSubscribe(to: 0x0010, at: .start)
        let frames = patch.notified(until: at(1000), mtu: 247)
        let last = try #require(frames.last)
        let header = try HeartRateFrame.read(last.octets[...]) { _ in }
        #expect((499_940...500_050).contains(Int(header.index) + Int(header.count)))
        #expect(Int(header.index) + Int(header.count) > 500_000 - 120 + 50)
    }

    @Test func `A curve that comes back has gone on by the device's clock`() throws {
        var strap = try Wearer(.constant(60)) { _ in }
        strap.device.drift(by: 1000, at: .start)
        let part = DeviceValue(service: 0, .heartRate)
        let ramp = Signal(.step(start: 100, by: 1, period: .seconds(1)))
        try strap.set(part, to: ramp, at: at(1), begun: at(1))
        // At 1000 s its clock shows 1001 s, and 1.001 s when the curve began.
        #expect(strap.device.number(of: part, at: at(999.999)) == 1099)
        #expect(strap.device.number(of: part, at: at(1000.01)) == 1100)
        strap.device.drift(by: 0, at: at(1000.01))
        try strap.set(part, to: ramp, at: at(1000.01), begun: at(1))
        #expect(strap.device.number(of: part, at: at(1000.02)) == 1100)
    }
}
