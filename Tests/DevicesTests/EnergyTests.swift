import Basics
import Bluetooth
import Characteristics
import Devices
import Services
import Testing

@Suite struct EnergyTests {
    private static let energy = DeviceValue(service: 0, .energy)
    /// Without a location, the control point has a smaller handle than with one.
    private static let reset = hex("12 13 00 01")

    private static func strap(_ energy: HeartRate.Energy, rate: Double = 156) throws -> Wearer {
        var strap = try Wearer(.constant(rate)) { $0.energy = energy }
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        return strap
    }

    @Test func `In one of ten measurements, and in the next after a reset`() throws {
        var strap = try Self.strap(.computed)
        let before = try strap.measured(until: at(25))
        #expect(before.indices.filter { before[$0].energyExpended != nil } == [0, 10, 20])
        #expect(strap.answer(Self.reset, at: at(25.5)) == hex("13"))
        let after = try strap.measured(until: at(40))
        #expect(after.indices.filter { after[$0].energyExpended != nil } == [0, 10])
        #expect(after.first?.energyExpended == 0)
    }

    /// 63.1 kJ a minute at 156 beats: 64 in 61 s.
    @Test func `Computed energy follows the heart, and starts again from 0`() throws {
        var strap = try Self.strap(.computed)
        #expect(try strap.measured(until: at(61)).compactMap(\.energyExpended).last == 64)
        #expect(strap.answer(Self.reset, at: at(61)) == hex("13"))
        #expect(try strap.measured(until: at(122)).compactMap(\.energyExpended).last == 64)
    }

    @Test(arguments: ["00", "02", "01 00"])
    func `A command that is refused resets nothing`(value: String) throws {
        var strap = try Self.strap(.scripted(.constant(500)))
        #expect(strap.answer(hex("12 13 00 " + value)).first == 0x01)
        #expect(try strap.measured(until: at(1)).map(\.energyExpended) == [500])
    }

    @Test(
        arguments: [(-1, 0), (0.9, 0), (500, 500), (65535, 65535), (1e9, 65535), (.nan, 0)] as [(Double, UInt16)])
    func `Scripted energy follows the script`(value: Double, kilojoules: UInt16) throws {
        var strap = try Self.strap(.scripted(.constant(value)))
        #expect(try strap.measured(until: at(1)).map(\.energyExpended) == [kilojoules])
    }

    /// The energy of the next measurement that has one; there is one in any ten.
    private static func next(_ strap: inout Wearer, until seconds: Double) throws -> UInt16? {
        try strap.measured(until: at(seconds)).compactMap(\.energyExpended).last
    }

    @Test func `A reset takes off what it was, not from what is set later`() throws {
        var strap = try Self.strap(.scripted(.constant(500)))
        #expect(try Self.next(&strap, until: 10) == 500)
        _ = strap.answer(Self.reset, at: at(10))
        #expect(try Self.next(&strap, until: 20) == 0)
        try strap.set(Self.energy, to: Signal(700), at: at(20))
        #expect(try Self.next(&strap, until: 30) == 700)
        _ = strap.answer(Self.reset, at: at(30))
        #expect(try Self.next(&strap, until: 40) == 0)
        try strap.set(Self.energy, to: Signal(90), at: at(40))
        try strap.set(Self.energy, to: nil, at: at(40))
        #expect(try Self.next(&strap, until: 50) == 0)
    }

    @Test func `Computed energy can be set and given back; a curve begins when it is set`() throws {
        var strap = try Self.strap(.computed, rate: 56)
        _ = try strap.measured(until: at(100))
        try strap.set(Self.energy, to: Signal(.step(start: 40, by: 1, period: .seconds(1))), at: at(100))
        #expect(try Self.next(&strap, until: 101) == 41)
        try strap.set(Self.energy, to: nil, at: at(101))
        #expect(try Self.next(&strap, until: 111) == 0)
    }

    @Test func `A resumed curve continues, and counts from the last reset`() throws {
        let step = Signal(.step(start: 40, by: 1, period: .seconds(1)))
        var strap = try Self.strap(.computed, rate: 56)
        try strap.set(Self.energy, to: step, at: at(100))
        _ = strap.answer(Self.reset, at: at(110))
        try strap.set(Self.energy, to: Signal(7), at: at(115))
        try strap.set(Self.energy, to: step, at: at(120), begun: at(100))
        _ = try strap.measured(until: at(120))
        #expect(try Self.next(&strap, until: 130) == 11)
    }

    @Test func `Without energy there is none to set`() throws {
        var strap = try Self.strap(.none)
        let isSet = strap.device.set(Self.energy, to: .signal(Signal(1)), at: .start)
        #expect(!isSet)
        #expect(try strap.measured(until: at(20)).allSatisfy { $0.energyExpended == nil })
    }
}
