import Basics
import Drivers
import Linux
import ScenarioModel
import Testing
import VirtualWorld

@testable import CommandSupport
@testable import Screens

@Suite struct ControlTests {
    /// The lines that portions give, and an exclamation mark for one that is too long.
    private static func lines(_ portions: [String], longest: Int = 8) -> [String] {
        var (framer, lines) = (LineFramer(longest: longest), [String]())
        for portion in portions {
            framer.append(Array(portion.utf8))
            do {
                while let line = try framer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
            } catch { return lines + ["!"] }
        }
        return lines
    }

    @Test(
        arguments: [
            ([], []), (["a"], []), (["a\n"], ["a"]), (["a", "\n"], ["a"]), (["a\nb\n\nc"], ["a", "b", ""]),
            (["a\nb", "c\nd\n"], ["a", "bc", "d"]), (["12345678\n"], ["12345678"]), (["12345678", "\n"], ["12345678"]),
            (["123456789"], ["!"]), (["1234", "56789\n"], ["!"]), (["a\n123456789\nb\n"], ["a", "!"]),
        ] as [([String], [String])])
    func `Lines come in any portions, and none is too long`(portions: [String], lines: [String]) {
        #expect(Self.lines(portions) == lines)
    }

    @Test(
        arguments: [
            (["status"], #"{"ask": "status"}"#), (["clear"], #"{"do": "clear"}"#),
            (["clear", "strap"], #"{"do": "clear", "of": "strap"}"#),
            (["link_loss", "strap", "for=8s"], #"{"do": "link_loss", "of": "strap", "for": "8 s"}"#),
            (["silence", "for=1.5min"], #"{"do": "silence", "for": "1.5 min"}"#),
            (["silence", "for=8 s"], #"{"do": "silence", "for": "8 s"}"#),
            (["distance", "strap", "to=30m"], #"{"do": "distance", "of": "strap", "to": "30 m"}"#),
            (["burst", "ecg", "rate=500Hz"], #"{"do": "burst", "of": "ecg", "rate": "500 Hz"}"#),
            (["set", "battery", "to=5"], #"{"do": "set", "of": "battery", "to": 5}"#),
            (
                ["set", "heart_rate/location", "to=wrist"],
                #"{"do": "set", "of": "heart_rate/location", "to": "wrist"}"#
            ),
            (
                ["set", "heart_rate/contact", "to=false", "chance=0.5"],
                #"{"do": "set", "of": "heart_rate/contact", "to": false, "chance": 0.5}"#
            ),
            (["drift", "ppm=-20"], #"{"do": "drift", "ppm": -20}"#),
            (["raw", "heart_rate", "octets=0612"], #"{"do": "raw", "of": "heart_rate", "octets": "0612"}"#),
            (["raw", "heart_rate", "octets=12"], #"{"do": "raw", "of": "heart_rate", "octets": "12"}"#),
            (["disconnect", "reason="], #"{"do": "disconnect", "reason": ""}"#),
            (
                ["silence", #"until={"event": "connected"}"#], #"{"do": "silence", "until": {"event": "connected"}}"#
            ),
            (["{\"do\":\n\"clear\"}"], #"{"do": "clear"}"#),
            (["status", "strap"], #"{"do": "status", "of": "strap"}"#),
        ] as [([String], String)])
    func `Words are a line`(words: [String], line: String) throws { #expect(try ControlWords.line(of: words) == line) }

    @Test(arguments: [
        [], ["[]"], ["\"status\""], ["{}", "strap"], ["silence", "strap", "8s"], ["silence", "=8s", "of"],
    ])
    func `Invalid words are rejected`(words: [String]) {
        #expect(throws: UsageError.self) { try ControlWords.line(of: words) }
    }

    @Test(
        arguments: [
            (20, 20, 16), (0, 0, 16), (500, 20, 8), (20, 500, 8), (19_000, 100, 1), (10, 100_000, 1), (2048, 2047, 2),
        ])
    func `A turn ends after some lines, or after one that is much work`(line: Int, answer: Int, lines: Int) {
        var (turn, answered) = (ControlTurn(), 0)
        while !turn.isOver {
            turn.answered(Array(repeating: 0, count: line), with: Array(repeating: 0, count: answer))
            answered += 1
        }
        #expect(answered == lines)
    }

    @Test func `An answer is one line of JSON`() {
        #expect(
            ControlAnswer(.refused(key: "reason", reason: "no radio")).json
                == #"{"error": "no radio", "at": "reason"}"#)
        #expect(ControlAnswer(.done(true)).json == #"{"ok": true}"#)
        #expect(ControlAnswer.done(false).json == #"{"ok": true, "done": false}"#)
        #expect(
            ControlAnswer.error("there is no \"a\"", at: "of").json == #"{"error": "there is no \"a\"", "at": "of"}"#)
        #expect(ControlAnswer.event(of: []).json == #"{"ok": true, "of": []}"#)
        #expect(ControlAnswer.event(of: ["strap", "client"]).json == #"{"ok": true, "of": ["strap", "client"]}"#)
        var status = WorldStatus(now: Instant(nanoseconds: 1_500_000_000), devices: [])
        #expect(ControlAnswer.status(status).json == #"{"ok": true, "t": 1.500000, "devices": [], "in_force": []}"#)
        var strap = WorldStatus.Device("strap")
        (strap.bpm, strap.isTouching, strap.mtus) = (62, true, [247, 23])
        status.devices = [strap, .init("bare")]
        status.activeActions = [
            .init(
                kind: .linkLoss, entity: "strap", rule: "control 1", begun: .start, end: Instant(nanoseconds: 8000)),
            .init(kind: .powerOff, entity: nil, rule: "off", begun: .start, end: nil),
        ]
        status.next = .init("away", due: Instant(nanoseconds: 2_000_000_000))
        #expect(
            ControlAnswer.status(status).json
                == #"{"ok": true, "t": 1.500000, "devices": [{"id": "strap", "clients": 2, "mtu": [247, 23], "bpm": 62, "#
                + #""contact": true}, {"id": "bare", "clients": 0, "mtu": []}], "in_force": [{"do": "link_loss", "#
                + #""of": "strap", "rule": "control 1", "since": 0.000000, "until": 0.000008}, {"do": "power_off", "#
                + #""rule": "off", "since": 0.000000}], "next": {"rule": "away", "at": 2.000000}}"#)
    }

    @Test(arguments: ["tcp:127.0.0.1:6402", "/tmp/a", "unix:", "unix:" + String(repeating: "a", count: 108)])
    func `A control socket has a path, and no longer one than the system takes`(text: String) throws {
        let failure = #expect(throws: Obstacle.self) { try controlAddress(text, named: "--control") }
        #expect(failure?.code == .usage)
        #expect(failure?.description.hasPrefix("--control") == true)
    }
}
