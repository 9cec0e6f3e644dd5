import Basics
import Characteristics
import Devices
import Services
import Testing

/// Lubdub's Feed: 000E-0012  0400  0010 0401, 0011 CCCD, 0012 2901.
@Suite struct FeedTests {
    private static let value: UInt16 = 0x0010

    @Test(
        arguments: [
            (0.0, "00 00 00 00", 0), (65536.9, "00 00 01 00", 0), (-1, "00 00 00 00", 1),
            (4_294_967_295, "FF FF FF FF", 0), (4_294_967_296, "FF FF FF FF", 1), (1e300, "FF FF FF FF", 1),
            (-.infinity, "00 00 00 00", 1), (.nan, "00 00 00 00", 1),
        ] as [(Double, String, Int)])
    func `A number never wraps around`(wanted: Double, octets: String, saturatedValues: Int) throws {
        var ticker = try Wearer(.feed(.constant(wanted)))
        ticker.device.didSubscribe(to: Self.value, at: .start)
        #expect(ticker.read(Self.value) == hex(octets))
        #expect(ticker.notified(until: at(3)).map(\.octets) == Array(repeating: hex(octets), count: 3))
        #expect(ticker.device.saturatedValues.count == saturatedValues)
    }

    @Test func `It is sent each period, and read as it is`() throws {
        let curve = Curve.step(start: 0, by: 1, period: .milliseconds(10))
        var ticker = try Wearer(.feed(curve, .milliseconds(50)))
        ticker.device.didSubscribe(to: Self.value, at: at(0.02))
        let told = ticker.notified(until: at(0.2))
        #expect(told.map(\.time) == [at(0.05), at(0.1), at(0.15), at(0.2)])
        #expect(told.map { $0.octets[0] } == [5, 10, 15, 20])
        #expect(ticker.read(Self.value, at: at(0.234)) == [23, 0, 0, 0])
        #expect(ticker.pool.taken == 0)
    }

    @Test func `A stopped curve sends nothing until a script sets it`() throws {
        var ticker = try Wearer(.feed(.list([1, 2], period: .seconds(1), then: .stop)))
        ticker.device.didSubscribe(to: Self.value, at: .start)
        #expect(ticker.notified(until: at(9)).map(\.octets) == [[2, 0, 0, 0]])
        try ticker.set(DeviceValue(service: 0, .feed), to: Signal(8), at: at(9.5))
        #expect(ticker.notified(until: at(11)).map(\.octets) == [[8, 0, 0, 0], [8, 0, 0, 0]])
        try ticker.set(DeviceValue(service: 0, .feed), to: nil, at: at(11.5))
        #expect(ticker.notified(until: at(20)).isEmpty)
    }
}

/// Lubdub's Measurements: 000E-0012  0300  0010 0301, 0011 CCCD, 0012 2901.
@Suite struct MeasurementsTests {
    private static let values: UInt16 = 0x0010

    private static func strap(_ curve: Curve, rate: Int = 500) throws -> Wearer {
        var strap = try Wearer(.measurements(curve, rate: rate))
        strap.device.didSubscribe(to: values, at: .start)
        return strap
    }

    private static func frames(_ notified: [Wearer.Notified]) throws -> [HeartRateFrame] {
        try notified.map { try HeartRateFrame(octets: $0.octets[...]) }
    }

    @Test(arguments: [23, 24, 27, 100, 185, 247, 516, 517])
    func `Every value of a second comes once, in order, whatever the MTU`(mtu: Int) throws {
        var strap = try Self.strap(.step(start: 0, by: 1, period: .milliseconds(2)))
        let frames = try Self.frames(strap.notified(until: at(10), mtu: mtu))
        let values = frames.flatMap(\.values)
        #expect(frames.map(\.sequence) == (0..<frames.count).map { UInt16($0) })
        #expect(values == (1..<values.count + 1).map { UInt16($0) })  // the first sample was before who listens
        #expect(frames.first?.index == 1)
        #expect((5001 - HeartRateFrame.capacity(mtu: mtu)...5000).contains(values.count))
        #expect(frames.allSatisfy { $0.values.count == HeartRateFrame.capacity(mtu: mtu) })
        #expect(strap.pool.taken == 0)
    }

    @Test(arguments: [(-1, 0), (0.5, 1), (70000, 65535), (1e300, 65535), (.nan, 0)] as [(Double, UInt16)])
    func `A value never wraps around`(wanted: Double, bpm: UInt16) throws {
        var strap = try Self.strap(.constant(wanted))
        let frames = try Self.frames(strap.notified(until: at(1)))
        #expect(Set(frames.flatMap(\.values)) == [bpm])
        #expect(strap.device.saturatedValues.count == (wanted == 0.5 ? 0 : 1))
    }

    @Test func `Values of a stopped curve are left out, and the indices show it`() throws {
        var strap = try Self.strap(.list([60], period: .seconds(1), then: .stop))
        let before = try Self.frames(strap.notified(until: at(5)))
        #expect(before.flatMap(\.values).count == 499)
        try strap.set(DeviceValue(service: 0, .heartRates), to: Signal(90), at: at(5))
        let after = try Self.frames(strap.notified(until: at(6)))
        #expect((after.first?.index ?? 0) >= 2490)
        #expect(after.allSatisfy { $0.values.allSatisfy { $0 == 90 } })
    }

    @Test(arguments: [1, 130, 4000])
    func `Any rate`(rate: Int) throws {
        var strap = try Self.strap(.constant(60), rate: rate)
        let frames = try Self.frames(strap.notified(until: at(20), mtu: 247))
        let values = frames.reduce(0) { $0 + $1.values.count }
        #expect((rate * 20 - 118...rate * 20 + 1).contains(values))
        for (frame, next) in zip(frames, frames.dropFirst()) {
            #expect(next.index == frame.index + UInt32(frame.values.count))
        }
    }
}
