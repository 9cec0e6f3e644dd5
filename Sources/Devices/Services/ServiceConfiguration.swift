/// What a scenario says of one service: the values of its fields.
public struct ServiceConfiguration: Hashable, Sendable {
    private var values: [String: FieldValue] = [:]
    /// The keys that the file has, and not with `false`.
    private var written: Set<String> = []

    /// All fields have their defaults.
    public init() {}

    /// Fields with these values; the others have their defaults.
    public init(_ values: (String, FieldValue)?...) {
        for case (let key, let value)? in values { set(key, to: value) }
    }

    /// The file has this under a key; nil when it could not be read.
    public mutating func set(_ key: String, to value: FieldValue?) {
        if let value { values[key] = value }
        if value != .flag(false) { written.insert(key) }
    }

    /// Whether the file has this key, and not with `false`.
    public func has(_ key: String) -> Bool { written.contains(key) }

    /// What the file has under a key; nil when it does not have it.
    func written(_ key: String) -> FieldValue? { values[key] }

    /// The string under a key; nil when the file does not have it.
    func word(_ key: String) -> String? { if case .word(let word)? = values[key] { word } else { nil } }

    /// The value of a field: what the file has, or the default.
    public subscript<Value>(field: Field<Value>) -> Value {
        (values[field.key] ?? field.description.standard).flatMap(Value.init) ?? .nothing
    }
}
