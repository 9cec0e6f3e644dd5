import TextFormatting

extension Validator {
    /// Checks an object whose keys are `fields`, those of every object, and the one that names its kind.
    func check(_ cursor: Cursor, _ fields: [Shape.Field], of family: Family? = nil) -> Node? {
        let fields = (family.map { [$0.key] } ?? []) + fields
        let names = Keys(cursor, fields, family, self)
        for unknown in names.unknown where !cursor.isLogFull { note(unknown, names, cursor, fields, family) }
        if let first = names.missing.first {
            let keys = names.missing.map(\.key.quoted)
            cursor.note(
                .missingKey, "\(keys.enumerated(by: "and")) \(keys.count == 1 ? "is" : "are") required",
                help: "add " + names.missing.map(Self.addition).enumerated(by: "and"), key: first.key)
        }
        var inner = self
        inner.enclosing.append((cursor, fields))
        let known = fields + grammar.everywhere
        var members: [Node.Member] = []
        var isChanged = false
        for (member, value) in cursor.entries where !cursor.isLogFull {
            let key = names.meant[member.key] ?? member.key
            let field = known.first { $0.key == key }
            var node = field.flatMap { inner.check(value, $0.shape) }
            if field == nil { node = Node(.unknown, at: member.node.position) }
            isChanged = isChanged || node != nil || key != member.key
            members.append(Node.Member(key: key, position: member.position, node: node ?? member.node))
        }
        for field in names.absent {
            let unknown = Node(.unknown, at: cursor.node.position)
            members.append(Node.Member(key: field.key, position: cursor.node.position, node: unknown))
            isChanged = true
        }
        return isChanged ? Node(.object(members), at: cursor.node.position) : nil
    }

    /// Checks an object whose kind is named under `key`.
    ///
    /// If the kind is not known, only the keys that mean the same in every kind are checked: others may be right for the
    /// intended kind.
    func check(_ cursor: Cursor, _ key: String, _ kinds: [Shape.Kind]) -> Node? {
        let names = kinds.map(\.name)
        let kindKey = Shape.Field(key, .name(names), "")
        guard let name = cursor[key] else { return checkUnnamed(cursor, kindKey, kinds) }
        func family(_ kind: Shape.Kind) -> Family { Family(key: kindKey, kinds: kinds, name: kind.name) }
        if let kind = kinds.first(where: { $0.name == name.string }) {
            return check(cursor, kind.fields, of: family(kind))
        }
        let meant = check(name, kindKey.shape)
        if name.node.value == .unknown { return nil }
        if let string = meant?.string, let kind = kinds.first(where: { $0.name == string }) {
            // The suggestion must fit the rest of the object.
            let trial = ProblemLog()
            let renamed = cursor.reporting(to: trial).replacing(cursor.node.replacing(key, with: Node(.string(string))))
            _ = check(renamed, kind.fields, of: family(kind))
            // Something in it is unknown, so that nobody reports that the suggestion contradicts another part.
            if trial.isEmpty { return renamed.node.adding("", Node(.unknown, at: name.node.position)) }
        }
        return checkShared(cursor, kinds).replacing(key, with: Node(.unknown, at: name.node.position))
    }

    /// Checks the values of the keys that mean the same in every kind.
    private func checkShared(_ cursor: Cursor, _ kinds: [Shape.Kind]) -> Node {
        let shared = (kinds.first?.fields ?? []).filter { field in
            kinds.allSatisfy { kind in
                kind.fields.contains { $0.key == field.key && $0.shape.expected == field.shape.expected }
            }
        }
        return shared.reduce(cursor.node) { node, field in
            guard let value = cursor[field.key], let checked = check(value, field.shape) else { return node }
            return node.replacing(field.key, with: checked)
        }
    }

