import Basics
import Testing

@testable import Cases

/// Patterns of `--lines`, which find values in a client's lines of text.
@Suite struct LinePatternTests {
    private func line(_ text: String, _ patterns: String...) throws -> String? {
        LineReader(try patterns.map(LinePattern.init)).line(Array(text.utf8))?.json
    }

    @Test(
        arguments: [
            ("HR: 72 bpm", "HR: (?<bpm>[0-9]+)", #"{"heart_rate": {"bpm": 72}}"#),
            (
                "11-27 13:05:01.123  1234  1250 D HeartApp: rate=61;rr=812,5 790", #"rate=(?<bpm>\d+);rr=(?<rr_ms>.*)"#,
                #"{"heart_rate": {"bpm": 61, "rr_ms": [812.5, 790]}}"#
            ),
            (
                "72 no 36,6", #"(?<bpm>\d+) (?<contact>yes|no) (?<celsius>[\d,]+)"#,
                #"{"heart_rate": {"bpm": 72, "contact": false}, "temperature": {"celsius": 36.6}}"#
            ),
            (
                "Connected: yes", "(?<connected>Connected: yes)|(?<disconnected>Connected: no)",
                #"{"state": "connected"}"#
            ),
            (
                "Connected: no", "(?<connected>Connected: yes)|(?<disconnected>Connected: no)",
                #"{"state": "disconnected"}"#
            ),
            ("HR: --", "(?<cleared>HR: --)", #"{"heart_rate": null}"#),
            ("Battery 87 %", "Battery (?<battery>[0-9]+)", #"{"battery": 87}"#),
            ("on: Chest", "on: (?P<location>.*)", #"{"location": "chest"}"#),
            ("pulse 72", "(?<heart_rate_bpm>[0-9]+)", #"{"heart_rate": {"bpm": 72}}"#),
            (
                "  16 48 00 03                    .H..", "^ *(?<heart_rate_octets>([0-9a-f]{2} )+)",
                #"{"heart_rate": {"bpm": 72, "contact": true, "rr_ms": [750]}}"#
            ),
            (
                "\u{1B}[0;94m[HR]\u{1B}[0m\u{1}\u{2}> 72\r", "^\\[HR\\]> (?<bpm>[0-9]+)$",
                #"{"heart_rate": {"bpm": 72}}"#
            ),
            (#"{"battery": 87}"#, "(?<bpm>[0-9]+)", #"{"battery": 87}"#),
            ("nothing", "HR: (?<bpm>[0-9]+)", #""nothing""#),
        ])
    func `Named groups become the keys of a line`(text: String, pattern: String, expected: String) throws {
        #expect(try line(text, pattern) == expected)
    }

    @Test func `Of several patterns the first that matches counts`() throws {
        #expect(
            try line("HR 72", "T (?<celsius>.*)", "HR (?<bpm>.*)", "(?<battery>[0-9]+)")
                == #"{"heart_rate": {"bpm": 72}}"#)
    }

    @Test(
        arguments: [
            ("(", #"--lines "(": not a regular expression: "#),
            (
                "HR: [0-9]+",
                #"--lines "HR: [0-9]+": it has no named group, such as (?<bpm>[0-9]+), so it finds no value"#
            ),
            ("(?<bmp>.)", #"--lines "(?<bmp>.)": a client's lines have no key bmp; did you mean bpm?"#),
            ("(?<spo2>.)", #"--lines "(?<spo2>.)": the group spo2 could be pulse_oximeter_spo2 or spot_check_spo2"#),
        ])
    func `Other patterns are refused`(pattern: String, expected: String) throws {
        let problem = #expect(throws: Obstacle.self) { try LinePattern(pattern) }
        #expect("\(try #require(problem))".hasPrefix(expected), "\(String(describing: problem))")
    }

    @Test(
        arguments: [
            ("HR: a lot", "HR: (?<bpm>.*)", "found \"a lot\", which is not a number"),
            ("00 1", "(?<heart_rate_octets>.*)", "found \"00 1\", which is not octets of heart_rate"),
            ("contact maybe", "contact (?<contact>.*)", "found \"maybe\", which is not yes, no or none"),
        ])
    func `Text that is not a value stays text, and is the cause if a line is missing`(
        text: String, pattern: String, expected: String
    ) throws {
        let line = try #require(LineReader([try LinePattern(pattern)]).line(Array(text.utf8)))
        #expect(line.json == text.quoted)
        #expect(line.problem?.hasSuffix(expected) == true, "\(line.problem ?? "")")
        var printed = PrintedLines()
        printed.take(line, at: .start)
        #expect(printed.cause == line.problem)
    }

    @Test func `A pattern searches the beginning of a long line`() throws {
        let long = String(repeating: "x", count: LineReader.maximumText)
        #expect(try line(long + "72", "(?<bpm>[0-9]+)") == (long + "72").quoted)
        #expect(try line(long.dropLast(2) + "72", "(?<bpm>[0-9]+)") == #"{"heart_rate": {"bpm": 72}}"#)
    }
}
