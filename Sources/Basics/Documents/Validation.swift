import TextFormatting

extension Grammar {
    /// Reports everything in a document that does not match the grammar.
    package func check(_ document: Cursor) { root.check(document, in: self) }
}

extension Shape {
    /// Reports everything at and below `cursor` that does not match this shape.
    package func check(_ cursor: Cursor, in grammar: Grammar) {
        switch (self, cursor.node.value) {
        case (_, .unknown), (.anything, _), (.null, .null), (.boolean, .bool), (.text, .string): break
        case (.version(let version), .number(let text)):
            if Int(text) != version {
                cursor.note(
                    .outOfRange, "unsupported version \(cursor.node.kind): this lubdub reads version \(version)")
            }
        case (.integer(let range), .number(let text)):
            if !(Int(text).map(range.contains) ?? false) { reportMismatch(.outOfRange, cursor) }
        case (.number(let range), .number(let text)):
            if !(Double(text).map(range.contains) ?? false) { reportMismatch(.outOfRange, cursor) }
        case (.form(let form), .string(let string)):
            if string.utf8.count > Form.maximumLength || !form.accepts(string) {
                let hint = suggestion(for: string, among: form.names)
                cursor.note(.wrongForm, "\(string.abbreviated.quoted) is not \(form.expected)\(hint)")
            }
        case (.name(let names), .string(let string)): Self.check(string, cursor, among: names)
        case (.list(let shape, let count), .array(let nodes)):
            if !count.contains(nodes.count) {
                cursor.note(.outOfRange, "expected \(expected), found \(cursor.node.kind) of \(nodes.count)")
            }
            cursor.eachItem { shape.check($0, in: grammar) }
        case (.object(let fields), .object): Self.check(cursor, fields, in: grammar)
        case (.map(let form, let shape), .object):
            for (member, value) in cursor.entries where !cursor.isLogFull {
                if !form.accepts(member.key) {
                    let hint = suggestion(for: member.key, among: form.names)
                    cursor.note(
                        .unknownKey, "\(member.key.abbreviated.quoted) is not \(form.expected)\(hint)", key: member.key,
                        at: member.position)
                }
                shape.check(value, in: grammar)
            }
        case (.kinds(let key, let kinds), .object): Self.check(cursor, key, kinds, in: grammar)
        case (.any(let shapes), _):
            let typed = shapes.filter { $0.fits(cursor, in: grammar) }
            let shape = typed.first { $0.matchesKeys(of: cursor, in: grammar) } ?? typed.last
            guard let shape else { return reportMismatch(.wrongType, cursor) }
            shape.check(cursor, in: grammar)
        case (.definition, _): grammar.resolved(self).check(cursor, in: grammar)
        default: reportMismatch(.wrongType, cursor)
        }
    }

    private static func check(_ cursor: Cursor, _ fields: [Field], also key: String? = nil, in grammar: Grammar) {
        let fields = fields + grammar.everywhere
        let known = fields.map(\.key) + (key.map { [$0] } ?? [])
        for member in cursor.members where !cursor.isLogFull && !known.contains(member.key) {
            let hint = suggestion(for: member.key, among: known)
            cursor.note(.unknownKey, "unknown key\(hint)", key: member.key, at: member.position)
        }
        for field in fields {
            if let value = cursor[field.key] {
                field.shape.check(value, in: grammar)
            } else if field.isRequired {
                cursor.note(.missingKey, "\(field.key.quoted) is required", key: field.key)
            }
        }
    }

    /// If the kind is wrong, the other keys are not checked: they may be right for the intended kind.
    private static func check(_ cursor: Cursor, _ key: String, _ kinds: [Kind], in grammar: Grammar) {
        guard let name = cursor[key] else { return cursor.note(.missingKey, "\(key.quoted) is required", key: key) }
        let names = Shape.name(kinds.map(\.name))
        guard case .string(let string) = name.node.value else { return names.check(name, in: grammar) }
        guard let kind = kinds.first(where: { $0.name == string }) else { return names.check(name, in: grammar) }
        check(cursor, kind.fields, also: key, in: grammar)
    }

    private static func check(_ string: String, _ cursor: Cursor, among names: [String]) {
        guard !names.contains(string) else { return }
        let hint = suggestion(for: string, among: names)
        cursor.note(.unknownName, "\(string.abbreviated.quoted) is not one of \(names.joined(separator: ", "))\(hint)")
    }

    private func reportMismatch(_ code: DiagnosticCode, _ cursor: Cursor) {
        cursor.note(code, "expected \(expected), found \(cursor.node.kind)")
    }

    /// Whether the value has the type of this shape.
    private func fits(_ cursor: Cursor, in grammar: Grammar) -> Bool {
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

    /// Whether an object has the keys that identify this shape: all required ones, or any one if none is required. True
    /// for values that are not objects.
    private func matchesKeys(of cursor: Cursor, in grammar: Grammar) -> Bool {
        switch self {
        case .object(let fields):
            let required = fields.filter(\.isRequired)
            return required.isEmpty
                ? fields.contains { cursor[$0.key] != nil } : required.allSatisfy { cursor[$0.key] != nil }
        case .kinds(let key, _): return cursor[key] != nil
        case .any(let shapes): return shapes.contains { $0.matchesKeys(of: cursor, in: grammar) }
        case .definition: return grammar.resolved(self).matchesKeys(of: cursor, in: grammar)
        default: return true
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
        case .any(let shapes): shapes.map(\.expected).joined(separator: " or ")
        case .definition(let name): "a \(name)"
        }
    }
}

extension Double {
    /// The number without a fraction of zero: `3`, `0.5`.
    package var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
