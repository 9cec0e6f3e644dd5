import Basics
import Bluetooth
import Characteristics
import Devices
import Services
import Testing

/// The vendor-specific ECG service after a Heart Rate Service. The handles:
///
///     000E-0011  180D  0010 2A37, 0011 CCCD
///     0012-0019  0200  0014 0201, 0015 CCCD, 0016 2901, 0018 0202, 0019 2901
@Suite struct ECGTests {
    private static let samples: UInt16 = 0x0014

    private static func strap(
        _ rate: Curve = .constant(72), hertz: Int = 500, noise: ECG.Noise = .none
    ) throws -> Wearer {
        var heartRate = HeartRate(rate: rate)
        heartRate.hasRRIntervals = true
        return try Wearer(
            PeripheralDefinition(
                name: "Strap", appearance: .heartRateBelt,
                services: [.heartRate(heartRate), .ecg(rate: hertz, noise: noise)]))
    }

    private static func frames(_ notified: [Wearer.Notified]) throws -> [ECGFrame] {
        try notified.filter { $0.handle == samples }.map { try ECGFrame(octets: $0.octets[...]) }
    }

    /// Whether each frame begins where the one before ended; records an issue for each gap.
    static func areContiguous(_ frames: [ECGFrame]) -> Bool {
        zip(frames, frames.dropFirst()).allSatisfy { frame, next in
            let end = frame.header.index &+ UInt32(frame.samples.count)
            let hasGap = next.header.flags.contains(.gap)
            return next.header.sequence == frame.header.sequence &+ 1
                && (hasGap ? next.header.index > end : next.header.index == end)
        }
    }

    @Test func `Rate, resolution and leads can be read`() throws {
        var strap = try Self.strap(hertz: 250)
        #expect(strap.read(0x0018) == hex("FA 00 E8 03 01"))
        #expect(strap.read(0x0016) == Array("ECG Samples".utf8))
        #expect(strap.read(0x0019) == Array("ECG Description".utf8))
        #expect(strap.answer(hex("0A 14 00")) == hex("01 0A 14 00 02"))
    }

    @Test func `With every MTU there is no gap, and the same samples`() throws {
        var whole: [Int16] = []
        for mtu in [517, 23] + Array(stride(from: 24, through: 516, by: 41)) + [185, 247, 515, 516] {
            var strap = try Self.strap(noise: .resting)
            strap.device.didSubscribe(to: Self.samples, at: .start)
            let frames = try Self.frames(strap.notified(until: at(5), mtu: mtu))
            let samples = frames.flatMap(\.samples)
            if whole.isEmpty { whole = samples }
            #expect(frames.map(\.header.sequence) == frames.indices.map { UInt16($0) })
            #expect(frames.first?.header.index == 0)
            #expect(Self.areContiguous(frames))
            #expect(frames.allSatisfy { $0.header.flags == .synthetic && $0.header.lead == 1 })
            #expect(frames.allSatisfy { $0.samples.count == ECGFrame.capacity(mtu: mtu) })
            let common = min(samples.count, whole.count)
            #expect(common > 1900 && samples[..<common] == whole[..<common])
            #expect(strap.pool.taken == 0)
        }
    }

    @Test(arguments: [(1, 23), (50, 247), (100, 517), (130, 517), (249, 517), (4000, 23), (4000, 517)])
    func `With every rate there is no gap`(hertz: Int, mtu: Int) throws {
        var strap = try Self.strap(hertz: hertz)
        strap.device.didSubscribe(to: Self.samples, at: at(0.7))
        let frames = try Self.frames(strap.notified(until: at(20), mtu: mtu))
        #expect(Self.areContiguous(frames))
        #expect(frames.allSatisfy { $0.header.flags == .synthetic })
        let count = frames.reduce(0) { $0 + $1.samples.count }
        #expect((hertz * 19 - 255...hertz * 20).contains(count))
    }

