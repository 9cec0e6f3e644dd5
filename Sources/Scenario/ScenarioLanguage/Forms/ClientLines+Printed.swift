import Basics
package import Documents

// Lines that a client has printed: how they differ from the contract.
extension ClientLines {
    /// How a printed line compares with the contract.
    package enum Likeness: Hashable, Sendable {
        /// These keys are as the contract has them.
        case right(keys: [String])
        /// It is about some keys of the contract, which has it as this line.
        case resembling(keys: [String], line: String)
        /// It resembles nothing of the contract: text, or other keys.
        case unlike
    }

    /// No line of the contract has as many, and many take long to compare.
    private static let maximumMembers = 64

    /// Compares a line with the contract.
    ///
    /// A client may print other keys and members, which stay as they are.
    package static func likeness(of line: Node) -> Likeness {
        guard case .object(let members) = line.value, members.count <= maximumMembers else { return .unlike }
        var (right, meant) = ([String](), [String]())
        var corrected: [(key: String, value: String)] = []
        var owned: [String: [(String, String)]] = [:]
        for member in members {
            let (name, value) = (member.key, member.node)
            if let content = contents[name] {
                let fitted = fit(value, to: content, of: name)
                corrected.append((name, fitted ?? value.json))
                if fitted == value.json {
                    if name != "peer" { right.append(name) }
                } else if fitted != nil {
                    meant.append(name)
                }
            } else if let key = meantKey(name, value) {
                corrected.append((key, fit(value, to: contents[key], of: key) ?? value.json))
                meant.append(key)
            } else if let (owner, part) = ownersByLetters[name.letters] {
                if owned[owner] == nil {
                    corrected.append((owner, ""))
                    meant.append(owner)
                }
                owned[owner, default: []].append((part, value.json))
            } else {
                corrected.append((name, value.json))
            }
        }
        let asPrinted = right.isEmpty ? Likeness.unlike : .right(keys: right)
        guard !meant.isEmpty else { return asPrinted }
        let line = corrected.map { ($0.key, $0.value.isEmpty ? jsonObject(owned[$0.key] ?? []) : $0.value) }
        // The same key twice is a line that nobody has.
        guard Set(line.map(\.0)).count == line.count else { return asPrinted }
        return .resembling(keys: meant, line: jsonObject(line))
    }

    /// The key of the contract that a client spells otherwise; nil if there is none to which the value fits.
    private static func meantKey(_ name: String, _ value: Node) -> String? {
        let similar = ownersByLetters[name.letters] == nil ? closestMatch(to: name, in: keys) : nil
        let candidates =
            [spellings[name.letters], similar].compactMap(\.self) + [synonyms[name.lowercased()]].compactMap(\.self)
        return candidates.first { key in contents[key].map { fit(value, to: $0, of: key) != nil } ?? false }
    }

    /// The keys by their letters.
    private static let spellings = Dictionary(keys.map { ($0.letters, $0) }) { first, _ in first }
    /// The keys whose objects have members, and these, by their letters.
    private static let ownersByLetters = Dictionary(
        owners.sorted { $0.key < $1.key }.map { ($0.key.letters, (key: $0.value, member: $0.key)) }
    ) { first, _ in first }

    /// A value as the contract has it, as JSON; nil if it does not fit.
    private static func fit(_ value: Node, to content: Content?, of key: String) -> String? {
        switch (content, value.value) {
        case (_, .null): value.json
        case (.object(let known, _), .object(let members)): fit(members, to: known.map(\.key), of: key)
        case (.object(let known, _), .number), (.object(let known, _), .bool):
            known.first.map { jsonObject([($0.key, value.json)]) }
        case (.object(let known, _), .string(let text)):
            number(text).flatMap { number in known.first.map { jsonObject([($0.key, number)]) } }
        case (.words(let words), .string(let word)):
            (words.first { $0.letters == word.letters } ?? closestMatch(to: word, in: words))?.quoted
        case (.object, _), (.words, _), (nil, _): nil
        case (_, .object(let members)): members.count == 1 ? members.first?.node.json : nil
        default: value.json
        }
    }

    private static func fit(_ members: [Node.Member], to names: [String], of key: String) -> String? {
        var taken = Set(members.map(\.key))
        func meant(_ name: String) -> String {
            guard !names.contains(name),
                let meant = names.first(where: { $0.letters == name.letters }) ?? closestMatch(to: name, in: names),
                taken.insert(meant).inserted
            else { return name }
            return meant
        }
        var fitted = members.map { (key: meant($0.key), value: $0.node) }
        // A single number under another name is the main value.
        if let first = names.first, taken.isDisjoint(with: names),
            let place = fitted.firstIndex(where: { if case .number = $0.value.value { true } else { false } })
        {
            fitted[place].key = first
        }
        return jsonObject(
            fitted.map { name, value in
                guard key == "heart_rate", name == names.first, case .string(let text) = value.value else {
                    return (name, value.json)
                }
                return (name, number(text) ?? value.json)
            })
    }

    /// A number that was printed as a string, as JSON; nil for other text.
    private static func number(_ text: String) -> String? {
        guard let number = Double(text), number.isFinite else { return nil }
        return Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}

extension String {
    /// In lower case, without what separates words: the same for `HeartRate` and `heart_rate`.
    fileprivate var letters: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}
