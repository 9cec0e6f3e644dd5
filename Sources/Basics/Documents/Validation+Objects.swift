import Basics

extension Validator {
    /// Checks an object whose keys are `fields`, those of every object, and the one that names its kind.
    func check(_ cursor: Cursor, _ fields: [Shape.Field], of family: Family? = nil) -> Node? {
        let fields = (family.map { [$0.key] } ?? []) + fields
        let names = Keys(cursor, fields, family, self)
        for unknown in names.unknown where !cursor.isLogFull {
            cursor.note(.unknownKey, key: unknown.key, at: unknown.position) {
                describe(unknown, names, cursor, fields, family)
            }
        }
        if let first = names.missing.first {
            let keys = names.missing.map(\.key.quoted)
            cursor.note(
                .missingKey, "\(keys.enumerated(by: "and")) \(keys.count == 1 ? "is" : "are") required",
                help: "add " + names.missing.map(Self.addition).enumerated(by: "and"), key: first.key)
        }
        var inner = self
        inner.enclosing.append((cursor, fields))
        var members: [Node.Member] = []
        var isChanged = false
        for (member, value) in cursor.entries where !cursor.isLogFull {
            let key = names.meant[member.key] ?? member.key
            let field = names.known[key]
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
            let (trial, log) = trial
            let renamed = cursor.reporting(to: log).replacing(cursor.node.replacing(key, with: Node(.string(string))))
            _ = trial.check(renamed, kind.fields, of: family(kind))
            cursor.log.steps += log.steps
            // Something in it is unknown, so that nobody reports that the suggestion contradicts another part.
            if log.isEmpty { return renamed.node.adding("", Node(.unknown, at: name.node.position)) }
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

    /// The message and the help for an unknown key.
    private func describe(
        _ member: Node.Member, _ names: Keys, _ cursor: Cursor, _ fields: [Shape.Field], _ family: Family?
    ) -> (message: String, help: String?) {
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
        } else if let place = place(of: member.key, below: fields, cursor.log) {
            help = "\(member.key.quoted) belongs \(place)"
        } else if let missing = names.merged {
            message += ", and \(missing.quoted) is missing"
        }
        return (message, help)
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
    private func place(of key: String, below fields: [Shape.Field], _ log: ProblemLog) -> String? {
        if let place = place(of: key, inValuesOf: fields, log) { return "in \(place)" }
        for (depth, outer) in enclosing.enumerated().reversed() where outer.fields.contains(where: { $0.key == key }) {
            return depth == 0 ? "at the top level" : "in the object around it, \(outer.cursor.path)"
        }
        // The keys of an object deep inside seldom belong in another part of the document.
        guard enclosing.count < 2 else { return nil }
        return place(of: key, inValuesOf: grammar.root.fields(in: grammar), log).map { "in \($0)" }
    }

    /// The values of the fields, or of their fields, in which a key is allowed.
    private func place(of key: String, inValuesOf fields: [Shape.Field], _ log: ProblemLog) -> String? {
        func has(_ shape: Shape) -> Bool {
            shape.hasField(in: grammar) { other in
                log.steps += 1
                return other.key == key
            }
        }
        var names = Self.unique(fields.filter { has($0.shape) }.map { name($0.key, $0.shape) })
        if names.isEmpty {
            for field in fields {
                var known: Set<String> = []  // kinds share definitions, which have the same fields
                for inner in field.shape.fields(in: grammar) {
                    if case .definition(let definition) = inner.shape,
                        !known.insert("\(inner.key) \(definition)").inserted
                    {
                        continue
                    }
                    guard has(inner.shape) else { continue }
                    names.append("\(name(inner.key, inner.shape)) of \(name(field.key, field.shape))")
                }
            }
            names = Self.unique(names)
        }
        return names.isEmpty || names.count > 3 ? nil : names.joined(separator: " or ")
    }

    /// `an item of "services"`, `"link"`.
    private func name(_ key: String, _ shape: Shape) -> String {
        (shape.isList(in: grammar) ? "an item of " : "") + key.quoted
    }

    private static func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The keys of an object that are wrong.
    private struct Keys {
        /// The fields that the object can have.
        let known: [String: Shape.Field]
        let unknown: [Node.Member]
        /// The required keys that are missing, and those of them that are reported.
        private(set) var absent: [Shape.Field] = []
        private(set) var missing: [Shape.Field] = []
        /// The keys that unknown ones probably mean.
        private(set) var meant: [String: String] = [:]
        /// The missing key that is reported with the only unknown one.
        private(set) var merged: String?

        init(_ cursor: Cursor, _ fields: [Shape.Field], _ family: Family?, _ validator: Validator) {
            let all = fields + validator.grammar.everywhere
            let known = Dictionary(all.map { ($0.key, $0) }) { first, _ in first }
            cursor.log.steps += all.count + cursor.members.count
            let present = Set(cursor.members.map(\.key))
            unknown = cursor.members.filter { known[$0.key] == nil }
            self.known = known
            var free = all.filter { !present.contains($0.key) }
            // Of many, the log lists the first.
            let strange = cursor.entries.lazy.filter { known[$0.member.key] == nil }.prefix(ProblemLog.listed)
            for (member, value) in strange where meant[member.key] == nil {
                guard let guess = validator.field(meantBy: member.key, value, free, family) else { continue }
                meant[member.key] = guess
                free.removeAll { $0.key == guess }
            }
            absent = free.filter(\.isRequired)
            missing = absent
            guard missing.count == 1, !validator.isTrial else { return }
            let left = unknown.lazy.filter { [meant] in meant[$0.key] == nil }.prefix(2)
            if left.count == 1, let key = left.first?.key, validator.place(of: key, below: fields, cursor.log) == nil {
                merged = missing[0].key
                missing = []
            }
        }
    }

    /// The one of the free fields that an unknown key with a value probably means.
    private func field(
        meantBy key: String, _ value: Cursor, _ free: [Shape.Field], _ family: Family?
    ) -> String? {
        value.log.steps += free.count
        let spelt = closestMatch(to: key, in: free.map(\.key))
        let synonyms = grammar.advice.synonyms[key.lowercased()] ?? []
        let guesses = (synonyms + (spelt.map { [$0] } ?? [])).compactMap { key in free.first { $0.key == key } }
        if !isTrial, let guess = guesses.first(where: { accepts(value, $0.shape) }) { return guess.key }
        return guesses.first { guess in
            // A key of another kind is probably meant as it is written.
            spelt == guess.key
                || family?.kinds(with: key).isEmpty != false && guess.shape.fits(value, in: grammar)
        }?.key
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Node {
    /// The object with another value of a key.
    fileprivate func replacing(_ key: String, with node: Node) -> Node {
        changing(key) { Member(key: key, position: $0.position, node: Node(node.value, at: $0.node.position)) }
    }

    fileprivate func renaming(_ key: String, to other: String) -> Node {
        changing(key) { Member(key: other, position: $0.position, node: $0.node) }
    }

    private func changing(_ key: String, _ change: (Member) -> Member) -> Node {
        guard case .object(let members) = value else { return self }
        return Node(.object(members.map { $0.key == key ? change($0) : $0 }), at: position)
    }

    fileprivate func adding(_ key: String, _ node: Node) -> Node {
        guard case .object(let members) = value else { return self }
        return Node(.object(members + [Member(key: key, position: node.position, node: node)]), at: position)
    }
}
