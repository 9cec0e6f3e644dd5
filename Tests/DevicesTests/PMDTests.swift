import Basics
import Characteristics
import Devices
import Testing

/// Polar Measurement Data.  The handles: 000E-0014, 0010 control point, 0011 CCCD, 0013 data, 0014 CCCD.
@Suite struct PMDTests {
    private static let controlPoint: UInt16 = 0x0010
    private static let data: UInt16 = 0x0013
    private static let start = hex("02 00 00 01 82 00 01 01 0E 00")

    /// Whoever wears it listens to responses.
    private static func strap(hertz: Int = 130) throws -> Wearer {
        var strap = try Wearer(.pmd(rate: hertz))
        strap.device.didSubscribe(to: controlPoint, at: .start)
        return strap
    }

    private static func frames(_ notified: [Wearer.Notified]) throws -> [PMDECGFrame] {
        try notified.filter { $0.handle == data }.map { try PMDECGFrame(octets: $0.octets[...]) }
    }

    @Test func `It has an electrocardiogram, and a control point that is written and indicated`() throws {
        var strap = try Self.strap()
        #expect(strap.read(Self.controlPoint)?.prefix(3) == [0x0F, 0x01, 0x00])
        #expect(strap.answer(hex("0A 13 00")) == hex("01 0A 13 00 02"))
        #expect(strap.answer(hex("12 13 00 00")) == hex("01 12 13 00 03"))
        let declaration = strap.answer(hex("08 0F 00 0F 00 03 28"))
        #expect(Array(declaration.prefix(7)) == hex("09 15 0F 00 2A 10 00"))
        #expect(strap.device.indicates(Self.controlPoint) && !strap.device.indicates(Self.data))
    }

    static let conversation: [(request: String, response: String)] = [
        ("01 00", "F0 01 00 00 00 00 01 82 00 01 01 0E 00"), ("01 02", "F0 01 02 03 00"), ("03 00", "F0 03 00 06 00"),
        ("02 00 00 01 83 00", "F0 02 00 08 00"), ("02 00 01 01 10 00", "F0 02 00 07 00"),
        ("02 00 00 01", "F0 02 00 04 00"), ("", "F0 00 00 04 00"), ("09 00", "F0 09 00 01 00"),
        ("02 00 00 01 82 00 01 01 0E 00", "F0 02 00 00 00"), ("02 00", "F0 02 00 06 00"), ("03 00", "F0 03 00 00 00"),
        ("02 00", "F0 02 00 00 00"),
    ]

    @Test func `Each request is answered by an indication`() throws {
        var strap = try Self.strap()
        for (request, response) in Self.conversation {
            #expect(strap.write(hex(request), to: Self.controlPoint) == nil)
            #expect(
                strap.notified(until: .start) == [
                    .init(time: .start, handle: Self.controlPoint, octets: hex(response))
                ])
        }
    }

    @Test func `Several requests are answered in order, and those that are too many are refused`() throws {
        var strap = try Self.strap()
        let errors = (0..<10).map { _ in strap.write([1, 0], to: Self.controlPoint) }
        #expect(errors == Array(repeating: nil, count: 8) + [0x11, 0x11])
        #expect(strap.notified(until: .start).count == 8)
        #expect(strap.write([3, 0], to: Self.controlPoint) == nil)
        #expect(strap.notified(until: .start).map(\.octets) == [hex("F0 03 00 06 00")])
        #expect(strap.device.nextDue == nil)
    }

    @Test func `A client without a subscription to responses gets none, then or later`() throws {
        var strap = try Wearer(.pmd(rate: 130))
        for _ in 0..<20 { #expect(strap.write([1, 0], to: Self.controlPoint) == nil) }
        strap.device.didSubscribe(to: Self.controlPoint, at: at(1))
        #expect(strap.device.nextDue == nil)
    }

    @Test(arguments: [23, 100, 232, 247, 517])
    func `Once started, frames come without a gap`(mtu: Int) throws {
        var strap = try Self.strap()
        strap.device.didSubscribe(to: Self.data, at: .start)
        #expect(strap.notified(until: at(2), mtu: mtu).isEmpty)
        #expect(strap.write(Self.start, to: Self.controlPoint, at: at(2)) == nil)
        let frames = try Self.frames(strap.notified(from: at(2), until: at(12), mtu: mtu))
        let count = PMDECGFrame.capacity(mtu: mtu)
        #expect(frames.allSatisfy { $0.samples.count == count })
        #expect((1300 - count...1300).contains(frames.count * count))
        for (frame, next) in zip(frames, frames.dropFirst()) {
            let step = Double(next.timeStamp - frame.timeStamp)
            #expect(abs(step - Double(count) / 130 * 1e9) <= 1)
        }
        #expect(strap.pool.taken == 0)
    }

    @Test func `The time stamp is that of the last sample since 2000`() throws {
        var strap = try Self.strap()
        strap.device.skipTime(by: .seconds(100), at: .start)
        strap.device.didSubscribe(to: Self.data, at: .start)
        _ = strap.write(Self.start, to: Self.controlPoint)
        let frame = try #require(try Self.frames(strap.notified(until: at(2), mtu: 232)).first)
        #expect(frame.samples.count == 73)
        #expect(frame.timeStamp == 100_000_000_000 + 72 * 1_000_000_000 / 130)  // samples 0 to 72
    }

    @Test func `It ends when it is stopped, and with the last subscription`() throws {
        var strap = try Self.strap()
        strap.device.didSubscribe(to: Self.data, at: .start)
        _ = strap.write(Self.start, to: Self.controlPoint)
        #expect(try Self.frames(strap.notified(until: at(3), mtu: 232)).count == 4)
        _ = strap.write([3, 0], to: Self.controlPoint, at: at(3))
        #expect(strap.notified(from: at(3), until: at(9), mtu: 232).map(\.octets) == [hex("F0 03 00 00 00")])
        _ = strap.write(Self.start, to: Self.controlPoint, at: at(9))
        #expect(try !Self.frames(strap.notified(from: at(9), until: at(11), mtu: 232)).isEmpty)
        strap.device.didUnsubscribe(from: Self.data, at: at(11))
        strap.device.didSubscribe(to: Self.data, at: at(12))
        #expect(strap.notified(from: at(12), until: at(20), mtu: 232).isEmpty)
        _ = strap.write([3, 0], to: Self.controlPoint, at: at(20))
        #expect(strap.notified(from: at(20), until: at(20)).map(\.octets) == [hex("F0 03 00 06 00")])
    }

    @Test func `Nothing of it can be set`() throws {
        var strap = try Self.strap()
        for quantity in [ValueID.pmdSamples, .pmdControlPoint, .none] {
            #expect(strap.takes(.signal(Signal(1)), for: DeviceValue(service: 0, quantity), at: .start) == false)
        }
        #expect(strap.leadIsTaken(off: true, ofService: 0, at: .start) == true)
    }
}
