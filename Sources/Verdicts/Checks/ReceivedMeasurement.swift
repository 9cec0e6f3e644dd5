import Bluetooth
import Characteristics
import GATT
import Octets
import Simulation

/// A received Heart Rate Measurement: its octets, flags, and decoded value.
struct ReceivedMeasurement {
    /// The flags.  Heart Rate Service 1.0, section 3.1.1.1.
    struct Form {
        let flags: UInt8

        var isTwoOctets: Bool { flags & 0x01 != 0 }
        var hasContactStatus: Bool { flags & 0x02 != 0 }
        var supportsContact: Bool { flags & 0x04 != 0 }
        var hasEnergy: Bool { flags & 0x08 != 0 }
        var hasIntervals: Bool { flags & 0x10 != 0 }
        var reserved: UInt8 { flags & 0xE0 }
        /// The octets of all announced fields other than RR-Intervals.
        var length: Int { 1 + (isTwoOctets ? 2 : 1) + (hasEnergy ? 2 : 0) }
    }

    let octets: [UInt8]
    let instant: Instant
    /// Nil if the octets are too short for the flags.
    let value: HeartRateMeasurement?

    init(_ received: Examiner.ReceivedValue) {
        (octets, instant) = (received.octets, received.instant)
        value = try? HeartRateMeasurement(octets: received.octets)
    }

    var form: Form { Form(flags: octets.first ?? 0) }

    /// `16 48 (72 bpm) at 3.250000 s`
    var description: String {
        "\(octets.hex)\(value.map { " (\($0.bpm) bpm)" } ?? " (too short for its flags)") at \(instant) s"
    }

    /// The well-formed alternative to a malformed measurement; nil if well-formed.
    var formatError: String? {
        if octets.isEmpty { return "flags" }
        if form.reserved != 0 { return "flags with bits 5 to 7 set to 0" }
        let rest = octets.count - form.length
        if rest < 0 { return "all fields that the flags announce" }
        if form.hasIntervals { return rest >= 2 && rest % 2 == 0 ? nil : "at least one whole RR-Interval" }
        return rest == 0 ? nil : "no octets after the fields that the flags announce"
    }
}

extension Examiner {
    /// Subscribes to the heart rate; an Error Response is a fail.
    mutating func subscribeToHeartRate() throws(CheckExit) -> DiscoveredCharacteristic {
        let value = try characteristic(.heartRateMeasurement, of: .heartRate)
        try subscribe(.notification, to: value)
        return value
    }

    /// Subscribes and returns all measurements during `duration`; inconclusive if there are none.
    mutating func receiveHeartRate(for duration: Duration) throws(CheckExit) -> [ReceivedMeasurement] {
        let value = try subscribeToHeartRate()
        let received = try receivedValues(of: value.valueHandle, for: duration).map(ReceivedMeasurement.init)
        guard !received.isEmpty else { throw .inconclusive("no measurement within \(duration.formatted)") }
        return received
    }

    /// The next matching measurement; nil if none arrives in time.
    mutating func nextMeasurement(
        of value: DiscoveredCharacteristic, within duration: Duration,
        where isMatch: (ReceivedMeasurement) -> Bool = { _ in true }
    ) throws(CheckExit) -> ReceivedMeasurement? {
        try next(of: value.valueHandle, within: duration) { isMatch(ReceivedMeasurement($0)) }.map(
            ReceivedMeasurement.init)
    }

    /// Subscribes to the heart rate and waits for the first measurement; inconclusive if there is none.
    mutating func firstMeasurement() throws(CheckExit) -> (value: DiscoveredCharacteristic, first: ReceivedMeasurement)
    {
        let value = try subscribeToHeartRate()
        guard let first = try nextMeasurement(of: value, within: .seconds(10)) else {
            throw .inconclusive("no measurement within 10 s of the subscription")
        }
        return (value, first)
    }

    func lastMeasurement(of value: DiscoveredCharacteristic) -> ReceivedMeasurement? {
        receivedValues.last { $0.handle == value.valueHandle }.map(ReceivedMeasurement.init)
    }

    /// Describes the latest measurement, for a fail.
    func newest(of value: DiscoveredCharacteristic) -> String {
        lastMeasurement(of: value).map { "the latest is \($0.description)" } ?? "no measurement"
    }
}
