import Basics
import Bluetooth
import Devices
import Services
import Testing

/// Lubdub's Fitness service.  The handles:
///
///     000E-0019  0100  0010 0101, 0011 CCCD, 0012 2901, 0014 0102, 0015 CCCD, 0016 2901, 0018 2A6E, 0019 2901
@Suite struct FitnessTests {
    private static let steps: UInt16 = 0x0010
    private static let today: UInt16 = 0x0014
    private static let temperature: UInt16 = 0x0018

    /// `clock` in seconds since 1970.
    private static func watch(
        _ steps: Curve? = nil, celsius: Curve? = nil, begins: Int64 = 946_684_800, dailyReset: Duration = .zero
    ) throws -> Wearer {
        let fitness = ConfiguredService.fitness(steps, temperature: celsius, dailyReset: dailyReset)
        var definition = PeripheralDefinition(name: "Watch", appearance: .heartRateBelt, services: [fitness])
        definition.clock = WallClock(begins: begins)
        return try Wearer(definition)
    }

    private static func count(_ octets: [UInt8]?) -> UInt32? {
        octets.map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    @Test(
        arguments: [
            (0.9, 0), (6600.9, 6600), (-1, 0), (4_294_967_295, .max), (4_294_967_296, .max), (1e300, .max),
            (.infinity, .max), (.nan, 0),
        ] as [(Double, UInt32)])
    func `Steps never wrap around`(wanted: Double, steps: UInt32) throws {
        var watch = try Self.watch(.constant(wanted))
        #expect(Self.count(watch.read(Self.steps)) == steps)
        #expect(watch.device.saturatedValues.isEmpty == (0...4_294_967_295).contains(wanted))
    }

    @Test(
        arguments: [
            (36.6, "4C 0E"), (-5, "0C FE"), (327.67, "FF 7F"), (400, "FF 7F"), (-300, "4D 95"), (1e300, "FF 7F"),
            (.nan, "00 80"),
        ] as [(Double, String)])
    func `A temperature is rounded to the nearest that can be encoded`(celsius: Double, octets: String) throws {
        var watch = try Self.watch(celsius: .constant(celsius))
        #expect(watch.answer(hex("08 0E 00 FF FF 03 28")) == hex("09 07 0F 00 02 10 00 6E 2A"))
        #expect(watch.read(0x0010) == hex(octets))
        #expect(watch.device.saturatedValues.isEmpty == (-273.15...327.67).contains(celsius))
    }

    @Test func `A temperature that has stopped is not known`() throws {
        var watch = try Self.watch(celsius: .list([36.6], period: .seconds(5), then: .stop))
        #expect(watch.read(0x0010, at: at(5)) == hex("00 80"))
    }

    @Test func `Steps are those of the instant at which they are read`() throws {
        var watch = try Self.watch(.ramp(start: 0, end: 3600, over: .seconds(3600)), celsius: .constant(36.6))
        for seconds in [0, 0.5, 1, 59.999, 3600, 7200] {
            #expect(Self.count(watch.read(Self.steps, at: at(seconds))) == UInt32(min(seconds, 3600)))
        }
        #expect(watch.read(Self.temperature, at: at(7200)) == hex("4C 0E"))
        #expect(watch.read(0x0012) == Array("Steps".utf8))
        #expect(watch.read(0x0016) == Array("Steps Today".utf8))
        #expect(watch.read(0x0019) == Array("Body Temperature".utf8))
    }

    /// 10,000 a day by the calendar; the simulation begins at 18:00 of the first, when 7500 have been made.
    @Test(
        arguments: [
            (0.0, 0, 0), (5, 2083, 2083), (6, 2500, 0), (12, 5000, 2500), (30, 12500, 0), (31, 12916, 416),
        ] as [(Double, UInt32, UInt32)])
    func `Steps of today count from midnight`(hours: Double, steps: UInt32, today: UInt32) throws {
        var watch = try Self.watch(.days([10000]), begins: 946_684_800 + 18 * 3600)
        #expect(Self.count(watch.read(Self.steps, at: at(hours * 3600))) == steps)
        #expect(Self.count(watch.read(Self.today, at: at(hours * 3600))) == today)
    }

    /// From 18:00 on, with a restart at 23:00: the counters begin at zero, and the day ends at midnight nevertheless.
    @Test func `A restart forgets the steps, and not the time`() throws {
        var watch = try Self.watch(.days([10000]), begins: 946_684_800 + 18 * 3600)
        #expect(Self.count(watch.read(Self.steps, at: at(5 * 3600 - 1))) == 2083)
        watch.device.restart(at: at(5 * 3600))
        #expect(Self.count(watch.read(Self.steps, at: at(5 * 3600))) == 0)
        #expect(Self.count(watch.read(Self.steps, at: at(5.5 * 3600))) == 208)
        #expect(Self.count(watch.read(Self.today, at: at(5.5 * 3600))) == 208)
        #expect(Self.count(watch.read(Self.today, at: at(6 * 3600))) == 0)
        #expect(Self.count(watch.read(Self.steps, at: at(6 * 3600))) == 416)
    }

    @Test func `A day may begin at another hour`() throws {
        let ramp = Curve.ramp(start: 0, end: 24000, over: .seconds(86400))
        var watch = try Self.watch(ramp, dailyReset: .seconds(4 * 3600))
        #expect(Self.count(watch.read(Self.today, at: at(3 * 3600))) == 3000)
        #expect(Self.count(watch.read(Self.today, at: at(4 * 3600))) == 0)
        #expect(Self.count(watch.read(Self.today, at: at(6 * 3600))) == 2000)
    }

    @Test func `A clock that skips brings steps and midnights`() throws {
        var watch = try Self.watch(.ramp(start: 0, end: 240_000, over: .seconds(10 * 86400)))
        #expect(Self.count(watch.read(Self.today, at: at(23 * 3600))) == 23000)
        watch.device.skipTime(by: .seconds(2 * 3600), at: at(23 * 3600))
        #expect(Self.count(watch.read(Self.steps, at: at(23 * 3600))) == 25000)
        #expect(Self.count(watch.read(Self.today, at: at(23 * 3600))) == 1000)
    }

    /// From its 292nd year on: no number overflows, wherever in the day it began.
    @Test(arguments: [0, 15 * 3600]) func `A clock stops after its last time`(start: Int64) throws {
        var watch = try Self.watch(.days([1000]), begins: 946_684_800 + start)
        #expect(!watch.device.clockHasStopped(at: at(1)))
        watch.device.skipTime(by: .seconds(1 << 40), at: at(1))
        #expect(watch.device.clockHasStopped(at: at(1)))
        let steps = Self.count(watch.read(Self.steps, at: at(1)))
        #expect(steps.map { 106_750_000...106_752_000 ~= $0 } == true)
        #expect(Self.count(watch.read(Self.steps, at: at(86401))) == steps)
        _ = watch.read(Self.today, at: at(86401))
    }

    @Test func `Only changes are notified`() throws {
        var watch = try Self.watch(.list([5, 5, 5, 9, 9, 12], period: .seconds(1)))
        watch.device.didSubscribe(to: Self.steps, at: .start)
        #expect(watch.notified(until: at(10)).map(\.time) == [at(3), at(5)])
        watch.device.didUnsubscribe(from: Self.steps, at: at(10))
        #expect(watch.device.nextDue == nil)
        watch.device.didSubscribe(to: Self.today, at: at(10))
        #expect(watch.notified(until: at(20)).isEmpty)
    }

    @Test func `A change during a silence is notified after it`() throws {
        var watch = try Self.watch(.step(start: 1, by: 1, period: .seconds(10)))
        watch.device.didSubscribe(to: Self.steps, at: .start)
        watch.device.keepSilent([Self.steps], at: at(5))
        watch.device.keepSilent([], at: at(15.5))
        #expect(watch.notified(until: at(18)) == [.init(time: at(16), handle: Self.steps, octets: [2, 0, 0, 0])])
    }

    @Test func `Midnight changes today's steps only`() throws {
        var watch = try Self.watch(.constant(100), begins: 946_684_800 + 86390)
        try watch.set(DeviceValue(service: 0, .steps), to: Signal(150), at: at(2))
        watch.device.didSubscribe(to: Self.steps, at: at(3))
        watch.device.didSubscribe(to: Self.today, at: at(3))
        #expect(watch.read(Self.today, at: at(3)) == [50, 0, 0, 0])
        #expect(
            watch.notified(until: at(20)) == [.init(time: at(10), handle: Self.today, octets: [0, 0, 0, 0])])
    }

    @Test func `A script can restore a value that it set, and today's steps follow`() throws {
        var watch = try Self.watch(.ramp(start: 0, end: 240_000, over: .seconds(10 * 86400)))
        let steps = DeviceValue(service: 0, .steps)
        try watch.set(steps, to: Signal(7), at: at(23 * 3600))
        #expect(Self.count(watch.read(Self.steps, at: at(23.5 * 3600))) == 7)
        try watch.set(steps, to: nil, at: at(25 * 3600))
        #expect(Self.count(watch.read(Self.steps, at: at(26 * 3600))) == 26000)
        #expect(Self.count(watch.read(Self.today, at: at(26 * 3600))) == 25993)
        #expect(watch.takes(.signal(Signal(1)), for: DeviceValue(service: 0, .stepsToday), at: at(26 * 3600)) == false)
    }
}
