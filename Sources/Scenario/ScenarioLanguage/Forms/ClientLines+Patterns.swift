import Basics
package import Documents

extension ClientLines {
    /// Warns of lines that no client prints: an expectation of one waits in vain, and `never` passes.
    ///
    /// A client may print other keys.  So only those are noted that resemble one of the contract.
    package static func check(_ pattern: Cursor) {
        for line in pattern.alternatives {
            if let text = line.string, contents[text] != nil {
                line.note(.unprintedLine, "a line is an object", help: "write {\(text.quoted): …}")
            }
            for (member, value) in line.entries where !member.key.hasPrefix("$") {
                if let content = expected[member.key] {
                    for alternative in value.alternatives { check(alternative, of: member, in: line, content) }
                } else if let help = help(for: member) {
                    line.noteUnprinted("clients print no \(member.key.abbreviated.quoted)", help, at: member)
                }
            }
        }
    }

    /// How to write a key that is not one of the contract's; nil if it resembles none.
    private static func help(for member: Node.Member) -> String? {
        if let meant = closestMatch(to: member.key, in: keys) { return "did you mean \(meant.quoted)?" }
        if let meant = synonyms[member.key.lowercased()], contents[meant] != nil {
            return "did you mean \(meant.quoted)?"
        }
        return owners[member.key].map { "write \($0.quoted): {\(member.key.quoted): \(member.node.json.abbreviated)}" }
    }

    private static func check(_ value: Cursor, of key: Node.Member, in object: Cursor, _ content: Content) {
        switch (content, value.node.value) {
        case (.object(let members, let isComplete), .object) where !value.hasOperator:
            let names = members.map(\.key)
            for (member, inner) in value.entries {
                if let known = members.first(where: { $0.key == member.key }) {
                    for alternative in inner.alternatives { check(alternative, of: member, in: value, known.content) }
                    continue
                }
                let meant = closestMatch(to: member.key, in: names) ?? synonym(of: member.key, in: names)
                guard meant != nil || isComplete else { continue }
                value.noteUnprinted(
                    "\(key.key.quoted) has no \(member.key.abbreviated.quoted)",
                    meant.map { "did you mean \($0.quoted)?" } ?? "its members are \(names.joined(separator: ", "))",
                    at: member)
            }
        case (.object(let members, let isComplete), .object) where isComplete || value.hasBounds:
            noteObject(value, key, object, members)
        case (.object(let members, _), .bool), (.object(let members, _), .number), (.object(let members, _), .string),
            (.object(let members, _), .array):
            noteObject(value, key, object, members)
        case (.words(let words), .string(let word)) where !words.contains(word):
            let meant = closestMatch(to: word, in: words).map { "did you mean \($0.quoted)?" }
            object.noteUnprinted(
                "clients print no \(key.key.quoted) \(word.abbreviated.quoted)",
                meant ?? "choose one of \(words.joined(separator: ", "))", at: key)
        default:
            guard let help = help(for: value, as: content) else { return }
            object.noteUnprinted("\(key.key.quoted) is \(content.name)", help, at: key)
        }
    }

    private static func synonym(of word: String, in names: [String]) -> String? {
        if word == "value" { return names.first }
        return synonyms[word].flatMap { names.contains($0) ? $0 : nil }
    }

    private static func noteObject(
        _ value: Cursor, _ key: Node.Member, _ object: Cursor, _ members: [(key: String, content: Content)]
    ) {
        guard let main = members.first, !value.acceptsAnything else { return }
        object.noteUnprinted(
            "\(key.key.quoted) is an object",
            "write \(key.key.quoted): {\(main.key.quoted): \(value.node.json.abbreviated)}", at: key)
    }

    /// How to write a pattern of another type than the values; nil if it can match some.
    private static func help(for pattern: Cursor, as content: Content) -> String? {
        switch (content, pattern.node.value) {
        case (.number, .object(let members)), (.truth, .object(let members)), (.text, .object(let members)),
            (.list, .object(let members)):
            guard !pattern.hasOperator, let first = members.first?.key else { return nil }
            return Forms.matchers.contains("$\(first)") ? "write \("$\(first)".quoted)" : "write a value, or a matcher"
        case (.number, .string(let text)):
            // A client may print words for special values.
            return text.contains(where: \.isNumber) && Double(text) != nil
                ? "write \(text), without quotation marks" : nil
        case (.truth, .string), (.truth, .number): return "write true, false or null"
        case (.number, .bool), (.number, .array): return "write a number"
        case (.text, .number), (.text, .bool), (.text, .array): return "write a text in quotation marks"
        case (.list, .number), (.list, .string), (.list, .bool): return "write a list, or \"$each\""
        default: return nil
        }
    }
}

extension Cursor {
    /// The patterns that a value can match, without `$not`, `$each` and `$one_of`.
    fileprivate var alternatives: [Cursor] {
        if let inner = self["$not"] { return inner.alternatives }
        if let list = self["$one_of"] { return list.items.flatMap(\.alternatives) }
        return [self]
    }

    fileprivate var hasOperator: Bool { members.contains { $0.key.hasPrefix("$") } }
    fileprivate var hasBounds: Bool { self["$min"] ?? self["$max"] != nil }
    fileprivate var acceptsAnything: Bool { self["$any"] != nil }

    fileprivate func noteUnprinted(_ message: String, _ help: String, at member: Node.Member) {
        note(.unprintedLine, message, help: help, key: member.key, at: member.position)
    }
}

extension ClientLines {
    /// The keys of a value in a client's lines, from a path such as `client/ecg/lost`; nil for another path.
    static func keys(of path: String) -> [String]? {
        let parts = path.split(separator: "/").map(String.init)
        return parts.count > 1 && parts[0] == "client" ? Array(parts.dropFirst()) : nil
    }

    /// Why clients print nothing under keys; nil if they may.
    static func problem(ofPath keys: [String]) -> (message: String, help: String)? {
        guard let key = keys.first else { return nil }
        guard let content = expected[key] else {
            return closestMatch(to: key, in: expected.keys.sorted()).map {
                ("clients print no \(key.abbreviated.quoted)", "did you mean \("client/\($0)".quoted)?")
            }
        }
        let names = content.members.map(\.key)
        guard !names.isEmpty else { return nil }
        if keys.count < 2 {
            return (
                "\(key.quoted) is an object",
                "add one of its members: \(names.map { "client/\(key)/\($0)" }.joined(separator: ", "))"
            )
        }
        guard !names.contains(keys[1]), let meant = closestMatch(to: keys[1], in: names) else { return nil }
        return (
            "\(key.quoted) has no \(keys[1].abbreviated.quoted)", "did you mean \("client/\(key)/\(meant)".quoted)?"
        )
    }
}
