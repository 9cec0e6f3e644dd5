/// The configuration of one service in a scenario: the values of its fields.
package struct ServiceConfiguration: Hashable, Sendable {
    private var values: [String: FieldValue] = [:]
    /// The keys in the file, except those that are `false`.
    private var written: Set<String> = []

    package init() {}

    /// Fields with these values; the others have their defaults.
    package init(_ values: (String, FieldValue)?...) {
        for case (let key, let value)? in values { set(key, to: value) }
    }

    /// Sets the value of a key in the file; nil when it was malformed.
    package mutating func set(_ key: String, to value: FieldValue?) {
        if let value { values[key] = value }
        if value != .flag(false) { written.insert(key) }
    }

    /// Whether the file has this key, and it is not `false`.
    package func has(_ key: String) -> Bool { written.contains(key) }

    /// The value in the file; nil without the key.
    func written(_ key: String) -> FieldValue? { values[key] }

    /// The string in the file; nil without the key.
    package func word(_ key: String) -> String? { if case .word(let word)? = values[key] { word } else { nil } }

    /// The value of a field in the file, or the default.
    package subscript<Value>(field: Field<Value>) -> Value {
        (values[field.key] ?? field.description.standard).flatMap(Value.init) ?? .nothing
    }
}
