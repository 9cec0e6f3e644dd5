import Basics
import Devices
import Documents
import ScenarioLanguage
import ScenarioModel
import Services
import VirtualWorld

/// The words of the scenario language, from the tables that read it.
package enum Reference {
    /// All entries, by group; a key that several objects have with one meaning is one entry.
    package static let entries = ReferenceGroup.allCases.flatMap { group in
        group.entries.merged()
    }

    /// The words to suggest for a similar one.
    package static let words: [String] = {
        var seen: Set<String> = []
        let sorts = entries.filter { $0.place == nil }.map(\.sort)
        return (ReferenceGroup.allCases.map(\.rawValue) + sorts + entries.map(\.word)).filter {
            seen.insert($0).inserted
        }
    }()

    /// The word that another one probably means.
    package static func similarWord(to word: String) -> String? { Tables.advice.meaning(of: word, in: words) }

    /// The entries of a group.
    package static func entries(of group: ReferenceGroup) -> [ReferenceEntry] { entries.filter { $0.group == group } }

    /// The lines that explain a word: each of its meanings, then the keys that take it as a value; nil if it has none.
    ///
    /// A word can name its place, too: `advertise.interval`, `ramp.end`.
    package static func explanation(of word: String) -> [String]? {
        let meanings = entries.filter { $0.answers(to: word) }
        let group = ReferenceGroup(rawValue: groupNames[word] ?? word).map(listing) ?? []
        let meant = Synonyms.all[word]?.filter { words.contains($0) && $0 != word } ?? []
        let others = meant.isEmpty ? [] : ["perhaps \(meant.map(\.quoted).joined(separator: " or ")) is meant"]
        let takers = entries.filter { $0.choices.contains(word) }
        let uses = takers.map { "  \($0.word): \($0.about) (\($0.place?.description ?? $0.sort))" }
        let choice = uses.isEmpty ? [] : ["\(word) (value of these keys)"] + uses
        var parts =
            meanings.map { $0.lines(members: members(of: $0)) + commonKeys(of: $0) + choices(of: $0) }
            + [choice, listing(ofSort: word), group, OtherWords.ofLines(word)].filter { !$0.isEmpty }
        if parts == [choice], !others.isEmpty { parts.append(others) }
        if parts.isEmpty { parts = [OtherWords.term(word)].filter { !$0.isEmpty } }
        return parts.isEmpty ? nil : Array(parts.joined(separator: [""]))
    }

    /// Other names of groups.
    private static let groupNames = ["rule": "actions"]

    /// The keys that objects of all kinds have.
    private static func commonKeys(of entry: ReferenceEntry) -> [String] {
        guard entry.place == nil, !entry.group.framing.isEmpty, entry.group.framing.first != entry.word else {
            return []
        }
        return ["  every \(entry.sort) has: \(entry.group.framing.joined(separator: ", "))"]
    }

    /// The words that a key takes, with a sentence about each; none if there are many or they explain themselves.
    private static func choices(of entry: ReferenceEntry) -> [String] {
        guard entry.choices.count <= maximumChoices else { return [] }
        return entry.choices.compactMap { word in
            entries.first { $0.word == word && $0.group == entry.group && $0.place == nil }.map {
                "  \(word): \($0.about)"
            }
        }
    }

    private static let maximumChoices = 8

    /// The words of a sort, such as `moment` or `action`, with a sentence about each.
    private static func listing(ofSort sort: String) -> [String] {
        let words = entries.filter { $0.sort == sort && $0.place == nil }
        guard let group = words.first?.group, group.rawValue != sort else { return [] }
        return ["\(sort) (in \(group.rawValue)): \(group.about)"] + rows(of: words)
    }

    private static func rows(of entries: [ReferenceEntry]) -> [String] {
        let rows = entries.map { ($0.path, $0.about.firstSentence) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0.padded(to: width))  \($1)" }
    }

    /// The groups, with a sentence about each.
    package static var groups: [(name: String, about: String)] {
        ReferenceGroup.allCases.map { ($0.rawValue, $0.about) }
    }

    /// The words of a group, with a sentence about each.
    static func listing(_ group: ReferenceGroup) -> [String] {
        let entries = entries(of: group)
        let shown = entries.filter { entry in
            entry.place.map { $0.names.isEmpty || group.framing.contains(entry.word) && $0.inner.isEmpty } ?? true
        }
        return ["\(group.rawValue): \(group.about)"] + rows(of: shown)
    }

    /// The keys that one kind of objects has and others do not, or not as often.
    package static func members(of entry: ReferenceEntry) -> [ReferenceEntry] {
        guard entry.place == nil else { return [] }
        return entries.filter { other in
            guard let place = other.place, other.group == entry.group, place.sort == entry.sort, place.inner.isEmpty,
                place.names.contains(entry.word)
            else { return false }
            return !entry.group.framing.contains(other.word)
        }
    }
}

extension ReferenceEntry {
    /// The word after the keys that lead to it: `advertise.interval`.
    package var path: String { ((place?.inner ?? []) + [word]).joined(separator: ".") }

    fileprivate func answers(to query: String) -> Bool {
        query == word || query == path
            || place.map { $0.names.contains { "\($0).\(path)" == query } } == true
    }
}

