import Basics

extension Grammar {
    /// Reports everything in a document that does not match the grammar.
    ///
    /// - Returns: The document with misspelt keys and names as they were meant. A value with another problem is unknown, so
    ///   that nobody reports a consequence of it.
    @discardableResult
    package func check(_ document: Cursor) -> Cursor {
        document.replacing(Validator(grammar: self).check(document, root) ?? document.node)
    }
}

/// Checks values of a document; each function returns the value that was meant, or nil if it is right.
struct Validator {
    let grammar: Grammar
    /// The objects around the value, from the root.
    var enclosing: [(cursor: Cursor, fields: [Shape.Field])] = []
    /// Whether only the absence of problems counts: a trial ends with the first, and makes no others, whose number would
    /// grow with each level.
    private(set) var isTrial = false

    /// A trial, with the log of a cursor that tells its result: it is full with the first problem.
    var trial: (validator: Validator, log: ProblemLog) {
        var trial = self
        trial.isTrial = true
        return (trial, ProblemLog(maximum: 1))
    }

    func check(_ cursor: Cursor, _ shape: Shape) -> Node? {
        cursor.log.steps += 1
        switch (shape, cursor.node.value) {
        case (_, .unknown), (.anything, _), (.null, .null), (.boolean, .bool), (.text, .string): return nil
        case (.version(let version), .number):
            guard cursor.integer != version else { return nil }
            cursor.note(
                .outOfRange, "unsupported version \(cursor.node.kind): this version of lubdub reads version \(version)",
                help: "write \(version), or use a version of lubdub that reads \(cursor.node.kind)")
        case (.integer(let range), .number):
            if let number = cursor.integer, range.contains(number) { return nil }
            reportMismatch(.outOfRange, cursor, shape)
        case (.number(let range), .number(let text)):
            if let number = Double(text), range.contains(number) { return nil }
            reportMismatch(.outOfRange, cursor, shape)
        case (.form(let form), .string(let string)):
            if string.utf8.count <= Shape.Form.maximumLength, form.accepts(string) { return nil }
            cursor.note(
                .wrongForm, "\(string.abbreviated.quoted) is not \(form.expected)",
                help: grammar.advice(on: cursor.node) ?? form.help(for: string.abbreviated))
        case (.name(let names), .string(let string)):
            if names.contains(string) { return nil }
            let meant = grammar.advice.meaning(of: string, in: names)
            cursor.noteUnknownName(names, meant: meant)
            guard let meant else { break }
            return Node(.string(meant), at: cursor.node.position)
        case (.list(let item, let count), .array(let nodes)):
            if !count.contains(nodes.count) {
                cursor.note(.outOfRange, "expected \(shape.expected), found \(cursor.node.kind) of \(nodes.count)")
            }
            return checkItems(cursor, nodes, item)
        case (.list(let item, _), .object)
        where item.fits(cursor, in: grammar) && item.hasAny(cursor.members, in: grammar):
            reportMismatch(.wrongType, cursor, shape)
            return Node(.array([check(cursor, item) ?? cursor.node]), at: cursor.node.position)
        case (.object(let fields), .object): return check(cursor, fields)
        case (.map(let form, let value), .object): return checkMap(cursor, form, value)
        case (.kinds(let key, let kinds), .object): return check(cursor, key, kinds)
        case (.any(let shapes), _):
            guard let shape = bestMatch(cursor, shapes) else {
                reportMismatch(.wrongType, cursor, shape)
                break
            }
            return check(cursor, shape)
        case (.definition, _): return check(cursor, grammar.resolved(shape))
        default: reportMismatch(.wrongType, cursor, shape)
        }
        return Node(.unknown, at: cursor.node.position)
    }

    private func checkItems(_ cursor: Cursor, _ nodes: [Node], _ shape: Shape) -> Node? {
        var changes: [Int: Node] = [:]
        var index = 0
        cursor.eachItem { item in
            if let node = check(item, shape) { changes[index] = node }
            index += 1
        }
        guard !changes.isEmpty else { return nil }
        return Node(
            .array(nodes.enumerated().map { changes[$0.offset] ?? $0.element }), at: cursor.node.position)
    }

    private func checkMap(_ cursor: Cursor, _ form: Shape.Form, _ shape: Shape) -> Node? {
        var members = cursor.members
        var isChanged = false
        for (index, (member, value)) in cursor.entries.enumerated() where !cursor.isLogFull {
            var node = check(value, shape)
            if !form.accepts(member.key) {
                cursor.note(
                    .unknownKey, "\(member.key.abbreviated.quoted) is not \(form.expected)",
                    help: form.help(for: member.key.abbreviated), key: member.key, at: member.position)
                node = Node(.unknown, at: member.node.position)
            }
            guard let node else { continue }
            members[index] = Node.Member(key: member.key, position: member.position, node: node)
            isChanged = true
        }
        return isChanged ? Node(.object(members), at: cursor.node.position) : nil
    }

