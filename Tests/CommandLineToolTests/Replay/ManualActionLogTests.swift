import Basics
import Documents
import Testing

@testable import CommandLineTool

@Suite struct HandLogTests {
    private static let first = #"{"t": 0.000000, "event": "start", "lubdub": "0.1.0", "scenario": "a.json", "seed": 7}"#

    private static func log(
        _ lines: [String], first: String = first
    ) throws(ManualActionLog.Unreadable) -> ManualActionLog {
        var log = try ManualActionLog(Array(first.utf8))
        for line in lines { try log.add(Array(line.utf8)) }
        return log
    }

    private static func line(_ time: String, _ event: String, _ said: String, _ name: String = "control 1") -> String {
        #"{"t": \#(time), "event": "\#(event)", "of": "strap", "line": \#(said), "rule": "\#(name)"}"#
    }

    @Test func `The first line identifies the run`() throws {
        #expect(try Self.log([]).source == .init(scenario: "a.json", seed: 7))
        let more =
            #"{"t": 0.000000, "event": "start", "scenario": "b", "seed": 18446744073709551615, "digest": "0f", "set": ["x=1"]}"#
        #expect(
            try Self.log([], first: more).source
                == .init(scenario: "b", seed: .max, digest: "0f", settings: ["x=1"]))
        for broken in [
            "", "{}", #"{"event": "start", "scenario": "b"}"#, #"{"event": "end", "scenario": "b", "seed": 1}"#,
        ] {
            #expect(throws: ManualActionLog.Unreadable.self) { try Self.log([], first: broken) }
        }
    }

    /// The ends of what was done, by index.
    private static let stories: [(lines: [String], ends: [ManualActionLog.ManualAction.End])] = [
        ([], []),
        ([line("1.000000", "began", #"{"do": "silence"}"#)], [.open]),
        (
            [line("1.000000", "began", #"{"do": "silence"}"#), line("2.500000", "ended", #"{"do": "silence"}"#)],
            [.at("2.500000")]
        ),
        (  // what says when it ends need not be asked
            [
                line("1.000000", "began", #"{"do": "silence", "for": "1 s"}"#),
                line("2.000000", "ended", #"{"do": "silence", "for": "1 s"}"#),
            ], [.open]
        ),
        (  // the second takes the place of the first
            [
                line("1.000000", "began", #"{"do": "loss", "rate": 1}"#),
                line("2.000000", "began", #"{"do": "loss", "rate": 0.5}"#, "control 2"),
                line("2.000000", "ended", #"{"do": "loss", "rate": 1}"#),
                line("3.000000", "ended", #"{"do": "loss", "rate": 0.5}"#, "control 2"),
            ], [.covered(by: 1), .at("3.000000")]
        ),
        (  // another kind of thing at the same instant does not
            [
                line("1.000000", "began", #"{"do": "silence"}"#, "key s"),
                line("2.000000", "began", #"{"do": "link_loss"}"#, "key o"),
                line("2.000000", "ended", #"{"do": "silence"}"#, "key s"),
            ], [.at("2.000000"), .open]
        ),
        (  // what is cleared is left to the clearing
            [
                line("1.000000", "began", #"{"do": "silence"}"#), line("2.000000", "began", #"{"do": "clear"}"#),
                line("2.000000", "ended", #"{"do": "silence"}"#), line("2.000000", "ended", #"{"do": "clear"}"#),
                line("3.000000", "began", #"{"do": "silence"}"#), line("4.000000", "ended", #"{"do": "silence"}"#),
            ], [.open, .open, .at("4.000000")]
        ),
        (  // rules of the file, values and the end are nobody's
            [
                #"{"t": 1.000000, "event": "began", "of": "away", "rule": "away"}"#,
                #"{"t": 1.000000, "event": "notified", "of": "strap/heart_rate", "octets": "0648"}"#,
                #"{"event": "end", "status": 0}"#, "", "{",
            ], []
        ),
    ]

    @Test(arguments: stories.indices) func `Manual actions end as they did`(index: Int) throws {
        let log = try Self.log(Self.stories[index].lines)
        #expect(log.actions.map(\.end) == Self.stories[index].ends)
    }

    /// jq writes 3.5 for 3.500000, and with `-c` no spaces; others sort the members.
    @Test(arguments: [
        #"{"t": 3.5, "event": "EVENT", "of": "strap", "line": {"do": "silence"}, "rule": "key s"}"#,
        #"{"t":3.5,"event":"EVENT","of":"strap","line":{"do":"silence"},"rule":"key s"}"#,
        #"{"event":"EVENT","line":{"do":"silence"},"of":"strap","rule":"key s","t":35e-1}"#,
    ])
    func `A log that another program has written anew has the same actions`(line: String) throws {
        let ended = line.replacing("EVENT", with: "ended").replacing("3.5", with: "4").replacing("35e-1", with: "4")
        let log = try Self.log([line.replacing("EVENT", with: "began"), ended])
        #expect(log.actions.map(\.time) == ["3.500000"] && log.actions.map(\.end) == [.at("4.000000")])
        #expect(log.end == "4.000000")
    }

    @Test func `The time of the last line is known`() throws {
        #expect(
            try Self.log([Self.line("1.000000", "read", "1"), #"{"t": 12.345678, "event": "read"}"#]).end == "12.345678"
        )
    }

    @Test func `Any octets are taken, or refused`() throws {
        let line = Array(Self.line("1.000000", "began", #"{"do": "silence", "for": "1 s"}"#).utf8)
        var log = try Self.log([])
        for index in line.indices {
            try? log.add(Array(line[..<index]))
            for bit in 0..<8 {
                var turned = line
                turned[index] ^= 1 << bit
                try? log.add(turned)
                _ = try? ManualActionLog(turned)
            }
        }
    }

    @Test(
        arguments: [
            #"{"t": 1e99, "event": "read"}"#, #"{"t": -1.5, "event": "read"}"#, #"{"t": "1", "event": "read"}"#,
            #"{"t": 99999999999.000000, "event": "x"}"#,
            #"{"t": 1.000000, "event": "began", "of": "#,
            #"{"t": 1.000000, "event": "began", "line": {"do": "silence"}}"#,
            #"{"t": 1.000000, "event": "began", "line": {"do": "sing"}, "rule": "key s"}"#,
            #"{"t": 1.000000, "event": "began", "line": 1, "rule": "key s"}"#,
            #"{"t": 1.000000, "event": "ended", "line": {"do": "silence"}, "rule": "key s"}"#,
        ])
    func `A line that cannot be is refused, with its number`(line: String) {
        let error = #expect(throws: ManualActionLog.Unreadable.self) { try Self.log(["", line]) }
        #expect(error?.line == 3)
    }
}