    /// Checks an object without the key of its kind, which can have another name.
    private func checkUnnamed(_ cursor: Cursor, _ kindKey: Shape.Field, _ kinds: [Shape.Kind]) -> Node? {
        let known = Set(kinds.flatMap(\.fields).map(\.key))
        if let (member, list) = otherList(cursor) {
            cursor.note(
                .unknownKey, "unknown key \(member.key.quoted)",
                help:
                    "an object with \(member.key.quoted) belongs in \(list.quoted); here it needs \(kindKey.key.quoted)",
                key: member.key, at: member.position)
            return Node(.unknown, at: cursor.node.position)
        }
        let synonyms = grammar.advice.synonyms
        let names = kinds.map(\.name)
        let misnamed =
            cursor.members.first { member in
                guard !known.contains(member.key) else { return false }
                return closestMatch(to: member.key, in: [kindKey.key]) != nil
                    || synonyms[member.key]?.contains(kindKey.key) == true && member.node.isString
            }
            ?? cursor.members.first { member in
                member.node.string.map(names.contains) == true && !grammar.everywhere.contains { $0.key == member.key }
            }
        guard let misnamed else {
            let choice = names.count == 1 ? names[0].quoted : "one of \(names.joined(separator: ", "))"
            let help = "add \(kindKey.key.quoted), \(choice)"
            cursor.note(.missingKey, "\(kindKey.key.quoted) is required", help: help, key: kindKey.key)
            return cursor.node.adding(kindKey.key, Node(.unknown, at: cursor.node.position))
        }
        cursor.note(
            .unknownKey, "unknown key \(misnamed.key.abbreviated.quoted)", help: "did you mean \(kindKey.key.quoted)?",
            key: misnamed.key, at: misnamed.position)
        let renamed = cursor.replacing(cursor.node.renaming(misnamed.key, to: kindKey.key))
        return check(renamed, kindKey.key, kinds) ?? renamed.node
    }

    /// The list of the document whose items an object has the kind of, and the key that names it.
    private func otherList(_ cursor: Cursor) -> (member: Node.Member, list: String)? {
        for field in grammar.root.fields(in: grammar) {
            guard case .list(let item, _) = field.shape, case .kinds(let key, let kinds) = grammar.resolved(item),
                let member = cursor.members.first(where: { $0.key == key }), let name = cursor[key]?.string,
                kinds.contains(where: { $0.name == name })
            else { continue }
            return (member, field.key)
        }
        return nil
    }

    /// The kinds that an object could have, and its own.
    struct Family {
        let key: Shape.Field
        let kinds: [Shape.Kind]
        let name: String

        /// The kinds that have a key.
        func kinds(with key: String) -> [String] {
            kinds.filter { $0.fields.contains { $0.key == key } }.map(\.name)
        }
    }

    // MARK: Helps

    private func note(
        _ member: Node.Member, _ names: Keys, _ cursor: Cursor, _ fields: [Shape.Field], _ family: Family?
    ) {
        let all = fields.map(\.key).filter { !$0.hasPrefix("$") || member.key.hasPrefix("$") }
        let list = "the keys here are \(all.joined(separator: ", "))"
        var (message, help) = ("unknown key \(member.key.abbreviated.quoted)", list)
        if let meant = names.meant[member.key] {
            help = "did you mean \(meant.quoted)?"
            let isClear =
                closestMatch(to: member.key, in: [meant]) != nil || fields.contains { $0.key == meant && $0.isRequired }
            if !isClear { help += " \(list.capitalizedFirst)" }
        } else if enclosing.isEmpty, let reason = grammar.advice.barred(member.key) {
            help = reason
        } else if let family, let others = Optional(family.kinds(with: member.key)), !others.isEmpty {
            let have = others.count == 1 ? "has" : "have"
            help = others.count > 4 ? "" : "; \(others.enumerated(by: "and")) \(have) it"
            help = "\(family.name) has no \(member.key.quoted)\(help). \(list.capitalizedFirst)"
        } else if let place = place(of: member.key, below: fields) {
            help = "\(member.key.quoted) belongs \(place)"
        } else if let missing = names.merged {
            message += ", and \(missing.quoted) is missing"
        }
        cursor.note(.unknownKey, message, help: help, key: member.key, at: member.position)
    }

    private static func addition(_ field: Shape.Field) -> String {
        let example = field.shape.example.map { "\(field.key.quoted): \($0)" } ?? field.key.quoted
        var about = field.about.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        if let first = about.first, about.dropFirst().first?.isUppercase != true {
            about = first.lowercased() + about.dropFirst()
        }
        return example + (about.isEmpty ? "" : " (\(about))")
    }

    /// Where a key belongs that is not allowed in an object with these fields; nil if nowhere or in many places.
    private func place(of key: String, below fields: [Shape.Field]) -> String? {
        if let place = Self.place(of: key, below: fields, grammar) { return "in \(place)" }
        for (depth, outer) in enclosing.enumerated().reversed() where outer.fields.contains(where: { $0.key == key }) {
            return depth == 0 ? "at the top level" : "in the object around it, \(outer.cursor.path)"
        }
        // The keys of an object deep inside seldom belong in another part of the document.
        guard enclosing.count < 2 else { return nil }
        let root = grammar.root.fields(in: grammar)
        return Self.place(of: key, below: root, grammar).map { "in \($0)" }
    }

