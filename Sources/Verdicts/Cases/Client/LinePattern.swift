package import Basics
import Devices
package import Expectations
import ScenarioLanguage

/// A regular expression that finds values in a line of text, so that a client can print its own text instead of JSON objects.
///
/// Its named groups are the contract's keys: `HR: (?<bpm>[0-9]+)` makes `{"heart_rate": {"bpm": 72}}` of `HR: 72`.
package struct LinePattern: Sendable {
    /// The content of a named group.
    enum Content: Sendable {
        case value(LineField)
        /// The octets of a characteristic's value, hexadecimal, under a key.
        case octets(String)
        /// A fixed line: the group's presence is its content.
        case fixed(key: String, json: String)
    }

    let text: String
    /// By the names of groups.
    let contents: [(name: String, content: Content)]

    /// Reads a value of `--lines`.
    package init(_ text: String) throws(Obstacle) {
        self.text = text
        let problem: (String) -> Obstacle = { Obstacle(.usage, "--lines \(text.quoted): \($0)") }
        let regex: Regex<AnyRegexOutput>
        do { regex = try Regex(text) } catch { throw problem("not a regular expression: \(error)") }
        var contents: [(name: String, content: Content)] = []
        for name in Self.groups(of: text) where regex.contains(captureNamed: name) {
            if let ambiguous = Self.ambiguous[name] {
                throw problem("the group \(name) could be \(ambiguous.joined(separator: " or "))")
            }
            guard let content = Self.known[name] else { throw problem(Self.unknown(name)) }
            contents.append((name, content))
        }
        guard !contents.isEmpty else {
            throw problem("it has no named group, such as (?<bpm>[0-9]+), so it finds no value")
        }
        self.contents = contents
    }

    private static func unknown(_ name: String) -> String {
        let meant = closestMatch(to: name, in: known.keys.sorted()).map { "; did you mean \($0)?" }
        return
            "a client's lines have no key \(name)\(meant ?? ": see \"Lines of text\" in Documentation/testing-your-client.md")"
    }

    /// The names of groups, in order: `(?<name>` and `(?P<name>`.
    private static func groups(of text: String) -> [String] {
        text.split(separator: "(?", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
            let rest = rest.hasPrefix("P<") ? rest.dropFirst() : rest
            guard rest.hasPrefix("<"), let end = rest.firstIndex(of: ">") else { return nil }
            return String(rest[rest.index(after: rest.startIndex)..<end])
        }
    }

    // MARK: Names of groups

    /// The contents that a name can have: a member's with and without the key before it.
    private static let candidates: [(name: String, content: Content)] = {
        var all = ClientLines.stateNames.map { ($0, Content.fixed(key: "state", json: $0.quoted)) }
        all.append(("cleared", .fixed(key: "heart_rate", json: "null")))
        for key in ["state", "error", "peer"] { all.append((key, .value(LineField(key: key)))) }
        for field in LineField.all {
            guard let member = field.member else {
                all.append((field.key, .value(field)))
                continue
            }
            all += [(member, .value(field)), ("\(field.key)_\(member)", .value(field))]
        }
        for key in LineField.keysOfOctets { all.append(("\(key)_octets", .octets(key))) }
        return all
    }()

    private static let known = Dictionary(
        candidates.map { ($0.name, $0.content) }, uniquingKeysWith: { first, _ in first })

    /// Members of several keys, with the names that are not ambiguous.
    private static let ambiguous: [String: [String]] = {
        let byMember = Dictionary(grouping: LineField.all.filter { $0.member != nil }, by: { $0.member ?? "" })
        let keys = Set(LineField.all.filter { $0.member == nil }.map(\.key))
        return byMember.compactMapValues { fields in
            let fields = Set(fields).sorted { $0.key < $1.key }
            if fields.contains(where: { $0.key == "heart_rate" }) { return nil }
            guard fields.count > 1 || fields.contains(where: { keys.contains($0.member ?? "") }) else { return nil }
            return fields.map { "\($0.key)_\($0.member ?? "")" }
        }
    }()

    // MARK: What it shows

    fileprivate var shown: [ShownLines.Value] {
        contents.flatMap { _, content -> [ShownLines.Value] in
            switch content {
            case .value(let field): [field.member.map { .part(field.key, $0) } ?? .all(field.key)]
            case .octets(let key): [.all(key)]
            case .fixed("state", "\"disconnected\""): [.part("state", "disconnected"), .absence("heart_rate")]
            case .fixed("heart_rate", _): [.absence("heart_rate")]
            case .fixed(let key, let json): [.part(key, String(json.dropFirst().dropLast()))]
            }
        }
    }
}

extension ShownLines {
    /// The lines that patterns can find.
    package init(_ patterns: [LinePattern]) {
        self.init(patterns.flatMap(\.shown), reason: "no pattern of --lines finds its values")
    }
}
