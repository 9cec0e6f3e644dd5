import Basics
import Documents

@testable import CommandSupport
@testable import ScenarioLanguage
@testable import ScenarioModel

/// The pages of `Documentation/reference`.
enum ReferencePages {
    static let all: [(file: String, text: String)] =
        [("README.md", index)] + pages.map { ("\($0.file).md", text(of: $0)) }

    /// A page with some groups, each under a heading if there are several.
    private struct Page {
        let file: String
        let title: String
        let introduction: String
        let groups: [ReferenceGroup]
    }

    private static let pages = [
        Page(
            file: "files", title: "Files",
            introduction: """
                A scenario has devices, a script that acts on them, and expectations of the client. A suite lists scenarios.
                `validate` reports every problem of a file.
                """, groups: [.files]),
        Page(
            file: "devices", title: "Devices",
            introduction: """
                The keys of the objects in `devices`. A point separates the keys of nested objects: `advertise.interval` is
                `interval` in `advertise`. [Pairing](../pairing.md) explains `security`.
                """, groups: [.devices]),
        Page(
            file: "services", title: "Services",
            introduction: """
                The objects in `services` of a device, and the paths of their values. A value is a number or a
                [curve](curves.md). [Custom services](../custom-services.md) and [vendor services](../vendor-services.md) have
                more about these.
                """, groups: [.services, .values, .permissions, .properties]),
        Page(
            file: "curves", title: "Curves",
            introduction:
                "A curve is a number that changes with time. Each value of a service, and `set`, can have one.",
            groups: [.curves]),
        Page(
            file: "script", title: "The script",
            introduction: """
                The rules in `script`: each acts at a moment. [Bad days](../bad-days.md) explains how the air, bonds and overlapping
                actions behave.
                """, groups: [.script, .actions]),
        Page(
            file: "events", title: "Events",
            introduction: """
                Rules begin and end at events, and expectations count them. The name alone means an object with `event` alone.
                """, groups: [.events]),
        Page(
            file: "expectations", title: "Expectations",
            introduction: """
                The objects in `expect`: what a client has to do, and when. [Testing your client](../testing-your-client.md) explains
                verdicts. A test with a faulty client shows that an expectation can fail.
                """, groups: [.expectations, .matchers]),
        Page(
            file: "units", title: "Units and formats",
            introduction: "Quantities with a unit are strings: a number, a space and the unit.", groups: [.units]),
        Page(
            file: "limits", title: "Limits",
            introduction: """
                The bounds of the language, and the codes of problems beyond them, which `lubdub explain` explains.
                [Reliability](../reliability.md) has those of the program.
                """, groups: [.limits]),
    ]

    /// The end of each generated page.
    private static let footer = "\n*Generated from the tables that read scenarios, by `make generate`.*\n"

    private static var index: String {
        let rows = pages.map { page in
            let words = page.groups.map(\.about).joined(separator: " ")
            return "| [\(page.title)](\(page.file).md) | \(words) |\n"
        }
        let stage = Node.object([("devices", Node(.array(Stage.devices))), ("script", [Stage.away.value])])
        return """
            # The scenario language

            Every word of scenarios, with its meaning, type, default and an example. [The tutorial](../scenarios.md) comes first; the
            same entries are in the program: `lubdub explain WORD`.

            | page | content |
            |---|---|
            \(rows.joined())
            Each example is part of a valid scenario, as a test proves. Examples of rules, events and expectations refer to these devices
            and this rule:

            ```json
            \(stage.indentedJSON)
            ```
            \(footer)
            """
    }

    private static func text(of page: Page) -> String {
        let sections = page.groups.map { group in
            (page.groups.count == 1
                ? "" : "## \(group.rawValue.prefix(1).uppercased())\(group.rawValue.dropFirst())\n\n\(group.about)\n\n")
                + text(of: group)
        }
        return "# \(page.title)\n\n\(page.introduction)\n\n\(sections.joined(separator: "\n"))\(footer)"
    }

    private static func text(of group: ReferenceGroup) -> String {
        let entries = Reference.entries(of: group)
        switch group {
        case .values, .units, .limits, .permissions, .properties: return table(of: entries)
        default:
            let kinds = entries.filter { $0.place == nil }
            var words: Set<String> = []
            let shared = entries.filter { entry in
                guard let place = entry.place else { return false }
                return place.names.isEmpty || isShared(entry) && words.insert(entry.word).inserted
            }
            let headings = kinds.map { kind in
                "### `\(kind.word)`\n\n\(kind.about)\n\n\(facts(of: kind))\(keys(of: kind))\(block(kind))"
            }
            return keyTables(shared) + headings.joined(separator: "\n")
        }
    }

    /// Whether a key is one of those that almost all kinds have.
    private static func isShared(_ entry: ReferenceEntry) -> Bool {
        entry.place?.inner.isEmpty == true && entry.group.framing.contains(entry.word)
    }

    /// Keys, under a heading for each sort of objects if there are several.
    private static func keyTables(_ entries: [ReferenceEntry]) -> String {
        var sorts: [String] = []
        for case let sort? in entries.map({ $0.place?.sort }) where !sorts.contains(sort) { sorts.append(sort) }
        return sorts.map { sort in
            let title = sorts.count > 1 ? "### Keys of a \(sort)\n\n" : ""
            return title + keyTable(entries.filter { $0.place?.sort == sort }) + "\n"
        }.joined()
    }

    private static func keys(of kind: ReferenceEntry) -> String {
        // Before merging, so that each example is that of the kind.
        let own = kind.group.entries.filter { entry in
            guard let place = entry.place, place.sort == kind.sort, place.names.contains(kind.word) else {
                return false
            }
            return !isShared(entry)
        }
        return own.isEmpty ? "" : keyTable(own) + "\n"
    }

    private static func keyTable(_ entries: [ReferenceEntry]) -> String {
        "| key | type | default | meaning | example |\n|---|---|---|---|---|\n"
            + entries.map { entry in
                let isRequired = entry.facts.contains { $0.label == "required" }
                let standard = isRequired ? "required" : fact("default", of: entry)
                let example = entry.exampleText.map { "`\($0)`" } ?? ""
                return "| `\(entry.path)` | \(fact("type", of: entry)) | \(standard) | \(entry.about) | \(example) |\n"
            }.joined()
    }

    private static func table(of entries: [ReferenceEntry]) -> String {
        var labels: [String] = []
        for label in entries.flatMap({ $0.facts.map(\.label) }) where !labels.contains(label) { labels.append(label) }
        let head = ["word", "meaning"] + labels + ["example"]
        let rule = head.map { _ in "---" }
        let rows = entries.map { entry in
            ["`\(entry.word)`", entry.about] + labels.map { fact($0, of: entry) } + [
                entry.example.map { "`\($0.json)`" } ?? ""
            ]
        }
        return ([head, rule] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    private static func fact(_ label: String, of entry: ReferenceEntry) -> String {
        entry.facts.first { $0.label == label }?.text ?? ""
    }

    private static func facts(of kind: ReferenceEntry) -> String {
        kind.facts.map { "* \($0.label): \($0.text)\n" }.joined() + (kind.facts.isEmpty ? "" : "\n")
    }

    private static func block(_ entry: ReferenceEntry) -> String {
        entry.example.map { "```json\n\($0.indentedJSON)\n```\n" } ?? ""
    }
}
