import Basics
import Documents
import ScenarioLanguage

/// The units and the formats of strings.
enum UnitTable {
    static let entries: [ReferenceEntry] =
        Duration.units.map { unit in
            let rule = silence(for: unit.unit == "day" ? "1 day" : "30 \(unit.unit)")
            return entry(
                unit.unit, "unit", about(unit.unit), .object([("for", rule["for"] ?? "1 s")]), Stage.rule, rule)
        } + [
            entry("Hz", "unit", "Times per second.", ["rate": "50 Hz"], Stage.rule, burst),
            entry("m", "unit", "A metre.", ["to": "40 m"], Stage.rule, distance),
        ] + formats

    private static let formats = [
        format(
            "duration", Forms.duration, "A number, a space and a unit of time.", "for", Stage.rule,
            silence(for: "1.5 s")),
        format("rate", Forms.rate, "A number, a space and Hz; more than 0.", "rate", Stage.rule, burst),
        format("distance", Forms.distance, "A number, a space and m.", "to", Stage.rule, distance),
        format(
            "octets", Forms.octets, "Pairs of hexadecimal digits, with or without a space between the pairs.", "octets",
            Stage.rule, ["when": "10 s", "do": "raw", "of": "strap/heart_rate", "octets": "06 3C"]),
        format(
            "uuid", Forms.uuid, "Four hexadecimal digits, or all 32 in their groups.", "uuid", Stage.service,
            ["service": "custom", "uuid": "7d1c0001-5b0e-4c43-9a57-2f6b8e1d9c30", "characteristics": []]),
        format(
            "address", Forms.address,
            "A device address: six octets, and /random or /public; without either, it is public.", "address",
            Stage.device, ["id": "strap", "address": "C0:FF:EE:00:00:01/random"]),
        format(
            "id", Forms.id, "Lower-case letters, digits and underscores; the first is a letter.", "id", Stage.device,
            ["id": "chest_strap"]),
        format(
            "path", Forms.entity,
            "The ids of a device, a service and a value, with slashes; in a scenario with one device, its id can be left out. A service alone means its main value.",
            "of", Stage.rule, ["when": "10 s", "do": "set", "of": "strap/heart_rate/contact", "to": false]),
        format(
            "file_path", Forms.path, "A path relative to the file that has it.", "include", { $0 },
            Stage.file.setting("include", to: ["watch.json"])),
        format(
            "date", Forms.wallTime, "A date and a time, with the difference to UTC, or Z.", "begins", { $0 },
            Stage.file.setting("begins", to: "2026-03-14T22:15:00+01:00")),
        format(
            "time_of_day", Forms.timeOfDay, "Hours and minutes from 00:00 to 23:59.", "daily_reset", Stage.service,
            ["service": "fitness", "steps": 100, "daily_reset": "04:00"]),
        format(
            "variable", Forms.variable,
            "Is replaced by the value of a variable in \"variables\"; it can replace any value, but not ids and the words that name kinds.",
            "devices", { $0 }, Stage.file),
    ]

    private static let burst: Node = ["when": "10 s", "do": "burst", "of": "strap/heart_rate", "rate": "50 Hz"]
    private static let distance: Node = ["when": "10 s", "do": "distance", "of": "strap", "to": "40 m"]

    private static func silence(for duration: String) -> Node {
        ["when": "10 s", "do": "silence", "of": "strap", "for": .string(duration)]
    }

    private static func about(_ unit: String) -> String {
        switch unit {
        case "us": "A microsecond."
        case "ms": "A millisecond."
        case "s": "A second."
        case "min": "A minute."
        case "h": "An hour."
        default: "A day of 24 hours; \"day\" and \"days\" are the same."
        }
    }

    private static func format(
        _ word: String, _ form: Shape.Form, _ about: String, _ key: String, _ embed: @escaping @Sendable (Node) -> Node,
        _ object: Node
    ) -> ReferenceEntry {
        let text = form.expected.split(separator: "\"", maxSplits: 1).last.map { "\"\($0)" } ?? ""
        return entry(
            word, "format", about, .object([(key, object[key] ?? Node(.null))]), embed, object,
            facts: [.init("looks like", text)])
    }

    private static func entry(
        _ word: String, _ sort: String, _ about: String, _ example: Node,
        _ embed: @escaping @Sendable (Node) -> Node, _ object: Node, facts: [ReferenceEntry.Fact] = []
    ) -> ReferenceEntry {
        ReferenceEntry(.units, word, sort, about, facts: facts, example: example) { [embed(object)] }
    }
}