    /// The alternative for a value: of those that fit its type, the one that has most of its keys. nil if none fits.
    private func bestMatch(_ cursor: Cursor, _ shapes: [Shape]) -> Shape? {
        let typed = shapes.filter { $0.fits(cursor, in: grammar) }
        guard typed.count > 1 else { return typed.first }
        if let text = cursor.string { return typed.first { $0.accepts(text, in: grammar) } ?? typed.first }
        if let shape = typed.first(where: { $0.matchesKeys(of: cursor, in: grammar) }) { return shape }
        let known = typed.map { Set($0.fields(in: grammar).map(\.key)) }
        let scores = known.map { keys in
            let names = keys.sorted()
            return cursor.members.prefix(ProblemLog.listed).reduce(0) { score, member in
                cursor.log.steps += names.count
                return score
                    + (keys.contains(member.key)
                        ? 2 : closestMatch(to: member.key, in: names) == nil ? 0 : 1)
            }
        }
        let best = scores.max() ?? 0
        return scores.lastIndex(of: best).map { typed[$0] }
    }

    // MARK: Mismatches

    private func reportMismatch(_ code: DiagnosticCode, _ cursor: Cursor, _ shape: Shape) {
        cursor.note(
            code, "expected \(shape.expected), found \(cursor.node.kind)",
            help: code == .wrongType ? grammar.advice(on: cursor.node) ?? correction(of: cursor.node, as: shape) : nil)
    }

    /// How to write a number that is in quotation marks; nil if it is out of range.
    private func number(in text: String, as shape: Shape) -> String? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || "-.".contains($0)) }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Double(digits) else { return nil }
        func isAccepted(_ number: Double) -> Bool { accepts(Node(.number(number.plain)), shape) }
        if unit == "%", isAccepted(number / 100), !isAccepted(number) || number < 1 {
            return "write \((number / 100).plain): 1 is 100 %"
        }
        guard isAccepted(number) else { return nil }
        return "write \(number.plain)" + (unit.isEmpty ? ", without quotation marks" : ": the unit is fixed")
    }

    /// Whether a value has no problem.
    func accepts(_ value: Cursor, _ shape: Shape) -> Bool { accepts(value.node, shape, countingFor: value.log) }

    private func accepts(_ node: Node, _ shape: Shape, countingFor counter: ProblemLog? = nil) -> Bool {
        let (trial, log) = trial
        _ = trial.check(Cursor(node, file: "", log: log), shape)
        counter?.steps += log.steps
        return log.isEmpty
    }

    /// How to write a value of the wrong type.
    private func correction(of node: Node, as shape: Shape) -> String? {
        switch (shape, node.value) {
        case (.any(let shapes), _): return shapes.lazy.compactMap { correction(of: node, as: $0) }.first
        case (.definition(let name), _):
            return grammar.advice.correction(name, node) ?? correction(of: node, as: grammar.resolved(shape))
        case (.form(let form), .number(let text)): return form.correction(text.abbreviated)
        case (.integer, .string(let text)), (.number, .string(let text)): return number(in: text, as: shape)
        case (.kinds(let key, let kinds), .string(let text)):
            return kinds.contains { $0.name == text } ? "write {\(key.quoted): \(text.quoted)}" : nil
        case (.boolean, .string(let text)):
            switch text.lowercased() {
            case "true", "yes", "on": return "write true, without quotation marks"
            case "false", "no", "off": return "write false, without quotation marks"
            default: return nil
            }
        case (.version(let version), .string): return "write \(version), without quotation marks"
        case (.boolean, .number("1")): return "write true"
        case (.boolean, .number("0")): return "write false"
        case (.list(let item, _), .object(let members)) where members.first?.node.isSimple == false:
            guard let first = members.first, let key = item.nameKey(first.key, in: grammar) else { return nil }
            return "write a list: [{\(key.quoted): \(first.key.quoted), …}]"
        case (.list(let item, _), _) where item.fits(Cursor(node, file: "", log: ProblemLog()), in: grammar):
            return "put it in brackets: [\(node.isSimple ? node.kind : "{ … }")]"
        case (.text, .number(let text)): return "write \(text.abbreviated.quoted)"
        default: return nil
        }
    }
}
