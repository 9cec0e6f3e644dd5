public import Sensors

/// What may stand under a key of a service in a scenario, and what it is if it is left out.
///
/// One declaration serves four: the reader, the checks, the JSON Schema, and the table of the documentation.
public struct FieldDescription: Hashable, Sendable {
    /// In which form a value stands there.
    public enum Form: Hashable, Sendable {
        /// A number in this range, or one that changes.
        case curve(ClosedRange<Double>)
        /// A length of time such as `"1 s"`, from a millisecond to a day.
        case duration
        /// `true` or `false`.
        case flag
        /// `true` or `false` as 1 and 0, a number in this range, or one that changes.
        case truth(ClosedRange<Double>)
        /// `true` to have it follow from something else, a number in this range, or one that changes.
        case derivedOrCurve(ClosedRange<Double>)
        /// A whole number.
        case whole(ClosedRange<Int>)
        /// One of these words.
        case word([String])
    }

    /// As it is written.
    public let key: String
    /// In which form.
    public let form: Form
    /// Nil: it must be there, or the service does without it.
    public let standard: FieldValue?
    /// Whether it must be there.
    public let isRequired: Bool
    /// What it means, in the unit in which it counts.
    public let about: String
}

/// What stands under a key, or is meant when nothing does.
public enum FieldValue: Hashable, Sendable {
    /// A number, or one that changes.
    case curve(Curve)
    /// A length of time.
    case duration(Duration)
    /// `true` or `false`.
    case flag(Bool)
    /// A whole number.
    case whole(Int)
    /// A word.
    case word(String)
}

/// A field whose values are known by their type.
public struct Field<Value: FieldType>: Sendable {
    /// What a file may have.
    public let description: FieldDescription

    /// A field that is `standard` if it is left out; without one it must be there, unless it is optional.
    fileprivate init(
        _ key: String, _ form: FieldDescription.Form, _ standard: Value?, isOptional: Bool = false, _ about: String
    ) {
        description = FieldDescription(
            key: key, form: form, standard: standard?.fieldValue, isRequired: standard == nil && !isOptional,
            about: about)
    }

    /// As it is written.
    public var key: String { description.key }

    /// This field with a value, for those who make a configuration without a file.
    public func callAsFunction(_ value: Value) -> (String, FieldValue)? { value.fieldValue.map { (key, $0) } }
}

/// What a field can have.
public protocol FieldType: Sendable {
    /// What there is when nothing is known.
    static var nothing: Self { get }
    /// Nil for a value of another form.
    init?(_ value: FieldValue)
    /// The same without its type; nil for what is not there.
    var fieldValue: FieldValue? { get }
}

extension Optional: FieldType where Wrapped: FieldType {
    /// Not there.
    public static var nothing: Wrapped? { nil }
    /// Nil for a value of another form.
    public init?(_ value: FieldValue) {
        guard let wrapped = Wrapped(value) else { return nil }
        self = wrapped
    }
    /// The same without its type; nil for what is not there.
    public var fieldValue: FieldValue? { flatMap(\.fieldValue) }
}

extension Curve: FieldType {
    /// Always 0.
    public static var nothing: Curve { .constant(0) }
    /// Nil for what is no curve.
    public init?(_ value: FieldValue) {
        guard case .curve(let curve) = value else { return nil }
        self = curve
    }
    /// The same without its type.
    public var fieldValue: FieldValue? { .curve(self) }
}

extension Duration: FieldType {
    /// None.
    public static var nothing: Duration { .zero }
    /// Nil for what is no length of time.
    public init?(_ value: FieldValue) {
        guard case .duration(let duration) = value else { return nil }
        self = duration
    }
    /// The same without its type.
    public var fieldValue: FieldValue? { .duration(self) }
}

extension Field<Curve> {
    /// A number or a curve.
    public static func curve(
        _ key: String, _ range: ClosedRange<Double>, standard: Double? = nil, _ about: String
    ) -> Field { Field(key, .curve(range), standard.map(Curve.constant), about) }
}

extension Field<Curve?> {
    /// A number or a curve that a service can do without.
    public static func optionalCurve(_ key: String, _ range: ClosedRange<Double>, _ about: String) -> Field {
        Field(key, .curve(range), nil, isOptional: true, about)
    }

