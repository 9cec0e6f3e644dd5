import Basics
import Devices
import Documents
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// Lines of the control socket.
@Suite struct InstructionTests {
    private static let played = reading([
        (
            "a.json",
            scenario(
                script: #"{"id": "high", "when": "5 s", "do": "set", "of": "heart_rate", "to": 200, "for": "2 s"}"#)
        )
    ]).scenario

    private static func read(_ line: String, at seconds: Double = 10) throws -> Instruction {
        let reader = InstructionReader(try #require(played))
        return try reader.read(Array(line.utf8), at: Instant(nanoseconds: Int64(seconds * 1e9)))
    }

    private static func rule(_ line: String, _ action: Action, chance: Double = 1, end: Rule.End? = nil) -> Instruction
    {
        var rule = Rule(when: .start, action: action, chance: chance, end: end)
        rule.line = line
        return .act(rule)
    }

    private static let understood: [(line: String, instruction: Instruction)] = [
        (#"{"ask": "status"}"#, .status), (#"{"ask": "status", "note": "mine"}"#, .status),
        (
            #"{"ask": "event", "event": {"event": "disconnected", "reason": "connection_timeout"}}"#,
            .event(of: ["strap"])
        ),
        (#"{"ask": "event", "event": "subscribed"}"#, .event(of: ["strap/heart_rate", "strap/battery"])),
        (#"{"ask": "event", "event": {"event": "read", "of": "battery"}}"#, .event(of: ["strap/battery"])),
        (#"{"ask": "event", "event": {"event": "scanning"}}"#, .event(of: ["client"])),
        (#"{"ask": "event", "event": {"event": "began"}}"#, .event(of: ["high"])),
        // A part of a value is not in the log by itself, unless it is out of range.
        (
            #"{"ask": "event", "event": {"event": "notified", "of": "heart_rate/contact"}}"#,
            .event(of: ["strap/heart_rate"])
        ),
        (
            #"{"ask": "event", "event": {"event": "saturated", "of": "heart_rate/contact"}}"#,
            .event(of: ["strap/heart_rate/contact"])
        ),
        (#"{"do": "silence"}"#, rule(#"{"do": "silence"}"#, Action(.silence, of: .device(0)))),
        (
            #" {"do":"silence", "of":"strap", "for":"8 s","chance":0.5}"# + "\r",
            rule(
                #"{"do": "silence", "of": "strap", "for": "8 s", "chance": 0.5}"#,
                Action(.silence, of: .device(0)), chance: 0.5, end: .after(.seconds(8)))
        ),
        (
            #"{"do": "set", "of": "battery", "to": 5, "until": "12 s"}"#,
            rule(
                #"{"do": "set", "of": "battery", "to": 5, "until": "12 s"}"#,
                Action(.set(to: .curve(.constant(5))), of: .value(device: 0, service: 1, value: 0)),
                end: .at(.time(.seconds(12))))
        ),
        (#"{"do": "clear"}"#, rule(#"{"do": "clear"}"#, Action(.clear))),
        (#"{"do": "clear", "of": "strap"}"#, rule(#"{"do": "clear", "of": "strap"}"#, Action(.clear, of: .device(0)))),
        (#"{"do": "clear", "of": "client"}"#, rule(#"{"do": "clear", "of": "client"}"#, Action(.clear, of: .client))),
    ]

    @Test(arguments: understood.indices) func `A line is an action of the script, or a question`(index: Int) throws {
        #expect(try Self.read(Self.understood[index].line) == Self.understood[index].instruction)
    }

    @Test func `It may last to an event, which counts from now`() throws {
        guard case .act(let rule) = try Self.read(#"{"do": "silence", "until": {"event": "ended", "of": "high"}}"#),
            case .at(.event(let event))? = rule.end
        else {
            Issue.record("not understood")
            return
        }
        #expect(event.of == .rule(0))
    }

    @Test(
        arguments: [
            ("", "", .syntax), ("{", "", .syntax), ("{}", "do", .missingKey), ("[1]", "", .wrongType),
            (#""status""#, "", .wrongType), (#"{"do": 1}"#, "do", .wrongType),
            (#"{"do": "link_los", "of": "strap"}"#, "do", .unknownName),
            (#"{"do": "silence", "of": "strab"}"#, "of", .unknownEntity),
            (#"{"do": "silence", "of": "client"}"#, "of", .wrongEntity),
            (#"{"do": "silence", "for": "8 sec"}"#, "for", .wrongForm),
            (#"{"do": "silence", "for": "8 s", "until": "20 s"}"#, "until", .conflict),
            (#"{"do": "silence", "until": "10 s"}"#, "until", .cannotFire),
            (#"{"do": "silence", "until": "start"}"#, "until", .cannotFire),
            (
                #"{"do": "silence", "until": {"at": "1 s", "every": "1 s", "times": 9}}"#, "until", .cannotFire
            ),
            (#"{"do": "silence", "when": "20 s"}"#, "when", .unknownKey),
            (#"{"do": "silence", "id": "a"}"#, "id", .unknownKey),
            (#"{"do": "silence", "do": "clear"}"#, "do", .duplicateKey),
            (#"{"do": "silence", "chance": 2}"#, "chance", .outOfRange),
            (#"{"do": "set", "of": "battery"}"#, "to", .missingKey),
            (#"{"do": "set", "to": 1}"#, "of", .missingKey),
            (#"{"do": "set", "of": "battery", "to": 101}"#, "to", .outOfRange),
            (#"{"do": "set", "of": "battery", "to": "${level}"}"#, "to", .wrongType),
            (
                #"{"do": "set", "of": "battery", "to": {"curve": "csv", "file": "/etc/passwd", "column": "a"}}"#,
                "to.file", .unreadable
            ),
            (
                #"{"do": "set", "of": "battery", "to": {"curve": "csv", "file": "a.csv", "column": "a"}}"#, "to.file",
                .unreadable
            ),
            (#"{"ask": "time"}"#, "ask", .unknownName), (#"{"ask": 1}"#, "ask", .wrongType),
            (#"{"ask": "status", "do": "clear"}"#, "do", .unknownKey),
            (#"{"ask": "status", "event": "connected"}"#, "event", .unknownKey),
            (#"{"ask": "event"}"#, "event", .missingKey),
            (#"{"ask": "event", "event": "conected"}"#, "event", .wrongForm),
            (#"{"ask": "event", "event": {"event": "link_loss"}}"#, "event.event", .unknownName),
            (#"{"ask": "event", "event": {"event": "connected", "off": "strap"}}"#, "event.off", .unknownKey),
            (#"{"ask": "event", "event": {"event": "connected", "of": "strab"}}"#, "event.of", .unknownEntity),
            (#"{"ask": "event", "event": {"event": "connected", "of": "heart_rate"}}"#, "event.of", .wrongEntity),
            (#"{"ask": "event", "event": {"event": "read", "of": "heart_rate"}}"#, "event.of", .missingProperty),
            (#"{"ask": "event", "event": {"event": "disconnected", "reason": "lost"}}"#, "event.reason", .unknownName),
            (
                #"{"ask": "event", "event": {"event": "said", "line": {"heartrate": 62}}}"#, "event.line.heartrate",
                .unprintedLine
            ),
        ] as [(String, String, DiagnosticCode)])
    func `A problem has its key, as in validate`(line: String, path: String, code: DiagnosticCode) {
        let problem = #expect(throws: Problem.self) { try Self.read(line) }
        #expect(problem?.path == path)
        #expect(problem?.code == code, "\(problem?.message ?? "")")
    }

    @Test func `Any octets are read, or refused`() throws {
        let reader = InstructionReader(try #require(Self.played))
        let line = Array(#"{"do": "set", "of": "heart_rate", "to": 300, "for": "8 s"}"#.utf8)
        for count in line.indices { #expect(throws: Problem.self) { try reader.read(line[..<count], at: .start) } }
        for index in line.indices {
            for bit in 0..<8 {
                var turned = line
                turned[index] ^= 1 << bit
                _ = try? reader.read(turned, at: .start)
            }
        }
    }
}
