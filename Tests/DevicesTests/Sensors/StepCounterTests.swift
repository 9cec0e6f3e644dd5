import Basics
import Testing

@testable import Devices

@Suite struct StepCounterTests {
    private static func at(_ hours: Double) -> Instant { Instant(nanoseconds: Int64(hours * 3600e9)) }

    @Test(
        arguments: [
            (0, 0, 0, 0), (6, 2400, 2400, 2000), (24, 9600, 0, 9200), (25, 10000, 400, 0),
            (47.9975, 19199, 9599, 9199),
            (48, 19200, 0, 9200), (49, 19600, 400, 0),
        ] as [(Double, UInt32, UInt32, UInt32)])
    func `A straight line, read at midnight and at other starts of the day`(
        hours: Double, total: UInt32, today: UInt32, fromOne: UInt32
    ) {
        let line = Curve.ramp(start: 0, end: 96000, over: .seconds(864_000))
        var counter = StepCounter(line)
        #expect(counter.total(at: Self.at(hours)) == total)
        #expect(counter.today(at: Self.at(hours)) == today)
        var other = StepCounter(line, dailyReset: .seconds(3600))
        #expect(other.today(at: Self.at(hours)) == fromOne)
    }

    @Test func `A month of days, read at noon and just before midnight`() {
        let totals: [Double] = [8124, 0, 10000, 9999, 20411, 12005]
        var counter = StepCounter(.days(totals, profile: .waking))
        var sum: UInt32 = 0
        for day in 0..<31 {
            let steps = UInt32(totals[day % totals.count])
            let noon = counter.today(at: Self.at(Double(day) * 24 + 12))
            #expect(noon == steps * 5 / 16)
            let end = counter.today(at: Self.at(Double(day) * 24 + 23.9999))
            #expect(end == steps)
            sum += steps
            #expect(counter.total(at: Self.at(Double(day) * 24 + 24)) == sum)
        }
    }

    @Test func `Days follow the calendar if a simulation starts in the afternoon`() {
        let afternoon = WallClock(begins: 946_684_800 + 15 * 3600)
        var counter = StepCounter(.days([1600, 3200], profile: .waking), clock: afternoon)
        let reads = [0, 1, 8, 9, 9.5, 16, 17, 33].map { hours in
            [counter.total(at: Self.at(hours)), counter.today(at: Self.at(hours))]
        }
        #expect(
            reads == [[0, 0], [100, 100], [800, 800], [800, 0], [800, 0], [800, 0], [1000, 200], [4000, 0]])
    }

    @Test func `An overridden count is never negative`() {
        var counter = StepCounter(.constant(500))
        #expect(counter.today(at: Self.at(1)) == 0)
        counter.set(Signal(.step(start: 400, by: 10, period: .seconds(3600))), at: Self.at(2))
        #expect(counter.total(at: Self.at(4)) == 420)
        #expect(counter.today(at: Self.at(4)) == 0)
        #expect(counter.today(at: Self.at(26)) == 20)
        counter.set(nil, at: Self.at(30))
        #expect(counter.total(at: Self.at(30)) == 500)
    }

    @Test func `Repeated overrides are discarded once obsolete`() {
        var counter = StepCounter(.constant(500))
        for minute in 0..<(30 * 60) {
            counter.set(Signal(Double(1000 + minute)), at: Self.at(Double(minute) / 60))
            #expect(counter.remembered <= 2)
        }
        #expect(counter.total(at: Self.at(31)) == 2799)
        #expect(counter.today(at: Self.at(31)) == 359)
        counter.set(nil, at: Self.at(32))
        #expect(counter.remembered == 0)
        #expect(counter.today(at: Self.at(47)) == 0)
    }

    @Test(arguments: [(-5, 0), (1e300, .max), (.nan, 0), (4211.9, 4211)] as [(Double, UInt32)])
    func `Counts saturate`(value: Double, count: UInt32) {
        var counter = StepCounter(.constant(value))
        #expect(counter.total(at: .start) == count)
    }

    @Test func `A stopped curve has no count`() {
        var counter = StepCounter(.list([7], period: .seconds(60), then: .stop))
        #expect(counter.total(at: Self.at(0)) == 7)
        #expect(counter.total(at: Self.at(1)) == nil)
        #expect(counter.today(at: Self.at(1)) == nil)
    }

    // MARK: The clock

    @Test func `Skipping advances the sensors' clock`() {
        var clock = WallClock()
        #expect(clock.seconds(at: clock.sensorTime(at: Self.at(1))) == 946_684_800 + 3600)
        clock.skip(by: .seconds(86400))
        clock.skip(by: .seconds(-5))
        #expect(clock.sensorTime(at: Self.at(1)) == Self.at(25))
        #expect(clock.seconds(at: clock.sensorTime(at: Self.at(1))) == 946_684_800 + 90000)
        clock.skip(by: .seconds(Int64.max))
        #expect(clock.sensorTime(at: Self.at(1)) == .never)
        #expect(clock.seconds(at: .never) == 946_684_800 + 9_223_372_036)
    }

    @Test(
        arguments: [
            (0, 0, 5, 0), (0, 0, 24, 24), (0, 0, 23.99, 0), (0, 0, 49, 48), (15, 0, 8.99, 0), (15, 0, 9, 9),
            (15, 0, 40, 33), (15, 4, 12, 0), (15, 4, 13, 13), (3, 4, 1, 1), (3, 4, 0.5, 0), (0, 28, 5, 4),
            (0, -20, 5, 4),
        ] as [(Int, Int, Double, Double)])
    func `Starts of days`(begins: Int, reset: Int, hours: Double, began: Double) {
        let clock = WallClock(begins: 946_684_800 + Int64(begins) * 3600)
        #expect(clock.dayBegan(before: Self.at(hours), at: .seconds(reset * 3600)) == Self.at(began))
    }

    @Test func `A clock before 1970`() {
        let clock = WallClock(begins: -3600)
        #expect(clock.startOfDay == .seconds(82800))
        #expect(clock.dayBegan(before: Self.at(2)) == Self.at(1))
        #expect(clock.dayBegan(before: .never) == .start)
    }
}
