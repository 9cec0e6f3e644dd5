import Documents
import GATT
import ScenarioLanguage
import ScenarioModel

// Words that are not keys or kinds of objects.

enum MomentTable {
    static let entries = [
        moment("start", "The start of the scenario."),
        moment("end", "The end of the scenario: its limit, or the moment at which all expectations are decided."),
        moment("10 s", named: "time", "A time since the start."),
        moment(
            "connected", named: "event name",
            "Each occurrence of an event; an object can name the target and further conditions."),
    ]

    private static func moment(_ example: Node, named name: String? = nil, _ about: String) -> ReferenceEntry {
        let rule = Node.object([("when", example), ("do", "set"), ("of", "strap/battery"), ("to", 50)])
        return ReferenceEntry(.script, name ?? example.string ?? "", "moment", about, example: rule) {
            [Stage.rule(rule)]
        }
    }
}

enum MatcherTable {
    /// The patterns that are written as the values that they match.
    static let literals = [
        literal("literal", 62, "A number, a string, true or false matches an equal value."),
        literal("null", Node(.null), "Matches null: in a line of the client, a cleared display."),
        literal("list", [812, 790], "Matches a list of this length, item by item."),
        literal(
            "object", ["bpm": 62, "contact": true],
            "Matches an object if each of these keys matches; others are ignored."),
    ]

    /// The words of `$truth`.
    static let statistics = Matcher.Statistic.allCases.map { statistic in
        let matcher: Node = [
            "$truth": .string(statistic.rawValue), "of": "strap/heart_rate", "$tolerance": 0.5,
        ]
        return ReferenceEntry(.matchers, statistic.rawValue, "statistic", statistic.about, example: matcher) {
            [Stage.matcher(matcher)]
        }
    }

    private static func literal(_ word: String, _ example: Node, _ about: String) -> ReferenceEntry {
        ReferenceEntry(.matchers, word, "matcher", about, example: example) { [Stage.matcher(example)] }
    }
}

extension Matcher.Statistic {
    fileprivate var about: String {
        switch self {
        case .last: "The value that was delivered last or, where a value's delivery opens the expectation, that value."
        case .mean: "The mean of the values."
        case .mode: "The most frequent value; of several, the lowest."
        case .count: "The number of values."
        case .sum: "The sum of the values."
        }
    }
}

extension PermissionWord {
    var entry: ReferenceEntry {
        let service: Node = ["service": "heart_rate", "permissions": [.string(rawValue)]]
        return ReferenceEntry(.permissions, rawValue, "permission", row.about, example: service) {
            [Stage.service(service)]
        }
    }

}

extension PropertyWord {
    var entry: ReferenceEntry {
        let word = Node.Value.string(rawValue)
        let service: Node = [
            "service": "custom", "uuid": "7d1c0001-5b0e-4c43-9a57-2f6b8e1d9c30",
            "characteristics": [["uuid": "7d1c0002-5b0e-4c43-9a57-2f6b8e1d9c30", "properties": [word], "value": 1]],
        ]
        return ReferenceEntry(.properties, rawValue, "property", row.about, example: ["properties": [word]]) {
            [Stage.service(service)]
        }
    }
}
