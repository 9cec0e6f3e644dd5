import Basics
import Devices
import Services
import Testing

@Suite struct BatteryTests {
    private static let level: UInt16 = 0x0010

    private static func strap(_ level: Curve) throws -> Wearer { try Wearer(.battery(level)) }

    @Test(
        arguments: [
            (-5, 0), (0, 0), (0.4, 0), (49.5, 50), (100, 100), (100.4, 100), (1e300, 100), (.infinity, 100), (.nan, 0),
        ] as [(Double, UInt8)])
    func `A level is a percentage`(level: Double, percent: UInt8) throws {
        var strap = try Self.strap(.constant(level))
        #expect(strap.answer(hex("0A 10 00")) == [0x0B, percent])
    }

    @Test func `Read as it is, and notified only when it changes`() throws {
        var strap = try Self.strap(.step(start: 80, by: -1, period: .seconds(3)))
        #expect(strap.device.nextDue == nil)
        strap.device.didSubscribe(to: Self.level, at: at(4.5))
        #expect(strap.answer(hex("0A 10 00"), at: at(4.5)) == [0x0B, 79])
        #expect(
            strap.notified(until: at(11)) == [
                .init(time: at(6), handle: Self.level, octets: [78]),
                .init(time: at(9), handle: Self.level, octets: [77]),
            ])
        strap.device.didUnsubscribe(from: Self.level, at: at(11))
        #expect(strap.device.nextDue == nil)
        #expect(strap.pool.taken == 0)
    }

    @Test func `A read of a changed level does not keep it from subscribers`() throws {
        var strap = try Self.strap(.step(start: 80, by: -1, period: .seconds(3)))
        strap.device.didSubscribe(to: Self.level, at: .start)
        #expect(strap.notified(until: at(2.5)).isEmpty)
        #expect(strap.answer(hex("0A 10 00"), at: at(3)) == [0x0B, 79])
        #expect(strap.notified(until: at(5)).map(\.octets) == [[79]])
    }

    @Test func `A script can restore a value that it set`() throws {
        var strap = try Self.strap(.constant(80))
        strap.device.didSubscribe(to: Self.level, at: .start)
        try strap.set(DeviceValue(service: 0, .battery), to: Signal(15), at: at(2.5))
        #expect(strap.notified(until: at(5)).map(\.octets) == [[15]])
        try strap.set(DeviceValue(service: 0, .battery), to: nil, at: at(5.5))
        #expect(strap.notified(until: at(9)).map(\.octets) == [[80]])
    }
}
