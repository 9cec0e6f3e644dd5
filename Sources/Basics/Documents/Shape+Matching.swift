import Basics

extension Shape {
    /// Whether the value has the type of this shape.
    func fits(_ cursor: Cursor, in grammar: Grammar) -> Bool {
        switch (self, cursor.node.value) {
        case (_, .unknown), (.anything, _), (.null, .null), (.boolean, .bool), (.text, .string), (.form, .string),
            (.name, .string), (.integer, .number), (.version, .number), (.number, .number), (.list, .array),
            (.map, .object), (.object, .object), (.kinds, .object):
            true
        case (.any(let shapes), _): shapes.contains { $0.fits(cursor, in: grammar) }
        case (.definition, _): grammar.resolved(self).fits(cursor, in: grammar)
        default: false
        }
    }

    /// Whether a string is right.
    func accepts(_ string: String, in grammar: Grammar) -> Bool {
        switch self {
        case .anything, .text: true
        case .form(let form): form.accepts(string)
        case .name(let names): names.contains(string)
        case .any(let shapes): shapes.contains { $0.accepts(string, in: grammar) }
        case .definition: grammar.resolved(self).accepts(string, in: grammar)
        default: false
        }
    }

    /// Whether an object has the keys that identify this shape: all required ones, or any one if none is required. True
    /// for values that are not objects.
    func matchesKeys(of cursor: Cursor, in grammar: Grammar) -> Bool {
        switch self {
        case .object(let fields):
            let required = fields.filter(\.isRequired)
            return required.isEmpty
                ? fields.contains { cursor[$0.key] != nil } : required.allSatisfy { cursor[$0.key] != nil }
        case .kinds(let key, _): return cursor[key] != nil
        case .map(let form, _): return cursor.members.allSatisfy { form.accepts($0.key) }
        case .any(let shapes): return shapes.contains { $0.matchesKeys(of: cursor, in: grammar) }
        case .definition: return grammar.resolved(self).matchesKeys(of: cursor, in: grammar)
        default: return true
        }
    }

    /// The fields that objects of this shape can have, or the items of a list: of all kinds and alternatives.
    func fields(in grammar: Grammar) -> [Field] {
        var fields: [Field] = []
        _ = hasField(in: grammar) { field in
            fields.append(field)
            return false
        }
        return fields
    }

    /// Whether objects of this shape can have one of the keys of an object.
    func hasAny(_ members: [Node.Member], in grammar: Grammar) -> Bool {
        let keys = Set((fields(in: grammar) + grammar.everywhere).map(\.key))
        return keys.count == grammar.everywhere.count || members.contains { keys.contains($0.key) }
    }

    /// Whether `isSought` is true of one of these fields, in order, as long as it is false.
    func hasField(in grammar: Grammar, where isSought: (Field) -> Bool) -> Bool {
        if case .list(let item, _) = self { return item.hasOwnField(in: grammar, where: isSought) }
        return hasOwnField(in: grammar, where: isSought)
    }

    /// Lists are left out: the items of a list in an alternative can have the same alternatives.
    private func hasOwnField(in grammar: Grammar, where isSought: (Field) -> Bool) -> Bool {
        switch self {
        case .object(let fields): fields.contains(where: isSought)
        case .kinds(let key, let kinds):
            isSought(Field(key, .name(kinds.map(\.name)), "")) || kinds.contains { $0.fields.contains(where: isSought) }
        case .any(let shapes): shapes.contains { $0.hasOwnField(in: grammar, where: isSought) }
        case .definition: grammar.resolved(self).hasOwnField(in: grammar, where: isSought)
        default: false
        }
    }

    /// The required key of objects that a name belongs to: `id` for `strap`; nil if there is none.
    func nameKey(_ name: String, in grammar: Grammar) -> String? {
        switch self {
        case .object(let fields):
            fields.first { field in
                if case .form(let form) = field.shape { field.isRequired && form.accepts(name) } else { false }
            }?.key
        case .kinds(let key, let kinds): kinds.contains { $0.name == name } ? key : nil
        case .definition: grammar.resolved(self).nameKey(name, in: grammar)
        default: nil
        }
    }

    /// Whether values are lists of objects.
    func isList(in grammar: Grammar) -> Bool {
        switch self {
        case .list: true
        case .definition: grammar.resolved(self).isList(in: grammar)
        default: false
        }
    }

    /// The shape for messages that begin with "expected".
    var expected: String {
        switch self {
        case .anything: "a value"
        case .null: "null"
        case .boolean: "true or false"
        case .version(let version): "version \(version)"
        case .integer(0...Int.max): "a whole number from 0"
        case .integer(1...Int.max): "a whole number from 1"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range) where range.upperBound == .greatestFiniteMagnitude: "a number"
        case .number(let range): "a number from \(range.lowerBound.plain) to \(range.upperBound.plain)"
        case .text: "a string"
        case .form(let form): form.expected
        case .name(let names): "one of " + names.joined(separator: ", ")
        case .list(_, let count) where count.upperBound == .max:
            count.lowerBound == 0 ? "an array" : "an array of \(count.lowerBound) or more"
        case .list(_, let count):
            count.count == 1
                ? "an array of \(count.lowerBound)" : "an array of \(count.lowerBound) to \(count.upperBound)"
        case .object, .map: "an object"
        case .kinds(let key, _): "an object with \(key.quoted)"
        case .any(let shapes): shapes.map(\.expected).enumerated(by: "or")
        case .definition(let name): "a \(name)"
        }
    }

    /// A value of this shape for a help; nil if none is simple and typical.
    var example: String? {
        switch self {
        case .boolean: "true"
        case .version(let version): "\(version)"
        case .integer(let range): "\(range.lowerBound)"
        case .text: "\"…\""
        case .form(let form):
            // The example in the description: `a duration such as "10 s"`.
            form.expected.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first.map { "\"\($0)\"" }
        case .name(let names): names.count == 1 ? names[0].quoted : nil
        case .list: "[…]"
        case .object, .map, .kinds: "{…}"
        case .any(let shapes): shapes.lazy.compactMap(\.example).first
        case .anything, .null, .number, .definition: nil
        }
    }
}

extension Double {
    /// The number without a fraction of zero: `3`, `0.5`.
    package var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
