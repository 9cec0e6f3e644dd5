import Basics
import Documents
import ScenarioModel

/// Parses and writes durations, quantities and times.
package enum Units {
    /// A duration in the largest unit up to hours that gives a whole number: `1 s`, `7500 us`, `90 s`.
    package static func text(_ duration: Duration) -> String {
        let nanoseconds = Int128(duration.inNanoseconds)
        let (unit, factor) =
            Duration.units.last { $0.nanoseconds <= 3_600_000_000_000 && nanoseconds.isMultiple(of: $0.nanoseconds) }
            ?? Duration.units[0]
        return nanoseconds == 0 ? "0 s" : "\(nanoseconds / factor) \(unit)"
    }

    /// A duration in the largest unit up to seconds of which it has at least one: `7.5 ms`, `4 s`, `3600 s`.
    package static func short(_ duration: Duration) -> String {
        let nanoseconds = duration.inNanoseconds
        let (unit, factor) = Duration.units.prefix(3).last { $0.nanoseconds <= nanoseconds } ?? Duration.units[0]
        return "\((Double(nanoseconds) / Double(factor)).plain) \(unit)"
    }

    /// A number with a unit: `500 Hz`, `3 m`.
    package static func quantity(_ text: String, unit: String) -> Double? {
        guard let quantity = Quantity(text), quantity.unit == unit else { return nil }
        return quantity.number
    }

    /// `07:30`.
    package static func timeOfDay(_ text: String) -> Duration? {
        WallTime("2000-01-01T\(text):00Z").map { .seconds($0.secondsSince2000) }
    }

    /// `07:30` for a time after midnight.
    package static func text(timeOfDay: Duration) -> String {
        let minutes = timeOfDay.inNanoseconds / 60_000_000_000
        return "\((minutes / 60).zeroPadded(to: 2)):\((minutes % 60).zeroPadded(to: 2))"
    }
}
