import Basics
import Testing

@testable import Drivers

@Suite struct WorldClockTests {
    private static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// The messages of a clock whose world needs `cost` seconds for each second of its time, in turns of 0.1 s from
    /// 100 s to `end`; and the world's time at the end.
    private static func messages(cost: Double, until end: Double, speed: Double = 1) -> ([String], Double) {
        var clock = WorldClock(speed: speed)
        clock.start(at: instant(100))
        var (now, played) = (100.0, 0.0)
        var messages: [String] = []
        while now < end {
            let target = clock.time(at: instant(now)).sinceStart / .seconds(1)
            played = min(target, played + 0.1 * speed / cost)
            let lag = Duration.seconds(target - played)
            if let message = clock.note(lag: lag, at: instant(now)) { messages.append(message) }
            now += 0.1 * speed
        }
        return (messages, played)
    }

    @Test func `A machine that keeps up plays in real time, without messages`() {
        let (messages, played) = Self.messages(cost: 0.5, until: 160)
        #expect(messages == [])
        #expect(abs(played - 60) < 0.2)
    }

    @Test(arguments: [1.0, 20]) func `A machine that needs twice the time is reported every 10 s`(speed: Double) {
        let (messages, played) = Self.messages(cost: 2, until: 100 + 35 * speed, speed: speed)
        #expect(
            messages
                == Array(
                    repeating: "this machine cannot keep up: the devices' time runs at 50 % of real time", count: 4))
        #expect(abs(played / speed - 17.5) < 0.5)
    }

    @Test func `A machine that stopped for 20 s stops the devices' time`() {
        var clock = WorldClock(speed: 1)
        clock.start(at: Self.instant(5))
        let early = clock.note(lag: .zero, at: Self.instant(6))
        let late = clock.note(lag: .milliseconds(19_900), at: Self.instant(26))
        #expect(early == nil)
        #expect(late == "this machine stopped for 20.0 s, and so did the devices' time")
        #expect(clock.time(at: Self.instant(26)) == Self.instant(1.1))
        #expect(clock.loopTime(of: Self.instant(1.1)) == Self.instant(26))
    }

    @Test func `A short lag is made up for`() {
        var clock = WorldClock(speed: 1)
        clock.start(at: .start)
        let message = clock.note(lag: .seconds(0.9), at: Self.instant(10))
        #expect(message == nil)
        #expect(clock.time(at: Self.instant(10)) == Self.instant(10))
    }
}