    /// The values of the fields, or of their fields, in which a key is allowed.
    private static func place(of key: String, below fields: [Shape.Field], _ grammar: Grammar) -> String? {
        var level = fields.map { (path: [$0], shape: $0.shape) }
        for _ in 0..<2 {
            let places = level.filter { entry in entry.shape.fields(in: grammar).contains { $0.key == key } }
            let names = unique(places.map { name(of: $0.path, in: grammar) })
            if !names.isEmpty { return names.count <= 3 ? names.joined(separator: " or ") : nil }
            level = level.flatMap { entry in
                entry.shape.fields(in: grammar).map { (path: entry.path + [$0], shape: $0.shape) }
            }
        }
        return nil
    }

    private static func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// `an item of "services"`, `"link"`.
    private static func name(of path: [Shape.Field], in grammar: Grammar) -> String {
        path.reversed().map { ($0.shape.isList(in: grammar) ? "an item of " : "") + $0.key.quoted }
            .joined(separator: " of ")
    }

    /// The keys of an object that are wrong.
    private struct Keys {
        private(set) var unknown: [Node.Member] = []
        /// The required keys that are missing, and those of them that are reported.
        private(set) var absent: [Shape.Field] = []
        private(set) var missing: [Shape.Field] = []
        /// The keys that unknown ones probably mean.
        private(set) var meant: [String: String] = [:]
        /// The missing key that is reported with the only unknown one.
        private(set) var merged: String?

        init(_ cursor: Cursor, _ fields: [Shape.Field], _ family: Family?, _ validator: Validator) {
            let known = fields + validator.grammar.everywhere
            let present = Set(cursor.members.map(\.key))
            unknown = cursor.members.filter { member in !known.contains { $0.key == member.key } }
            var free = known.filter { !present.contains($0.key) }
            let strange = cursor.entries.lazy.filter { entry in !known.contains { $0.key == entry.member.key } }
            for (member, value) in strange.prefix(ProblemLog.maximum) {  // the log has no room for more
                let spelt = closestMatch(to: member.key, in: free.map(\.key)).map { [$0] } ?? []
                let synonyms = validator.grammar.advice.synonyms[member.key.lowercased()] ?? []
                let guesses = (synonyms + spelt).compactMap { key in free.first { $0.key == key } }
                // A key of another kind is probably meant as it is written.
                let isOfOtherKind = family?.kinds(with: member.key).isEmpty == false
                let guess =
                    guesses.first { !validator.isTrial && validator.accepts(value.node, $0.shape) }
                    ?? guesses.first {
                        spelt == [$0.key] || !isOfOtherKind && $0.shape.fits(value, in: validator.grammar)
                    }
                guard let guess, meant[member.key] == nil else { continue }
                meant[member.key] = guess.key
                free.removeAll { $0.key == guess.key }
            }
            absent = free.filter(\.isRequired)
            missing = absent
            let left = unknown.filter { meant[$0.key] == nil }
            if missing.count == 1, left.count == 1, validator.place(of: left[0].key, below: fields) == nil {
                merged = missing[0].key
                missing = []
            }
        }
    }
}

extension [String] {
    /// `a, b and c`.
    fileprivate func enumerated(by conjunction: String) -> String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " \(conjunction) " + self[count - 1]
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Node {
    /// The object with another value of a key.
    fileprivate func replacing(_ key: String, with node: Node) -> Node {
        guard case .object(let members) = value else { return self }
        return Node(
            .object(
                members.map { member in
                    guard member.key == key else { return member }
                    let node = Node(node.value, at: member.node.position)
                    return Member(key: key, position: member.position, node: node)
                }), at: position)
    }

    fileprivate func renaming(_ key: String, to other: String) -> Node {
        guard case .object(let members) = value else { return self }
        return Node(
            .object(
                members.map { member in
                    member.key == key ? Member(key: other, position: member.position, node: member.node) : member
                }), at: position)
    }

    fileprivate func adding(_ key: String, _ node: Node) -> Node {
        guard case .object(let members) = value else { return self }
        return Node(.object(members + [Member(key: key, position: node.position, node: node)]), at: position)
    }
}
