import Basics
package import Documents
import ScenarioLanguage

/// A word of the scenario language with its meaning: `explain` and the pages of `Documentation/reference` show it.
package struct ReferenceEntry: Sendable {
    /// A line of an entry: `default: 1 s`.
    package struct Fact: Hashable, Sendable {
        package let label: String
        package let text: String

        init(_ label: String, _ text: String) { (self.label, self.text) = (label, text) }
    }

    package let group: ReferenceGroup
    package let word: String
    /// The sort of word: `action`, `key`.
    package let sort: String
    /// The objects that have it, if it is a key.
    package internal(set) var place: ReferencePlace?
    /// One or two sentences.
    package let about: String
    /// The type and the default of a key, the target and the radios of an action, and the like.
    package let facts: [Fact]
    /// The words that a key takes.
    let choices: [String]
    /// A part of a scenario; a key has an object with this key alone.
    package let example: Node?
    /// Files with the example, of which the first valid one shows where it belongs.
    let files: @Sendable () -> [Node]

    init(
        _ group: ReferenceGroup, _ word: String, _ sort: String, in place: ReferencePlace? = nil, _ about: String,
        facts: [Fact] = [], choices: [String] = [], example: Node?, files: @escaping @Sendable () -> [Node]
    ) {
        (self.group, self.word, self.sort, self.place, self.about) = (group, word, sort, place, about)
        (self.facts, self.choices, self.example, self.files) = (facts, choices, example, files)
    }

    /// The example as a scenario has it: `"for": "8 s"` for a key, else a whole value; nil without one.
    package var exampleText: String? {
        guard let example else { return nil }
        return place == nil ? example.json : String(example.json.dropFirst().dropLast())
    }

    /// The entry as text, with a line for each fact; `members`: the keys of its objects.
    func lines(members: [ReferenceEntry]) -> [String] {
        let place = place.map { [Fact("in", $0.description)] } ?? []
        let keys = members.map { Fact($0.word, $0.summary) }
        let example = exampleText.map { [Fact("example", $0)] } ?? []
        return ["\(word) (\(sort)): \(about)"] + (place + keys + facts + example).map { "  \($0.label): \($0.text)" }
    }

    /// The type, the default and the meaning of a key on one line.
    private var summary: String {
        let more = facts.map {
            $0.label == "type" ? $0.text : $0.label == "required" ? "required" : "default \($0.text)"
        }
        return "\(more.joined(separator: ", ")): \(about)"
    }
}

/// The objects that have a key: those of some kinds, or objects within them.
package struct ReferencePlace: Hashable, Sendable, CustomStringConvertible {
    /// The sort of objects: `device`, `action`.
    let sort: String
    /// The kinds of these objects; none if there is one kind only.
    package var names: [String]
    /// The keys that lead from them to the object that has the key: `advertise`, `fast`.
    let inner: [String]
    /// Whether `names` are all kinds.
    var isEverywhere = false

    init(_ sort: String, _ name: String? = nil, inner: [String] = []) {
        (self.sort, names, self.inner) = (sort, name.map { [$0] } ?? [], inner)
    }

    func within(_ key: String) -> ReferencePlace {
        var place = ReferencePlace(sort, inner: inner + [key])
        place.names = names
        return place
    }

    /// `a device`, `curve ramp`, `advertise.fast of a device`, `actions drop, delay`.
    package var description: String {
        let article = "aeiou".contains(sort.first ?? "x") ? "an" : "a"
        let objects =
            isEverywhere
            ? "every \(sort)"
            : names.isEmpty
                ? "\(article) \(sort)" : "\(sort)\(names.count > 1 ? "s" : "") \(names.joined(separator: ", "))"
        return inner.isEmpty ? objects : "\(inner.joined(separator: ".")) of \(objects)"
    }
}

/// A group of words, and a page or section of the documentation.
package enum ReferenceGroup: String, CaseIterable, Sendable {
    case files, devices, services, values, permissions, properties, curves, script, actions, events, expectations,
        matchers,
        units, limits

    /// One sentence.
    package var about: String {
        switch self {
        case .files: "The keys of a scenario and of a suite."
        case .devices: "The keys of a device: its radio, its pairing, its services."
        case .services: "The services of a device, with their keys."
        case .values: "The values of services, which rules, events and expectations name by a path."
        case .permissions: "The security that access to a value can need."
        case .properties: "The operations that a characteristic of a custom service declares."
        case .curves: "Numbers that change with time; each value of a service can be one."
        case .script: "The moments at which rules act."
        case .actions: "The rules of the script: their keys, and their actions."
        case .events: "The events that rules and expectations refer to."
        case .expectations: "The conditions that a client has to meet."
        case .matchers: "The patterns for values and for the lines of a client."
        case .units: "Units, and the formats of strings."
        case .limits: "The bounds of numbers, sizes and times."
        }
    }
}
