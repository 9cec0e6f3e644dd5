import Basics
import Documents
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// The work of reading grows no faster than what is read, in steps that the log of problems counts.
@Suite struct WorkTests {
    private static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits + "-5b0e-4c43-9a57-2f6b8e1d9c30"
    }

    private static func list(_ count: Int, _ item: (Int) -> String) -> String {
        (0..<count).map(item).joined(separator: ", ")
    }

    private static func characteristics(_ count: Int, more: String = "") -> String {
        list(count) { #"{"id": "c\#($0)", "uuid": "\#(uuid($0))", "properties": ["read"], "value": "00"\#(more)}"# }
    }

    private static func custom(_ id: String, _ characteristics: String) -> String {
        #"{"service": "custom", "id": "\#(id)", "uuid": "\#(uuid(99))", "characteristics": [\#(characteristics)]}"#
    }

    /// A scenario of one device, with a value for each of these keys.
    private static func scenario(
        services: String = #"{"service": "heart_rate"}"#, device: String = "", script: String = "", expect: String = "",
        rest: String = ""
    ) -> String {
        #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap"\#(device), "services": [\#(services)]}], "#
            + #""script": [\#(script)], "expect": [\#(expect)]\#(rest)}"#
    }

    private static func rules(_ count: Int, _ rule: String) -> String { scenario(script: list(count) { _ in rule }) }

    /// Scenarios with many of something.
    static let dimensions: [(name: String, make: @Sendable (Int) -> String)] = [
        ("devices", { n in #"{"lubdub": 1, "name": "x", "devices": [\#(list(n) { #"{"id": "d\#($0)"}"# })]}"# }),
        ("services", { n in scenario(services: list(n) { custom("s\($0)", characteristics(1)) }) }),
        ("characteristics", { n in scenario(services: custom("s", characteristics(n))) }),
        (
            "descriptors",
            { n in
                let all = list(n) { #"{"uuid": "\#(uuid($0))", "value": "00"}"# }
                return scenario(services: custom("s", characteristics(1, more: #", "descriptors": [\#(all)]"#)))
            }
        ),
        (
            "includes",
            { n in
                let included = list(n) { "\"s\($0)\"" }
                let first = custom("first", "").dropLast() + #", "includes": [\#(included)]}"#
                return scenario(services: first + ", " + list(n) { custom("s\($0)", "") })
            }
        ),
        ("rules", { n in rules(n, #"{"when": "1 s", "do": "set", "of": "heart_rate", "to": 60}"#) }),
        (
            "rules after each other",
            { n in
                scenario(
                    script: list(n) {
                        #"{"id": "r\#($0)", "when": {"event": "ended", "of": "r\#(($0 + 1) % n)"}, "do": "clear", "of": "strap"}"#
                    })
            }
        ),
        (
            "rules for a large service",
            { n in
                scenario(
                    services: custom("s", characteristics(n)),
                    script: list(n) { _ in #"{"when": "1 s", "do": "silence", "of": "s"}"# })
            }
        ),
        (
            "expectations",
            { n in
                scenario(
                    expect: list(n) { #"{"id": "e\#($0)", "expect": "seen", "event": "connected", "within": "1 s"}"# })
            }
        ),
        ("tags", { n in scenario(rest: #", "tags": [\#(list(n) { "\"t\($0)\"" })]"#) }),
        (
            "variables",
            { n in
                scenario(
                    rest:
                        #", "variables": {\#(list(n) { "\"v\($0)\": \"t\"" })}, "tags": [\#(list(n) { "\"${v\($0)}\"" })]"#
                )
            }
        ),
        (
            "values of a curve",
            { n in
                let curve = #"{"curve": "list", "period": "1 s", "values": [\#(list(n) { _ in "60" })]}"#
                return scenario(services: #"{"service": "heart_rate", "value": \#(curve)}"#)
            }
        ),
        (
            "pieces of a curve",
            { n in
                let curve = #"{"curve": "pieces", "pieces": [\#(list(n) { _ in #"{"value": 60, "for": "1 s"}"# })]}"#
                return scenario(services: #"{"service": "heart_rate", "value": \#(curve)}"#)
            }
        ),
        (
            "members of a matcher",
            { n in
                let line = list(n) { "\"key\($0)\": \($0)" }
                return scenario(
                    expect:
                        #"{"id": "e", "expect": "never", "event": {"event": "said", "line": {\#(line)}}}"#)
            }
        ),
        ("octets of a note", { n in scenario(rest: #", "note": "\#(String(repeating: "x", count: n))""#) }),
        // Mistakes.
        ("unknown keys", { n in scenario(rest: ", " + list(n) { "\"key\($0)\": 1" }) }),
        ("misspelt keys", { n in scenario(rest: ", " + list(n) { "\"limi\($0)\": \"1 s\"" }) }),
        ("unknown keys of a device", { n in scenario(device: ", " + list(n) { "\"key\($0)\": 1" }) }),
        ("keys in place of a list", { n in scenario(rest: #", "script": {\#(list(n) { "\"key\($0)\": 1" })}"#) }),
        ("rules with an unknown key", { n in rules(n, #"{"when": "1 s", "do": "silence", "zzz": 1}"#) }),
        ("rules with a misspelt key", { n in rules(n, #"{"whn": "1 s", "do": "silence"}"#) }),
        ("rules with a misspelt action", { n in rules(n, #"{"when": "1 s", "do": "silense"}"#) }),
        ("rules with an unknown action", { n in rules(n, #"{"when": "1 s", "do": "zzz"}"#) }),
        ("rules with a wrong type", { n in rules(n, #"{"when": 1, "do": "silence"}"#) }),
        ("rules without keys", { n in rules(n, "{}") }),
        (
            "rules with an unknown path",
            { n in scenario(script: list(n) { #"{"when": "1 s", "do": "silence", "of": "zzz\#($0)"}"# }) }
        ),
        ("unknown variables", { n in scenario(rest: #", "tags": [\#(list(n) { "\"${v\($0)}\"" })]"#) }),
        ("unused variables", { n in scenario(rest: #", "variables": {\#(list(n) { "\"v\($0)\": 1" })}"#) }),
        ("equal services", { n in scenario(services: list(n) { _ in #"{"service": "battery"}"# }) }),
        ("equal keys", { n in scenario(rest: list(n) { _ in #", "limit": "1 s""# }) }),
        (
            "unknown includes",
            { n in scenario(services: custom("s", "").dropLast() + #", "includes": [\#(list(n) { "\"z\($0)\"" })]}"#) }
        ),
    ]

    private static func steps(_ text: String) -> Int {
        let log = ProblemLog()
        let octets = Array(text.utf8)
        _ = ScenarioFile.read("a", log: log) { _ in octets }
        return log.steps
    }

    @Test(arguments: dimensions.indices) func `Twice as much of anything is twice the work`(index: Int) {
        let (name, make) = Self.dimensions[index]
        let (one, two) = (make(200), make(400))
        let (few, many) = (Self.steps(one), Self.steps(two))
        // Constant parts count too, so that this is less than double; a square is fourfold.
        #expect(many <= few * 5 / 2, "\(name): \(few), then \(many)")
        #expect(many < 40_000 + 60 * two.utf8.count, "\(name): \(many) for \(two.utf8.count) octets")
    }

    /// Nested in each other, mistakes neither double the work with each level nor square it.
    @Test(
        arguments: [
            (#"{"curve": "pices", "pieces": [{"value": "#, "}]}"), (#"{"curve": "sumn", "terms": ["#, "]}"),
            (#"{"curve": "sum", "trems": ["#, "]}"), (#"{"curve": "zzz", "terms": ["#, "]}"),
        ] as [(String, String)])
    func `Mistakes in each other cost as much as mistakes in a list`(begin: String, end: String) {
        func nested(_ depth: Int) -> String {
            let value = String(repeating: begin, count: depth) + "1" + String(repeating: end, count: depth)
            return Self.scenario(services: #"{"service": "heart_rate", "value": \#(value)}"#)
        }
        let few = Self.steps(nested(10))
        let many = Self.steps(nested(20))
        #expect(many < few * 4, "\(few), then \(many)")
    }

    /// Lines of a control socket, which others wait for.
    static let lines: [(name: String, make: @Sendable (Int) -> String)] = [
        ("unknown keys", { n in #"{"do": "silence", \#(list(n) { "\"key\($0)\": 1" })}"# }),
        ("misspelt keys", { n in #"{"do": "silence", \#(list(n) { "\"unti\($0)\": 1" })}"# }),
        ("unknown keys without an action", { n in #"{\#(list(n) { "\"key\($0)\": 1" })}"# }),
        ("unknown keys of an unknown action", { n in #"{"do": "zzz", \#(list(n) { "\"key\($0)\": 1" })}"# }),
        ("unknown keys of a question", { n in #"{"ask": "event", \#(list(n) { "\"key\($0)\": 1" })}"# }),
        (
            "unknown keys of an event",
            { n in #"{"do": "silence", "until": {"event": "connected", \#(list(n) { "\"key\($0)\": 1" })}}"# }
        ),
        ("equal keys", { n in #"{"do": "silence"\#(list(n) { _ in #", "for": "1 s""# })}"# }),
        (
            "members of a pattern",
            { n in #"{"ask": "event", "event": {"event": "said", "line": {\#(list(n) { "\"bp\($0)\": 1" })}}}"# }
        ),
        ("wrong items", { n in #"{"do": "change_services", "add": [\#(list(n) { _ in "{}" })]}"# }),
        (
            "a long string in place of a number",
            { n in #"{"do": "silence", "chance": "\#(String(repeating: "$a", count: n))\n"}"# }
        ),
    ]

    @Test(arguments: lines.indices) func `A line of the control socket is little work`(index: Int) throws {
        let (name, make) = Self.lines[index]
        let reader = InstructionReader(try #require(reading([("a", Self.scenario())]).scenario))
        func steps(_ line: String) -> Int {
            let log = ProblemLog()
            _ = try? reader.read(Array(line.utf8), at: .start, log: log)
            return log.steps
        }
        let (one, two) = (make(1000), make(2000))
        let (few, many) = (steps(one), steps(two))
        #expect(few > 0 && many <= few * 5 / 2 && many < 40_000 + 20 * two.utf8.count, "\(name): \(few), then \(many)")
    }

    @Test func `A question for the paths of an event looks at each path once`() throws {
        func steps(_ count: Int) throws -> Int {
            let devices = Self.list(count) { #"{"id": "d\#($0)", "services": [{"service": "battery"}]}"# }
            let text = #"{"lubdub": 1, "name": "x", "devices": [\#(devices)]}"#
            let reader = InstructionReader(try #require(reading([("a", text)]).scenario))
            let log = ProblemLog()
            let line = #"{"ask": "event", "event": "notified"}"#
            let answer = try reader.read(Array(line.utf8), at: .start, log: log)
            #expect(answer == .event(of: (0..<count).map { "d\($0)/battery" }))
            return log.steps
        }
        let (few, many) = (try steps(200), try steps(400))
        #expect(few > 200 && many <= few * 5 / 2, "\(few), then \(many)")
    }
}
