/// A key of a service in a scenario, with its type and default.
///
/// The reader, its messages, the JSON Schema and the language reference are derived from it.
package struct FieldDescription: ServiceField, Hashable {
    /// The type of a key's value.
    package enum Form: Hashable, Sendable {
        case curve(ClosedRange<Double>)
        /// A duration in this range, such as `"1 s"`.
        case duration(ClosedRange<Duration>)
        /// A time of day such as `"07:30"`.
        case timeOfDay
        /// `true` or `false`.
        case flag
        /// `true` or `false` as 1 and 0, a number in this range, or a curve.
        case truth(ClosedRange<Double>)
        /// `true` for a value derived from others, a number in this range, or a curve.
        case derivedOrCurve(ClosedRange<Double>)
        case whole(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        /// A rate in whole Hz in this range, such as `"500 Hz"`.
        case rate(ClosedRange<Int>)
        case word([String])
        /// A string of at most this number of octets of UTF-8.
        case text(Int)
        /// An object with these fields, whose keys begin with the object's: `noise.mains`.
        case object([FieldDescription])
    }

    /// Its key; in an object, preceded by the object's key and a point.
    package let key: String
    package let form: Form
    /// The default; nil when it has none.
    package let standard: FieldValue?
    package let isRequired: Bool
    /// One sentence: the meaning, the unit, and the effect of leaving out a key without a `standard`.
    package let about: String

    package static func object(_ key: String, _ fields: [any ServiceField], _ about: String) -> FieldDescription {
        FieldDescription(
            key: key, form: .object(fields.map(\.description)), standard: nil, isRequired: false, about: about)
    }

    package var description: FieldDescription { self }

    package var name: String { key.split(separator: ".").last.map(String.init) ?? key }
}

/// The value of a key in a scenario, or the default.
package enum FieldValue: Hashable, Sendable {
    case curve(Curve)
    case duration(Duration)
    /// `true` or `false`.
    case flag(Bool)
    /// A whole number; a rate in Hz.
    case whole(Int)
    case number(Double)
    case word(String)
    case characteristics([CustomCharacteristic])

    var payload: any Sendable {
        switch self {
        case .curve(let curve): curve
        case .duration(let duration): duration
        case .flag(let flag): flag
        case .whole(let number): number
        case .number(let number): number
        case .word(let word): word
        case .characteristics(let characteristics): characteristics
        }
    }
}
