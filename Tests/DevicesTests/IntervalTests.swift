import Basics
import Bluetooth
import Characteristics
import Devices
import Services
import Testing

@Suite struct IntervalTests {
    private static func strap(
        _ rate: Curve = .constant(72), seed: UInt64 = 1, _ change: (inout HeartRate) -> Void = { _ in }
    ) throws -> Wearer {
        try Wearer(rate, seed: seed) {
            $0.hasRRIntervals = true
            change(&$0)
        }
    }

    /// Intervals that end before a subscription cannot add up to less time than has passed since.
    @Test func `Nothing from before the subscription`() throws {
        var strap = try Self.strap()
        for begin in [100.5, 200.9, 300.0] {
            strap.device.didSubscribe(to: Wearer.measurement, at: at(begin))
            var ticks = 0
            for notified in strap.notified(until: at(begin + 20)) {
                let intervals = try HeartRateMeasurement(octets: notified.octets).rrIntervals
                ticks += intervals.reduce(0) { $0 + Int($1) }
                #expect(Double(ticks) <= at(begin).duration(to: notified.time) / .seconds(1) * 1024 + 1)
            }
            #expect(ticks > 17 * 1024)
            strap.device.didUnsubscribe(from: Wearer.measurement, at: at(1000))
        }
    }

    @Test func `A sensor without intervals has none, whoever else listens to the heart`() throws {
        let electrocardiogram = ConfiguredService.ecg()
        var strap = try Wearer(
            PeripheralDefinition(
                name: "Patch", appearance: .heartRateBelt,
                services: [.heartRate(HeartRate(rate: .constant(72))), electrocardiogram]))
        let handles = (1...0x40 as ClosedRange<UInt16>).filter { strap.device.value(of: $0) != nil }
        for handle in handles { strap.device.didSubscribe(to: handle, at: .start) }
        let part = try #require(strap.device.value(of: Wearer.measurement))
        for (value, time) in [(.signal(Signal(0)), 2.5), (nil, 4.5)] as [(SensorInput?, Double)] {
            let isSet = strap.device.set(part, to: value, at: at(time))
            #expect(isSet)
        }
        let told = strap.notified(until: at(9), mtu: 247).filter { $0.handle == Wearer.measurement }
        #expect(told.map(\.octets).filter { $0.count != 2 } == [] && told.count >= 8)
    }

    @Test func `Intervals that do not fit into a PDU come in the next`() throws {
        // 20 beats in the first 4 s, then one in 2 s; 20 octets have room for 9 intervals.
        let rate = Curve.pieces([.init(.constant(300), for: .seconds(4)), .init(.constant(30))])
        var (small, large) = (
            try Self.strap(rate) { $0.period = .seconds(4) }, try Self.strap(rate) { $0.period = .seconds(4) }
        )
        small.device.didSubscribe(to: Wearer.measurement, at: .start)
        large.device.didSubscribe(to: Wearer.measurement, at: .start)
        let (cut, whole) = (try small.measured(until: at(20)), try large.measured(until: at(20), mtu: 247))
        #expect(cut.map(\.rrIntervals.count).prefix(2) == [9, 9])
        #expect((whole.first?.rrIntervals.count ?? 0) > 18)
        #expect(cut.flatMap(\.rrIntervals) == whole.flatMap(\.rrIntervals))
    }

    @Test(
        arguments: [
            (23, false, nil, 9), (23, true, nil, 8), (24, false, nil, 9), (25, false, nil, 10), (27, false, nil, 11),
            (247, false, 3, 3), (23, false, 0, 0),
        ] as [(Int, Bool, Int?, Int)])
    func `As many as fit, and no more than wanted`(mtu: Int, energy: Bool, most: Int?, count: Int) throws {
        var strap = try Self.strap(.constant(240)) {
            ($0.period, $0.mostRRIntervals) = (.seconds(4), most)
            if energy { $0.energy = .computed }
        }
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        let notified = strap.notified(until: at(4), mtu: mtu)
        let sent = try #require(notified.first)
        #expect(sent.octets.count <= mtu - 3)
        let intervals = try HeartRateMeasurement(octets: sent.octets).rrIntervals.count
        #expect(intervals == count)
    }

    @Test func `Without beats there are none`() throws {
        var strap = try Self.strap(.constant(0))
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(strap.notified(until: at(2)).map(\.octets) == [hex("00 00"), hex("00 00")])
    }

    @Test func `The same seed gives the same intervals, another gives others`() throws {
        func octets(_ seed: UInt64) throws -> [[UInt8]] {
            var strap = try Self.strap(seed: seed) { $0.energy = .computed }
            strap.device.didSubscribe(to: Wearer.measurement, at: .start)
            return strap.notified(until: at(60)).map(\.octets)
        }
        #expect(try octets(1) == octets(1))
        #expect(try octets(1) != octets(2))
    }
}
