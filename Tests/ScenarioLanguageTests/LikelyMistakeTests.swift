import Basics
import Documents
import FoundationEssentials
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// Warnings of scenarios that are valid, and do not do what their authors want.
@Suite struct LikelyMistakeTests {
    /// The warnings of a scenario with a thermometer, a strap and octets: their codes and messages.
    private static func warnings(script: String = "", expect: String, limit: String = "30 s") -> [String] {
        let text = """
            {"lubdub": 1, "name": "a", "limit": "\(limit)", "devices": [
             {"id": "ear", "services": [{"service": "health_thermometer", "value": 36.6}]},
             {"id": "strap", "services": [{"service": "heart_rate", "value": 72}, {"service": "battery", "value": 80},
               {"service": "measurements", "rate": "200 Hz", "value": 72},
               {"service": "custom", "id": "own", "uuid": "7d1c0001-5b0e-4c43-9a57-2f6b8e1d9c30", "characteristics": [
                 {"id": "raw", "uuid": "7d1c0002-5b0e-4c43-9a57-2f6b8e1d9c30", "format": "octets",
                  "properties": ["read", "write"], "value": "00"}]}]}],
             "script": [\(script)], "expect": [\(expect)]}
            """
        let reading = ScenarioFile.read("a.json") { _ in Array(text.utf8) }
        #expect(reading.problems.map(\.description) == [])
        return reading.warnings.map {
            "\($0.code.rawValue) \($0.path): \($0.message)\($0.help.map { "; \($0)" } ?? "")"
        }
    }

    private static func seen(_ event: String, within: String = "9 s", since: String = #""start""#) -> String {
        #"{"id": "e", "expect": "seen", "within": "\#(within)", "since": \#(since), "event": \#(event)}"#
    }