    @Test func `An MTU that changes leaves no gap`() throws {
        var strap = try Self.strap()
        strap.device.didSubscribe(to: Self.samples, at: .start)
        var frames: [ECGFrame] = []
        for (index, mtu) in [247, 23, 517, 100, 23].enumerated() {
            frames += try Self.frames(strap.notified(from: at(Double(index)), until: at(Double(index + 1)), mtu: mtu))
        }
        #expect(Self.areContiguous(frames))
        #expect(frames.allSatisfy { !$0.header.flags.contains(.gap) })
        #expect(Set(frames.map(\.samples.count)).isSuperset(of: [117, 5, 251, 43]))
    }

    @Test func `Silence and absence are gaps, and are marked as gaps`() throws {
        var strap = try Self.strap()
        strap.device.didSubscribe(to: Self.samples, at: .start)
        var frames = try Self.frames(strap.notified(until: at(2), mtu: 247))
        strap.device.keepSilent([Self.samples], at: at(2))
        strap.device.keepSilent([], at: at(5))
        frames += try Self.frames(strap.notified(from: at(5), until: at(7), mtu: 247))
        strap.device.didUnsubscribe(from: Self.samples, at: at(7))
        strap.device.didSubscribe(to: Self.samples, at: at(3600))
        frames += try Self.frames(strap.notified(from: at(3600), until: at(3602), mtu: 247))
        let gaps = frames.filter { $0.header.flags.contains(.gap) }
        #expect(gaps.map(\.header.index) == [2251, 1_799_751])
        #expect(Self.areContiguous(frames))
    }

    @Test func `A delay of less than a second is caught up, and a longer one is a gap`() throws {
        for (delay, isGap) in [(0.9, false), (30, true)] {
            var strap = try Self.strap()
            strap.device.didSubscribe(to: Self.samples, at: .start)
            var frames = try Self.frames(strap.notified(until: at(2), mtu: 247))
            frames += try Self.frames(strap.notified(from: at(2 + delay), until: at(3 + delay), mtu: 247))
            #expect(Self.areContiguous(frames))
            #expect(frames.contains { $0.header.flags.contains(.gap) } == isGap)
        }
    }

    // MARK: The heart

    /// The instants of the samples that are the highest within 50 ms, and high enough to be R peaks.
    private static func peaks(_ frames: [ECGFrame], hertz: Double) -> [Double] {
        let samples = frames.flatMap(\.samples)
        let first = Double(frames.first?.header.index ?? 0)
        let near = Int(hertz / 20)
        return samples.indices.filter { index in
            guard samples[index] > 750 else { return false }
            let around = samples[max(0, index - near)..<min(samples.count, index + near)]
            return around.firstIndex(of: around.max() ?? 0) == index
        }.map { (Double($0) + first) / hertz }
    }

    static let hearts: [(rate: Curve, mtu: Int)] = [
        (.constant(62), 247), (.constant(180), 23), (.ramp(start: 60, end: 160, over: .seconds(60)), 185),
        (.list([60, 120], period: .seconds(7), then: .repeat), 517),
    ]

    @Test(arguments: hearts)
    func `The R peaks are the beats of the RR-Intervals`(rate: Curve, mtu: Int) throws {
        var strap = try Self.strap(rate)
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        strap.device.didSubscribe(to: Self.samples, at: .start)
        let told = strap.notified(until: at(60), mtu: mtu)
        let peaks = Self.peaks(try Self.frames(told), hertz: 500)
        let intervals = try told.filter { $0.handle == Wearer.measurement }
            .flatMap { try HeartRateMeasurement(octets: $0.octets).rrIntervals }
        #expect(peaks.count > 55)
        for (place, interval) in intervals.enumerated() where place + 1 < peaks.count {
            #expect(abs(peaks[place + 1] - peaks[place] - Double(interval) / 1024) <= 0.004)
        }
        #expect(intervals.count >= peaks.count - 1)
    }

    @Test func `After a day without a subscriber the waves are complete from the first sample on`() throws {
        var strap = try Self.strap(.constant(60))
        strap.device.didSubscribe(to: Self.samples, at: at(86400))
        let frames = try Self.frames(strap.notified(from: at(86400), until: at(86410), mtu: 247))
        #expect((9...11).contains(Self.peaks(frames, hertz: 500).count))
    }

    @Test func `Without a heart there is one that beats once a second`() throws {
        var patch = try Wearer(.ecg())
        patch.device.didSubscribe(to: 0x0010, at: .start)
        let frames = try patch.notified(until: at(30), mtu: 247).map { try ECGFrame(octets: $0.octets[...]) }
        #expect((28...30).contains(Self.peaks(frames, hertz: 500).count))
    }

