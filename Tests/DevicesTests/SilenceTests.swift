import Basics
import Devices
import Services
import Testing

/// `silence`: nothing is notified, and everything else continues.
@Suite struct SilenceTests {
    private static let level: UInt16 = 0x0010

    @Test func `After a silence a heart sends new beats only`() throws {
        var strap = try Wearer(.constant(60)) { $0.hasRRIntervals = true }
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(strap.notified(until: at(3.5)).count == 3)
        strap.device.keepSilent([Wearer.measurement], at: at(3.5))
        #expect(strap.device.isSilent(Wearer.measurement))
        #expect(strap.notified(until: at(63.5)).isEmpty)
        strap.device.keepSilent([], at: at(63.5))
        let heard = strap.notified(until: at(67.5))
        #expect(heard.map(\.time) == [at(64), at(65), at(66), at(67)])
        #expect(heard.allSatisfy { $0.octets[1] == 60 })
        let intervals = heard.reduce(0) { $0 + ($1.octets.count - 2) / 2 }  // behind flags and bpm, of two octets
        #expect((2...4).contains(intervals))  // not those of a minute
        #expect(strap.pool.taken == 0)
    }

    @Test func `A level that changed in a silence is notified afterwards, and can be read all the time`() throws {
        var strap = try Wearer(.battery(.step(start: 80, by: -1, period: .seconds(3))))
        strap.device.didSubscribe(to: Self.level, at: .start)
        strap.device.keepSilent([Self.level], at: at(1))
        #expect(strap.notified(until: at(7)).isEmpty)
        #expect(strap.answer(hex("0A 10 00"), at: at(7)) == [0x0B, 78])
        strap.device.keepSilent([], at: at(7.5))
        #expect(strap.notified(until: at(8.5)) == [.init(time: at(8), handle: Self.level, octets: [78])])
    }

    @Test func `A query for a part changes nothing`() throws {
        let walk = Curve.walk(start: 70, by: 9, period: .seconds(1), range: 40...200)
        var asked = try Wearer(walk) { $0.hasRRIntervals = true }
        var left = asked
        asked.device.didSubscribe(to: Wearer.measurement, at: .start)
        left.device.didSubscribe(to: Wearer.measurement, at: .start)
        for second in 1...30 {
            let expected = left.notified(until: at(Double(second)))
            let bpm = asked.device.number(of: DeviceValue(service: 0, .heartRate), at: at(Double(second)))
            #expect(bpm == (expected.last?.octets[1]).map(Double.init))
            #expect(asked.notified(until: at(Double(second))) == expected)
        }
        #expect(asked.device.number(of: DeviceValue(service: 0, .contact), at: at(30)) == nil)
        #expect(asked.device.number(of: DeviceValue(service: 0, .location), at: at(30)) == nil)
        #expect(asked.device.number(of: DeviceValue(service: 7, .heartRate), at: at(30)) == nil)
    }
}