    @Test(arguments: [
        (#"{"event": "delivered", "of": "ear/health_thermometer"}"#, true),
        (#"{"event": "delivered", "of": "ear/health_thermometer/intermediate"}"#, false),
        (#"{"event": "indicated", "of": "ear/health_thermometer"}"#, false),
        (#"{"event": "delivered", "of": "strap/heart_rate"}"#, false), (#"{"event": "delivered"}"#, false),
    ]) func `The delivery of a value that is only indicated has a warning`(event: String, isWrong: Bool) {
        let warnings = Self.warnings(expect: Self.seen(event))
        #expect(
            warnings
                == (isWrong
                    ? [
                        #"""
                        LD0194 expect[0].event.event: "ear/health_thermometer" is only indicated, and only notifications are "delivered"; write "indicated", or "confirmed" for what the client has received
                        """#
                    ] : []))
    }

    @Test(arguments: [
        (#"{"event": "written", "of": "strap/own/raw", "value": "00 ff"}"#, nil),
        (#"{"event": "written", "of": "strap/own/raw", "value": {"$not": "00ff"}}"#, nil),
        (#"{"event": "written", "of": "strap/own/raw", "value": {"$one_of": ["00", 5]}}"#, nil),
        (#"{"event": "written", "of": "strap/own/raw", "value": {"$any": true}}"#, nil),
        (#"{"event": "written", "of": "strap/own/raw", "value": 5}"#, "octets"),
        (#"{"event": "written", "of": "strap/own/raw", "value": "hello"}"#, "octets"),
        (#"{"event": "read", "of": "strap/own/raw", "value": [0, 255]}"#, "octets"),
        (#"{"event": "notified", "of": "strap/measurements", "value": [72, 72]}"#, "a number"),
        (#"{"event": "notified", "of": "strap/measurements", "value": 72}"#, nil),
        (#"{"event": "read", "of": "strap/battery", "value": [80]}"#, "a number"),
        (#"{"event": "notified", "of": "strap/heart_rate", "value": {"bpm": 72}}"#, nil),
        (#"{"event": "refused", "of": "strap/heart_rate", "error": "0x80"}"#, nil),
    ]) func `A pattern that no value matches has a warning`(event: String, value: String?) {
        let warnings = Self.warnings(expect: Self.seen(event))
        #expect(warnings.count == (value == nil ? 0 : 1), "\(warnings)")
        if let value {
            #expect(
                warnings.first?.hasPrefix("LD0194 expect[0].event.value: the value is \(value)") == true, "\(warnings)")
        }
    }

    private static let away = #"{"id": "away", "when": "10 s", "do": "link_loss", "of": "strap", "for": "5 s"}"#
    private static let shown = #"{"event": "said", "line": {"heart_rate": {"bpm": 72}}}"#

    @Test(arguments: [
        (seen(shown), true), (seen(shown, within: "10 s"), false), (seen(shown, since: #""2 s""#), false),
        (seen(shown, since: #"{"event": "began", "of": "away"}"#), false), (seen(shown, since: #""connected""#), false),
        (#"{"id": "e", "expect": "never", "event": "disconnected", "until": "8 s"}"#, true),
        (#"{"id": "e", "expect": "never", "event": "disconnected"}"#, false),
        (#"{"id": "e", "expect": "count", "event": "connected", "within": "8 s", "max": 1}"#, true),
        (#"{"id": "e", "expect": "order", "events": ["connected", "subscribed"], "until": "8 s"}"#, true),
        (#"{"id": "e", "expect": "order", "events": ["connected", "subscribed"]}"#, false),
    ]) func `A rule that acts after everything is decided has a warning`(expectation: String, isLate: Bool) {
        let warnings = Self.warnings(script: Self.away, expect: expectation)
        #expect(warnings.map { $0.prefix(21) } == (isLate ? ["LD0195 script[0].when"] : []), "\(warnings)")
        guard isLate else { return }
        #expect(warnings.first?.contains("s at the latest; let the rule act earlier, or write an expectation") == true)
    }

    @Test func `A rule that follows one that acts too late has a warning`() {
        let next = #"{"when": {"event": "ended", "of": "away"}, "do": "disconnect", "of": "strap"}"#
        #expect(Self.warnings(script: "\(Self.away), \(next)", expect: Self.seen(Self.shown)).count == 2)
        let soon = #"{"when": "subscribed", "do": "disconnect", "of": "strap"}"#
        #expect(Self.warnings(script: soon, expect: Self.seen(Self.shown)) == [])
    }

    /// The rule lasts from 10 s to 15 s.
    @Test(arguments: [("14 s", true), ("15 s", false)])
    func `An expectation that waits for the end of a rule after the limit has a warning`(limit: String, isLate: Bool) {
        let expectation = Self.seen(Self.shown, within: "1 us", since: #"{"event": "ended", "of": "away"}"#)
        let warnings = Self.warnings(script: Self.away, expect: expectation, limit: limit)
        #expect(warnings.map { $0.prefix(23) }.contains("LD0193 expect[0].since:") == isLate, "\(warnings)")
    }

    @Test func `The scenarios of the repository have no likely mistake`() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: "\(Files.root)/scenarios")
        let files = paths.filter { $0.hasSuffix(".json") }
        #expect(files.count > 150)
        for path in files {
            let warnings = Files.read("scenarios/\(path)").warnings.filter(\.code.isLikelyMistake)
            #expect(warnings.map(\.description) == [], "\(path)")
        }
    }

    @Test func `Octets have the spelling of the log`() throws {
        #expect(Value.spelling(of: [0, 0xFF]) == "00 FF")
        var written = ObservedEvent(.written, of: .value(device: 0, service: 0, value: 0))
        written.octets = "00 FF"
        for (pattern, isMatched) in [("00 FF", true), ("00 FE", false)] {
            var event = Event(.written, of: .device(0))
            event.filters = [.value(.string(pattern))]
            #expect(event.matches(in: written) == (isMatched ? 1 : 0))
        }
    }
}
