import Bluetooth
import Characteristics
import GATT
import Octets
import Simulation

/// A Heart Rate Measurement as it came: the flags by themselves, and the value that they explain.
struct HeardMeasurement {
    /// The flags.  Heart Rate Service 1.0, section 3.1.1.1.
    struct Form {
        let flags: UInt8

        var isTwoOctets: Bool { flags & 0x01 != 0 }
        var hasContactStatus: Bool { flags & 0x02 != 0 }
        var supportsContact: Bool { flags & 0x04 != 0 }
        var hasEnergy: Bool { flags & 0x08 != 0 }
        var hasIntervals: Bool { flags & 0x10 != 0 }
        var reserved: UInt8 { flags & 0xE0 }
        /// How many octets the flags explain, without RR-Intervals.
        var length: Int { 1 + (isTwoOctets ? 2 : 1) + (hasEnergy ? 2 : 0) }
    }

    let octets: [UInt8]
    let instant: Instant
    /// Nil when the octets end before what the flags promise.
    let value: HeartRateMeasurement?

    init(_ notice: Examiner.Notice) {
        (octets, instant) = (notice.octets, notice.instant)
        value = try? HeartRateMeasurement(octets: notice.octets)
    }

    var form: Form { Form(flags: octets.first ?? 0) }

    /// For a fail: `16 48 (72 bpm) at 3.250000 s`.
    var words: String {
        "\(octets.hex)\(value.map { " (\($0.bpm) bpm)" } ?? " (too short for its flags)") at \(instant) s"
    }

    /// What is wrong with its octets by themselves; nil when nothing is.
    var fault: String? {
        if octets.isEmpty { return "flags" }
        if form.reserved != 0 { return "flags whose bits 5 to 7 are 0" }
        let rest = octets.count - form.length
        if rest < 0 { return "all fields that the flags promise" }
        if form.hasIntervals { return rest >= 2 && rest % 2 == 0 ? nil : "whole RR-Intervals, one at least" }
        return rest == 0 ? nil : "no octets behind those that the flags explain"
    }
}

extension Examiner {
    /// Subscribes to the heart rate; a refusal is a fail.
    mutating func subscribeToHeart() throws(CheckExit) -> DiscoveredCharacteristic {
        let value = try characteristic(.heartRateMeasurement, of: .heartRate)
        try subscribe(.notification, to: value)
        return value
    }

    /// All measurements from now on, for so long; inconclusive when there is none.
    mutating func listenToHeart(for duration: Duration) throws(CheckExit) -> [HeardMeasurement] {
        let value = try subscribeToHeart()
        let heard = try notices(of: value.valueHandle, for: duration).map(HeardMeasurement.init)
        guard !heard.isEmpty else { throw .inconclusive("no measurement came within \(duration.inWords)") }
        return heard
    }

    /// The first measurement from now on that is wanted; nil when none comes in time.
    mutating func nextMeasurement(
        of value: DiscoveredCharacteristic, within duration: Duration,
        where isWanted: (HeardMeasurement) -> Bool = { _ in true }
    ) throws(CheckExit) -> HeardMeasurement? {
        try next(of: value.valueHandle, within: duration) { isWanted(HeardMeasurement($0)) }.map(HeardMeasurement.init)
    }

    /// Subscribes to the heart rate, and waits for the first measurement; inconclusive when there is none.
    mutating func firstMeasurement() throws(CheckExit) -> (value: DiscoveredCharacteristic, first: HeardMeasurement) {
        let value = try subscribeToHeart()
        guard let first = try nextMeasurement(of: value, within: .seconds(10)) else {
            throw .inconclusive("no measurement came within 10 s of the subscription")
        }
        return (value, first)
    }

    /// The newest measurement that was heard.
    func lastMeasurement(of value: DiscoveredCharacteristic) -> HeardMeasurement? {
        notices.last { $0.handle == value.valueHandle }.map(HeardMeasurement.init)
    }

    /// In words, for a fail: what was heard instead.
    func newest(of value: DiscoveredCharacteristic) -> String {
        lastMeasurement(of: value).map { "the newest is \($0.words)" } ?? "no measurement at all"
    }
}