    // MARK: Flags

    @Test func `While an electrode is off samples are 0, and their frames are marked`() throws {
        var strap = try Self.strap(noise: .resting)
        strap.device.didSubscribe(to: Self.samples, at: .start)
        var told = strap.notified(until: at(2), mtu: 23)
        #expect(strap.leadIsTaken(off: true, ofService: 1, at: at(2)) == true)
        told += strap.notified(from: at(2), until: at(3), mtu: 23)
        #expect(strap.leadIsTaken(off: false, ofService: 1, at: at(3)) == true)
        told += strap.notified(from: at(3), until: at(5), mtu: 23)
        let frames = try Self.frames(told)
        #expect(Self.areContiguous(frames))
        let off = frames.filter { $0.header.flags.contains(.leadOff) }
        #expect(off.map(\.header.index) == stride(from: 1000, to: 1500, by: 5).map { UInt32($0) })
        #expect(off.allSatisfy { $0.samples.allSatisfy { $0 == 0 } })
        #expect(strap.leadIsTaken(off: true, ofService: 0, at: at(5)) == false)
        #expect(strap.leadIsTaken(off: true, ofService: 9, at: at(5)) == false)
    }

    /// The first sample is half a second old, and shows the state of that time.
    @Test(arguments: [(3.4, 50), (3.501, 0), (9, 0)])
    func `An electrode that was attached before the subscription is off in earlier samples`(
        begin: Double, off: Int
    ) throws {
        var strap = try Self.strap(noise: .resting)
        #expect(strap.leadIsTaken(off: true, ofService: 1, at: at(2)) == true)
        #expect(strap.leadIsTaken(off: false, ofService: 1, at: at(3)) == true)
        strap.device.didSubscribe(to: Self.samples, at: at(begin))
        let frames = try Self.frames(strap.notified(from: at(begin), until: at(begin + 2), mtu: 23))
        let flagged = frames.filter { $0.header.flags.contains(.leadOff) }
        #expect(flagged.reduce(0) { $0 + $1.samples.count } == off)
    }

    @Test(arguments: [(100_000.0, true), (1e300, true), (.infinity, true), (.nan, false), (1000, false)])
    func `Samples out of range are clamped and marked`(wander: Double, isSaturated: Bool) throws {
        var strap = try Self.strap(noise: ECG.Noise(wander: wander))
        strap.device.didSubscribe(to: Self.samples, at: .start)
        let frames = try Self.frames(strap.notified(until: at(30), mtu: 247))
        #expect(frames.contains { $0.header.flags.contains(.saturated) } == isSaturated)
        #expect(frames.allSatisfy { $0.samples.allSatisfy { $0 > .min } })
        for frame in frames where !frame.header.flags.contains(.saturated) {
            #expect(frame.samples.allSatisfy { abs($0) < .max })
        }
        let saturated = SaturatedValue(value: DeviceValue(service: 1, .ecgSamples), wanted: nil)
        #expect(strap.device.saturatedValues == (isSaturated ? [saturated] : []))
    }

    @Test(arguments: [(2, 2), (300, 255), (-1, 0), (.nan, 0), (1e300, 255)] as [(Double, UInt8)])
    func `A script sets the lead's number`(wanted: Double, lead: UInt8) throws {
        var strap = try Self.strap()
        strap.device.didSubscribe(to: Self.samples, at: .start)
        try strap.set(DeviceValue(service: 1, .lead), to: Signal(wanted), at: .start)
        #expect(try Set(Self.frames(strap.notified(until: at(2))).map(\.header.lead)) == [lead])
        try strap.set(DeviceValue(service: 1, .lead), to: nil, at: at(2))
        #expect(try Set(Self.frames(strap.notified(from: at(2), until: at(3))).map(\.header.lead)) == [1])
        #expect(strap.takes(.signal(Signal(1)), for: DeviceValue(service: 1, .ecgSamples), at: at(3)) == false)
        #expect(strap.device.saturatedValues.count == (wanted == 2 ? 0 : 1))
    }
}