extension ReferenceGroup {
    /// The keys that almost all kinds of a group have.
    package var framing: [String] {
        switch self {
        case .actions: ["id", "when", "if", "unless", "of", "chance", "for", "until"]
        case .events: ["of", "nth", "every", "after"]
        case .expectations: ["id", "requirement", "should", "since", "until"]
        case .services: ["id", "permissions"]
        default: []
        }
    }

    /// The entries, with one for each object that has a key.
    var entries: [ReferenceEntry] {
        var grammar = GrammarEntries()
        switch self {
        case .files:
            grammar.add(
                Tables.scenarioFields + Tables.everywhere, of: ReferencePlace("scenario"), self, example: Stage.file
            ) { $0 }
            grammar.add(Tables.suiteFields, of: ReferencePlace("suite"), self, example: Stage.suite) { $0 }
        case .devices:
            grammar.add(Tables.deviceFields, of: ReferencePlace("device"), self, embedding: Stage.device)
        case .services:
            grammar.add(Tables.service, "service", self, facts: Self.facts(ofService:), embedding: Stage.service)
        case .values: return ServiceRegistry.all.flatMap(Self.values(of:))
        case .permissions: return PermissionWord.allCases.map(\.entry)
        case .properties: return PropertyWord.allCases.map(\.entry)
        case .curves: grammar.add(Tables.curve, "curve", self, embedding: Stage.curve)
        case .script:
            let fields = Tables.repetition
            grammar.add(
                fields, of: ReferencePlace("moment"), self, example: ["at": "10 s", "every": "30 s"],
                embedding: Stage.event)
            grammar.add(
                Tables.conditionTime, of: ReferencePlace("condition"), self,
                example: ["event": "subscribed", "within": "5 s"], embedding: Stage.condition)
            return MomentTable.entries + grammar.entries
        case .actions: grammar.add(Tables.rule, "action", self, facts: Self.facts(ofAction:), embedding: Stage.rule)
        case .events: grammar.add(Tables.eventKinds, "event", self, facts: Self.facts(ofEvent:), embedding: Stage.event)
        case .expectations:
            grammar.add(Tables.expectation, "expectation", self, embedding: Stage.expectation)
        case .matchers:
            for fields in Tables.matcherFields {
                grammar.add(fields, of: ReferencePlace("matcher"), self, embedding: Stage.matcher)
            }
            return MatcherTable.literals + grammar.entries + MatcherTable.statistics
        case .units: return UnitTable.entries
        case .limits: return LimitTable.rows.map(\.entry)
        }
        return grammar.entries
    }

    private static func facts(ofAction name: String) -> [ReferenceEntry.Fact] {
        guard let kind = Action.Kind(rawValue: name) else { return [] }
        let row = kind.row
        let end = row.lasts ? "with \"for\" or \"until\", with clear, or with the scenario" : "at once"
        return [
            .init("of", row.targetDescription.withoutMarkup + (row.needsEntity ? " (required)" : "")),
            .init("ends", end),
            .init("radios", kind.radios.withoutMarkup),
        ]
    }

    private static func facts(ofEvent name: String) -> [ReferenceEntry.Fact] {
        guard let kind = Event.Kind(rawValue: name) else { return [] }
        return [
            .init("of", kind.row.target.description.withoutMarkup), .init("radios", kind.radios.withoutMarkup),
        ]
    }

    private static func facts(ofService name: String) -> [ReferenceEntry.Fact] {
        ServiceRegistry.all.filter { $0.name == name }.flatMap { service -> [ReferenceEntry.Fact] in
            let label = service.variant.map { "UUID with \"\($0.key)\": \"\($0.word)\"" } ?? "UUID"
            let paths = service.values.map { $0.name.isEmpty ? name : "\(name)/\($0.name)" }
            return [.init(label, "\(service.uuid)")]
                + (service.variant == nil ? [.init("values", paths.joined(separator: ", "))] : [])
        }
    }
}

extension Action.Kind {
    /// The radios that play it: `all`, `virtual radio, hci, bluez without …`.
    var radios: String {
        var (able, limited, partial): ([RadioKind], [String], [String]) = ([], [], [])
        for radio in RadioKind.allCases {
            switch radio.reach(of: self) {
            case .whole, .ignoring: able.append(radio)
            case .only(let condition, _, _): limited.append("\(radio.name) \(condition)")
            case .part(let part, _): partial.append("\(radio.name) \(part)")
            case .impossible: break
            }
        }
        if able.count == RadioKind.allCases.count { return "all" }
        if able.contains(.virtual) { able.removeAll { $0 == .rehearsal || $0 == .system } }
        return (able.map(\.name) + limited + partial).joined(separator: ", ")
    }
}

extension Event.Kind {
    /// The radios that report it: `all`, `virtual radio, hci`.
    var radios: String {
        let able = RadioKind.allCases.filter { $0.unobservableReason(for: self) == nil }
        if able.count == RadioKind.allCases.count { return "all" }
        return able.filter { $0 != .rehearsal && $0 != .system }.map(\.name).joined(separator: ", ")
    }
}

extension String {
    /// The text without the marks of code in Markdown.
    fileprivate var withoutMarkup: String { filter { $0 != "`" } }

    /// The text up to the first point that ends a sentence.
    fileprivate var firstSentence: String { firstRange(of: ". ").map { "\(self[..<$0.lowerBound])." } ?? self }
}
