import Basics
import Documents
import Testing

@testable import ScenarioLanguage

/// Patterns of lines, and the warnings about them.
@Suite struct ClientLineTests {
    private static func warnings(_ line: String) -> [String] {
        let text = """
            {"lubdub": 1, "name": "a", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}],
            "expect": [{"id": "a", "expect": "never", "event": {"event": "said", "line":
            \(line)}}]}
            """
        let reading = ScenarioFile.read("a.json") { _ in Array(text.utf8) }
        #expect(reading.problems.isEmpty)
        return reading.warnings.map { "\($0.position.column) \($0.message): \($0.help ?? "")" }
    }

    @Test(arguments: [
        #"{"heart_rate": {"bpm": 72, "rr_ms": {"$each": {"$min": 300}}}}"#, #"{"heart_rate": null}"#,
        #"{"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}}"#, #"{"heart_rate": {"$any": true}}"#,
        #"{"heart_rate": {"$not": {"bpm": 72}}}"#, #"{"steps": {"$min": 4}}"#, #"{"information": {"model": "X"}}"#,
        #"{"state": "subscribed", "peer": "C0:FF:EE:00:00:01/random"}"#, #"{"ecg": {"samples": 73, "dropped": 1}}"#,
        #"{"paired": {"bonded": true}}"#, #"{"passkey": {"displayed": {"$any": true}}}"#,
        #"{"goal": {"steps": 10000}}"#,
        #"{"$one_of": [{"battery": 87}, {"location": "chest"}]}"#, #"{"temperature": {"celsius": 36, "site": "ear"}}"#,
        #""text""#, "7", "[]", #"{"$any": true}"#, #"{"temperature": {"celsius": "nan"}}"#, #"{"steps": null}"#,
        #"{"heart_rate": {"$one_of": [{"bpm": 1}, null]}}"#, #"{"heart_rate": {"contact": {"$not": true}}}"#,
        #"{"running_speed": {"total_distance_m": 7}}"#, #"{"plx_features": ["timestamp"]}"#, #"{"feed": {"$min": 7}}"#,
        #"{"statistic": {"name": "average_heart_rate", "value": {"$max": 80}}}"#,
    ]) func `A line that a client may print has no warning`(line: String) {
        #expect(Self.warnings(line) == [])
    }

    @Test(arguments: [
        (#"{"state": "subscribe"}"#, #"2 clients print no "state" "subscribe": did you mean "subscribed"?"#),
        (
            #"{"state": "ready"}"#,
            #"2 clients print no "state" "ready": choose one of scanning, connecting, connected, subscribed, disconnected"#
        ),
        (#"{"$not": {"batery": 87}}"#, #"11 clients print no "batery": did you mean "battery"?"#),
        (
            #"{"$one_of": [{"battery": 1}, {"step": 2}]}"#, #"31 clients print no "step": did you mean "steps"?"#
        ),
        (#"{"heart_rate": {"$one_of": [{"bmp": 1}]}}"#, #"30 "heart_rate" has no "bmp": did you mean "bpm"?"#),
        (#"{"heart_rate": [1, 2]}"#, #"2 "heart_rate" is an object: write "heart_rate": {"bpm": [1, 2]}"#),
        (
            #"{"temperature": {"$max": 37}}"#,
            #"2 "temperature" is an object: write "temperature": {"celsius": {"$max": 37}}"#
        ),
        (#"{"pulse": {}}"#, #"2 clients print no "pulse": did you mean "heart_rate"?"#),
        (#"{"hr": 72}"#, #"2 clients print no "hr": did you mean "heart_rate"?"#),
        (#"{"status": "connected"}"#, #"2 clients print no "status": did you mean "state"?"#),
        (#"{"bpm": {"$min": 1}}"#, #"2 clients print no "bpm": write "heart_rate": {"bpm": {"$min": 1}}"#),
        (#"{"heart_rate": {"rate": 7}}"#, #"17 "heart_rate" has no "rate": did you mean "bpm"?"#),
        (#"{"heart_rate": {"value": 7}}"#, #"17 "heart_rate" has no "value": did you mean "bpm"?"#),
        (#"{"temperature": {"value": 7}}"#, #"18 "temperature" has no "value": did you mean "celsius"?"#),
        (
            #"{"heart_rate": {"trend": 7}}"#,
            #"17 "heart_rate" has no "trend": its members are bpm, contact, energy_kj, rr_ms"#
        ),
        (#"{"heart_rate": {"bpm": "72"}}"#, #"17 "bpm" is a number: write 72, without quotation marks"#),
        (#"{"heart_rate": {"bpm": {"min": 1}}}"#, #"17 "bpm" is a number: write "$min""#),
        (
            #"{"heart_rate": {"bpm": {"truth": "last", "of": "strap/heart_rate"}}}"#,
            #"17 "bpm" is a number: write "$truth""#
        ),
        (#"{"heart_rate": {"contact": "yes"}}"#, #"17 "contact" is true or false: write true, false or null"#),
        (#"{"heart_rate": {"rr_ms": 800}}"#, #"17 "rr_ms" is a list: write a list, or "$each""#),
        (#"{"location": 1}"#, #"2 "location" is a text: write a text in quotation marks"#),
        (#""heart_rate""#, #"1 a line is an object: write {"heart_rate": …}"#),
        (#"{"information": "X"}"#, #"2 "information" is an object: write "information": {"manufacturer": "X"}"#),
    ]) func `A line that no client prints has a warning`(line: String, warning: String) {
        #expect(Self.warnings(line) == [warning])
    }

    @Test(arguments: [
        (#""since": {"event": "ended", "of": "away"}, "within": "12 s""#, true),
        (#""since": {"event": "ended", "of": "away"}, "within": "11 s""#, false),
        (#""since": {"event": "began", "of": "away"}, "within": "21 s""#, true),
        (#""since": {"event": "began", "of": "away", "after": "2 s"}, "within": "18 s""#, false),
        (#""since": {"event": "began", "of": "away", "after": "2 s"}, "within": "19 s""#, true),
        (#""since": "connected", "within": "30 s""#, false), (#""since": "connected", "within": "31 s""#, true),
        (#""since": "25 s", "within": "6 s""#, true), (#""within": "30 s""#, false),
    ]) func `A time limit that ends after the scenario has a warning`(times: String, isLate: Bool) {
        let text = """
            {"lubdub": 1, "name": "a", "limit": "30 s",
            "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}],
            "script": [{"id": "away", "when": "10 s", "do": "link_loss", "for": "9 s"}],
            "expect": [{"id": "a", "expect": "seen", "event": "connected", \(times)}]}
            """
        let reading = ScenarioFile.read("a.json") { _ in Array(text.utf8) }
        #expect(reading.problems.isEmpty)
        #expect(reading.warnings.map(\.code) == (isLate ? [.endsBefore] : []))
    }

    @Test func `A request to a running scenario is done in spite of a warning`() throws {
        let reader = InstructionReader(try #require(Self.scenario))
        let line = #"{"do": "silence", "until": {"event": "said", "line": {"heartrate": 72}}}"#
        guard case .act = try reader.read(Array(line.utf8), at: .start) else {
            Issue.record("not understood")
            return
        }
    }

    private static let scenario = ScenarioFile.read("a.json") { _ in
        Array(
            #"{"lubdub": 1, "name": "a", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}]}"#.utf8)
    }.scenario
}