    /// Whether something is so, or a curve of it: 0 is no; a service can do without.
    public static func truth(_ key: String, _ about: String) -> Field {
        Field(key, .truth(0...1), nil, isOptional: true, about)
    }
}

extension Bool: FieldType {
    /// No.
    public static var nothing: Bool { false }
    /// Nil for what is neither.
    public init?(_ value: FieldValue) {
        guard case .flag(let flag) = value else { return nil }
        self = flag
    }
    /// The same without its type.
    public var fieldValue: FieldValue? { .flag(self) }
}

extension Int: FieldType {
    /// 0.
    public static var nothing: Int { 0 }
    /// Nil for what is no whole number.
    public init?(_ value: FieldValue) {
        guard case .whole(let number) = value else { return nil }
        self = number
    }
    /// The same without its type.
    public var fieldValue: FieldValue? { .whole(self) }
}

extension String: FieldType {
    /// Empty.
    public static var nothing: String { "" }
    /// Nil for what is no word.
    public init?(_ value: FieldValue) {
        guard case .word(let word) = value else { return nil }
        self = word
    }
    /// The same without its type.
    public var fieldValue: FieldValue? { .word(self) }
}

extension Field<Bool> {
    /// `true` or `false`; `false` if it is left out.
    public static func flag(_ key: String, _ about: String) -> Field { Field(key, .flag, false, about) }
}

extension Field<Int?> {
    /// A whole number that a service can do without.
    public static func optionalWhole(_ key: String, _ range: ClosedRange<Int>, _ about: String) -> Field {
        Field(key, .whole(range), nil, isOptional: true, about)
    }
}

extension Field<String> {
    /// One of these words.
    public static func word(_ key: String, _ words: [String], standard: String, _ about: String) -> Field {
        Field(key, .word(words), standard, about)
    }
}

extension Field<String?> {
    /// One of these words, or none.
    public static func optionalWord(_ key: String, _ words: [String], _ about: String) -> Field {
        Field(key, .word(words), nil, isOptional: true, about)
    }
}

/// A quantity that is counted from another, or follows a curve.
public enum DerivedCurve: FieldType, Hashable {
    /// It follows from something else.
    case derived
    /// It follows this.
    case curve(Curve)

    /// It follows from something else.
    public static var nothing: DerivedCurve { .derived }
    /// Nil for `false` and other forms.
    public init?(_ value: FieldValue) {
        switch value {
        case .flag(true): self = .derived
        case .curve(let curve): self = .curve(curve)
        default: return nil
        }
    }
    /// The same without its type.
    public var fieldValue: FieldValue? {
        switch self {
        case .derived: .flag(true)
        case .curve(let curve): .curve(curve)
        }
    }
}

extension Field<DerivedCurve?> {
    /// `true`, a number or a curve; a service can do without.
    public static func derivedOrCurve(_ key: String, _ range: ClosedRange<Double>, _ about: String) -> Field {
        Field(key, .derivedOrCurve(range), nil, isOptional: true, about)
    }
}

extension Field<Duration> {
    /// From one look or notification to the next: 1 s unless it is said.
    public static func period(_ about: String) -> Field { Field("period", .duration, .seconds(1), about) }
}

/// What a scenario says of one service: the values of its fields.
public struct ServiceConfiguration: Hashable, Sendable {
    private var values: [String: FieldValue] = [:]
    /// The keys that the file itself has, and not with `false`.
    private var written: Set<String> = []

    /// Everything as it is when it is left out.
    public init() {}

    /// These, and the others as they are when they are left out.
    public init(_ values: (String, FieldValue)?...) {
        for case (let key, let value)? in values { set(key, to: value) }
    }

    /// What the file has under a key.
    public mutating func set(_ key: String, to value: FieldValue) {
        values[key] = value
        if value != .flag(false) { written.insert(key) }
    }

    /// Whether the file has this key, and not with `false`.
    public func has(_ key: String) -> Bool { written.contains(key) }

    /// The value of a field: what stands there, or what is meant.
    public subscript<Value>(field: Field<Value>) -> Value {
        (values[field.description.key] ?? field.description.standard).flatMap(Value.init) ?? .nothing
    }
}
