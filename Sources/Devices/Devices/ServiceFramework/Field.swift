/// A key of a service, with or without a type for its values.
package protocol ServiceField: Sendable {
    var description: FieldDescription { get }
}

/// A field whose values have a type: `configuration[BatteryFields.period]` is a `Duration`.
package struct Field<Value: FieldType>: ServiceField {
    package let description: FieldDescription

    /// A field with a default; without one it is required, unless it is optional.
    fileprivate init(
        _ key: String, _ form: FieldDescription.Form, _ standard: Value?, isOptional: Bool = false, _ about: String
    ) {
        description = FieldDescription(
            key: key, form: form, standard: standard?.fieldValue, isRequired: standard == nil && !isOptional,
            about: about)
    }

    /// Its key; in an object, preceded by the object's key and a point.
    package var key: String { description.key }

    /// The field with a value, for a configuration that is not read from a file.
    package func callAsFunction(_ value: Value) -> (String, FieldValue)? { value.fieldValue.map { (key, $0) } }
}

/// A type that fields can have.
package protocol FieldType: Sendable {
    /// The value of a missing required field, which is never used: the file is refused.
    static var nothing: Self { get }
    init?(_ value: FieldValue)
    /// The value in a configuration; nil for an optional that is nil.
    var fieldValue: FieldValue? { get }
}

extension FieldType {
    package init?(_ value: FieldValue) {
        guard let own = value.payload as? Self else { return nil }
        self = own
    }
}

extension Optional: FieldType where Wrapped: FieldType {
    package static var nothing: Wrapped? { nil }
    package init?(_ value: FieldValue) {
        guard let wrapped = Wrapped(value) else { return nil }
        self = wrapped
    }
    package var fieldValue: FieldValue? { flatMap(\.fieldValue) }
}

extension Curve: FieldType {
    package static var nothing: Curve { .constant(0) }
    package var fieldValue: FieldValue? { .curve(self) }
}

extension Duration: FieldType {
    package static var nothing: Duration { .zero }
    package var fieldValue: FieldValue? { .duration(self) }
}

extension Bool: FieldType {
    package static var nothing: Bool { false }
    package var fieldValue: FieldValue? { .flag(self) }
}

extension Int: FieldType {
    package static var nothing: Int { 0 }
    package var fieldValue: FieldValue? { .whole(self) }
}

extension Double: FieldType {
    package static var nothing: Double { 0 }
    package var fieldValue: FieldValue? { .number(self) }
}

extension String: FieldType {
    package static var nothing: String { "" }
    package var fieldValue: FieldValue? { .word(self) }
}

/// A quantity that is computed from another, or follows a curve.
package enum DerivedCurve: FieldType, Hashable {
    case derived
    case curve(Curve)

    package static var nothing: DerivedCurve { .derived }
    /// Nil for `false` and for a value of another type.
    package init?(_ value: FieldValue) {
        switch value {
        case .flag(true): self = .derived
        case .curve(let curve): self = .curve(curve)
        default: return nil
        }
    }
    package var fieldValue: FieldValue? {
        switch self {
        case .derived: .flag(true)
        case .curve(let curve): .curve(curve)
        }
    }
}

// MARK: Fields by type

extension Field<Curve> {
    package static func curve(
        _ key: String, _ range: ClosedRange<Double>, standard: Double? = nil, _ about: String
    ) -> Field { Field(key, .curve(range), standard.map(Curve.constant), about) }
}

extension Field<Curve?> {
    package static func optionalCurve(_ key: String, _ range: ClosedRange<Double>, _ about: String) -> Field {
        Field(key, .curve(range), nil, isOptional: true, about)
    }

    /// True, false or a curve of 1 and 0, or nothing.
    package static func truth(_ key: String, _ about: String) -> Field {
        Field(key, .truth(0...1), nil, isOptional: true, about)
    }
}

extension Field<DerivedCurve?> {
    /// `true`, a number or a curve, or nothing.
    package static func derivedOrCurve(_ key: String, _ range: ClosedRange<Double>, _ about: String) -> Field {
        Field(key, .derivedOrCurve(range), nil, isOptional: true, about)
    }
}

extension Field<Duration> {
    /// A measurement or notification interval; 1 s by default, and at most a day.
    package static func period(
        key: String = "period", in range: ClosedRange<Duration> = .milliseconds(1) ... .seconds(86_400),
        _ about: String
    ) -> Field { Field(key, .duration(range), .seconds(1), about) }

    /// A time of day; midnight by default.
    package static func timeOfDay(_ key: String, _ about: String) -> Field { Field(key, .timeOfDay, .zero, about) }
}

extension Field<Duration?> {
    /// An interval of at most a day, or nothing.
    package static func optionalPeriod(_ key: String, from least: Duration, _ about: String) -> Field {
        Field(key, .duration(least ... .seconds(86_400)), nil, isOptional: true, about)
    }
}

extension Field<Bool> {
    /// `true` or `false`; `false` by default.
    package static func flag(_ key: String, _ about: String) -> Field { Field(key, .flag, false, about) }
}

extension Field<Int> {
    /// A rate in whole Hz.
    package static func rate(_ key: String, _ range: ClosedRange<Int>, _ about: String) -> Field {
        Field(key, .rate(range), nil, about)
    }
}

extension Field<Int?> {
    package static func optionalWhole(_ key: String, _ range: ClosedRange<Int>, _ about: String) -> Field {
        Field(key, .whole(range), nil, isOptional: true, about)
    }

    /// A rate in whole Hz, or nothing.
    package static func optionalRate(_ key: String, _ range: ClosedRange<Int>, _ about: String) -> Field {
        Field(key, .rate(range), nil, isOptional: true, about)
    }
}

extension Field<Double?> {
    package static func optionalNumber(_ key: String, _ range: ClosedRange<Double>, _ about: String) -> Field {
        Field(key, .number(range), nil, isOptional: true, about)
    }
}

extension Field<String> {
    package static func word(_ key: String, _ words: [String], standard: String, _ about: String) -> Field {
        Field(key, .word(words), standard, about)
    }
}

extension Field<String?> {
    package static func optionalWord(_ key: String, _ words: [String], _ about: String) -> Field {
        Field(key, .word(words), nil, isOptional: true, about)
    }

    /// A string of at most 512 octets, the longest value of an attribute, or nothing.  Core 6.0, Vol 3, Part F, section
    /// 3.2.9.
    package static func optionalText(_ key: String, _ about: String) -> Field {
        Field(key, .text(512), nil, isOptional: true, about)
    }
}
