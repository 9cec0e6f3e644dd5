import Basics
import Bluetooth
import Characteristics
import Checks

// Heart rates and RR-Intervals that no heart has, and that reveal a fault of the encoding.
extension Check {
    static let plausibility = Check(
        "heart_rate/is_plausible", "heart rates and RR-Intervals are possible, and agree",
        "Heart Rate Service 1.0, sections 3.1.1.2 and 3.1.1.4", recording: .usual,
        if: .characteristic(.heartRateMeasurement, of: .heartRate)
    ) { peripheral throws(CheckExit) in
        let received = try peripheral.receive(.heartRate, for: Recording.usualDuration).filter(\.isOfHeart)
        guard !received.isEmpty else { throw .notApplicable("no measurement has a heart rate and skin contact") }
        for value in received { try peripheral.expectPossibleRate(value) }
        try peripheral.expectAgreement(of: received)
    }
}

/// What a heart can do: any animal's, so that no correct sensor exceeds it.
private enum HeartLimits {
    /// In beats per minute.  The fastest heart on record, an Etruscan shrew's, reached 1511: Jürgens et al., Journal of
    /// Experimental Biology 199 (1996), 2579-2584.
    static let rate: UInt16 = 1600
    /// With the greatest number, some devices report that they have no heart rate.
    static let unknownRate: UInt16 = .max
    /// In 1/1024 s: 30 ms, or 2000 beats per minute.
    static let interval: UInt16 = 31
    /// How many times faster or slower than the heart rate the intervals may be.  A heart rate is an average, beats are
    /// missed, and arrhythmia varies intervals.  The heart-rate sample of Nordic's nRF5 SDK sends intervals of 123 to 614
    /// beats per minute whatever its heart rate is, from 140 to 300: up to 4.4 times faster.
    static let ratio = 8
}

extension Examiner.ReceivedValue {
    /// Whether it has a heart rate above 0, and not from a sensor without skin contact, which may measure anything.
    var isOfHeart: Bool {
        guard let heartRate else { return false }
        return heartRate.bpm > 0 && heartRate.contact != .notDetected
    }

    fileprivate var bpm: UInt16 { heartRate?.bpm ?? 0 }

    /// Without intervals of 0, which are none.
    fileprivate var intervals: [UInt16] { heartRate?.rrIntervals.filter { $0 > 0 } ?? [] }

    /// Its heart rate, if the octets were in the other order.
    private var swapped: UInt16? { heartRate.map(\.bpm.byteSwapped) }

    /// `, which looks like swapped octets of 300 bpm`, if that would be between these rates; else empty.
    fileprivate func swapHint(_ range: ClosedRange<Int>) -> String {
        guard octets.first.map({ $0 & 1 == 1 }) == true, let swapped, range.contains(Int(swapped)) else { return "" }
        return ", which looks like swapped octets of \(swapped) bpm"
    }
}

extension UInt16 {
    /// The heart rate of an RR-Interval in 1/1024 s, which is not 0.
    fileprivate var beatsPerMinute: Int { 61_440 / Int(self) }

    /// Of an RR-Interval: `3 ms`.
    fileprivate var inMilliseconds: String { "\((Int(self) * 1000 + 512) / 1024) ms" }
}

extension Examiner {
    /// Fails if a heart rate is higher than any heart's.
    func expectPossibleRate(_ received: ReceivedValue) throws(CheckExit) {
        guard let bpm = received.heartRate?.bpm, bpm != HeartLimits.unknownRate else { return }
        try expect(
            bpm <= HeartLimits.rate, "a heart rate of at most \(HeartLimits.rate) bpm",
            seen: received.heartRateText + received.swapHint(1...Int(HeartLimits.rate)))
    }

    /// Fails if RR-Intervals are too short for any heart, or most of them for the heart rates that came with them.
    fileprivate func expectAgreement(of received: [ReceivedValue]) throws(CheckExit) {
        let rates = received.map { Int($0.bpm) }
        guard let slowest = rates.min(), let fastest = rates.max() else { return }
        func isTooShort(_ interval: UInt16) -> Bool { interval.beatsPerMinute > HeartLimits.ratio * fastest }
        func isTooLong(_ interval: UInt16) -> Bool { interval.beatsPerMinute * HeartLimits.ratio < slowest }
        let all = received.flatMap(\.intervals)
        let (short, long) = (all.filter(isTooShort), all.filter(isTooLong))
        // One alone may be an error of a sensor that has counted a beat twice.
        let impossible = short.count { $0 < HeartLimits.interval }
        if impossible > 1 || all.count > 4 && short.count * 4 >= all.count {
            let fault = received.last { $0.intervals.contains(where: isTooShort) }
            throw failure(of: fault, isTooShort)
        }
        if all.count > 4, long.count * 2 > all.count {
            throw failure(of: received.last { $0.intervals.contains(where: isTooLong) }, isTooLong)
        }
    }

    /// A measurement whose interval disagrees with the heart rates, and the likely cause.
    private func failure(of received: ReceivedValue?, _ isWrong: (UInt16) -> Bool) -> CheckExit {
        guard let received, let wrong = received.intervals.first(where: isWrong) else {
            return .inconclusive("no RR-Interval")
        }
        let interval = wrong.beatsPerMinute
        var hint = received.swapHint(max(1, interval / HeartLimits.ratio)...(interval + 1) * HeartLimits.ratio)
        if hint.isEmpty, received.octets.first.map({ $0 & 0x08 == 0 }) == true, received.intervals.first == wrong,
            received.intervals.count > 1
        {
            hint = ", which looks like Energy Expended (\(wrong) kJ) without its flag, bit 3"
        }
        return failure(
            expected: "RR-Intervals that fit the heart rate, by a factor of \(HeartLimits.ratio)",
            seen: "\(received.heartRateText): an interval of \(wrong.inMilliseconds)\(hint)")
    }
}
