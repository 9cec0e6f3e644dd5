import Spelling

extension Grammar {
    /// Notes everything in a document, from its root, that has not its shape.
    public func check(_ document: Cursor) { root.check(document, in: self) }
}

extension Shape {
    /// Notes everything at and below `cursor` that has not this shape.
    public func check(_ cursor: Cursor, in grammar: Grammar) {
        switch (self, cursor.node.value) {
        case (_, .unknown), (.anything, _), (.null, .null), (.boolean, .bool), (.text, .string): break
        case (.integer(let range), .number(let text)):
            if !(Int(text).map(range.contains) ?? false) { complain(.outOfRange, cursor) }
        case (.number(let range), .number(let text)):
            if !(Double(text).map(range.contains) ?? false) { complain(.outOfRange, cursor) }
        case (.form(let form), .string(let string)):
            if string.utf8.count > Form.longest || !form.accepts(string) {
                let hint = suggestion(for: string, among: form.names)
                cursor.note(.wrongForm, "\(string.brief.quoted) is not \(form.expected)\(hint)")
            }
        case (.name(let names), .string(let string)): Self.check(string, cursor, among: names)
        case (.list(let shape, let count), .array(let nodes)):
            if !count.contains(nodes.count) {
                cursor.note(.outOfRange, "expected \(expected), found \(cursor.node.kind) of \(nodes.count)")
            }
            cursor.eachItem { shape.check($0, in: grammar) }
        case (.object(let fields), .object): Self.check(cursor, fields, in: grammar)
        case (.map(let form, let shape), .object):
            for (member, value) in cursor.entries where !cursor.isGivenUp {
                if !form.accepts(member.key) {
                    let hint = suggestion(for: member.key, among: form.names)
                    cursor.note(
                        .unknownKey, "\(member.key.brief.quoted) is not \(form.expected)\(hint)", key: member.key,
                        at: member.position)
                }
                shape.check(value, in: grammar)
            }
        case (.kinds(let key, let kinds), .object): Self.check(cursor, key, kinds, in: grammar)
        case (.any(let shapes), _):
            let typed = shapes.filter { $0.fits(cursor, in: grammar) }
            let shape = typed.first { $0.isMeant(by: cursor, in: grammar) } ?? typed.last
            guard let shape else { return complain(.wrongType, cursor) }
            shape.check(cursor, in: grammar)
        case (.definition, _): grammar.resolved(self).check(cursor, in: grammar)
        default: complain(.wrongType, cursor)
        }
    }

    private static func check(_ cursor: Cursor, _ fields: [Field], also key: String? = nil, in grammar: Grammar) {
        let fields = fields + grammar.everywhere
        let known = fields.map(\.key) + (key.map { [$0] } ?? [])
        for member in cursor.members where !cursor.isGivenUp && !known.contains(member.key) {
            let hint = suggestion(for: member.key, among: known)
            cursor.note(.unknownKey, "unknown key\(hint)", key: member.key, at: member.position)
        }
        for field in fields {
            if let value = cursor[field.key] {
                field.shape.check(value, in: grammar)
            } else if field.isRequired {
                cursor.note(.missingKey, "missing key", key: field.key)
            }
        }
    }

    /// Of an object whose kind is wrong nothing else is said: its keys may be right for the kind that was meant.
    private static func check(_ cursor: Cursor, _ key: String, _ kinds: [Kind], in grammar: Grammar) {
        guard let name = cursor[key] else { return cursor.note(.missingKey, "missing key", key: key) }
        let names = Shape.name(kinds.map(\.name))
        guard case .string(let string) = name.node.value else { return names.check(name, in: grammar) }
        guard let kind = kinds.first(where: { $0.name == string }) else { return names.check(name, in: grammar) }
        check(cursor, kind.fields, also: key, in: grammar)
    }

    private static func check(_ string: String, _ cursor: Cursor, among names: [String]) {
        guard !names.contains(string) else { return }
        let hint = suggestion(for: string, among: names)
        cursor.note(.unknownName, "\(string.brief.quoted) is none of \(names.joined(separator: ", "))\(hint)")
    }

    private func complain(_ code: DiagnosticCode, _ cursor: Cursor) {
        cursor.note(code, "expected \(expected), found \(cursor.node.kind)")
    }

    /// Whether a value is of this shape's type.
    private func fits(_ cursor: Cursor, in grammar: Grammar) -> Bool {
        switch (self, cursor.node.value) {
        case (_, .unknown), (.anything, _), (.null, .null), (.boolean, .bool), (.text, .string), (.form, .string),
            (.name, .string), (.integer, .number), (.number, .number), (.list, .array), (.map, .object),
            (.object, .object), (.kinds, .object):
            true
        case (.any(let shapes), _): shapes.contains { $0.fits(cursor, in: grammar) }
        case (.definition, _): grammar.resolved(self).fits(cursor, in: grammar)
        default: false
        }
    }

    /// Whether the keys of an object, if it is one, show that this shape is meant: those that it must have, else one
    /// that it can have.
    private func isMeant(by cursor: Cursor, in grammar: Grammar) -> Bool {
        switch self {
        case .object(let fields):
            let required = fields.filter(\.isRequired)
            return required.isEmpty
                ? fields.contains { cursor[$0.key] != nil } : required.allSatisfy { cursor[$0.key] != nil }
        case .kinds(let key, _): return cursor[key] != nil
        case .any(let shapes): return shapes.contains { $0.isMeant(by: cursor, in: grammar) }
        case .definition: return grammar.resolved(self).isMeant(by: cursor, in: grammar)
        default: return true
        }
    }

    /// What a message says that there should be.
    var expected: String {
        switch self {
        case .anything: "a value"
        case .null: "null"
        case .boolean: "true or false"
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
        case .any(let shapes): shapes.map(\.expected).joined(separator: " or ")
        case .definition(let name): "a \(name)"
        }
    }
}

extension Double {
    /// Without a fraction of zero: `3`, `0.5`.
    public var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
