import Documents
import Simulation
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
        #""text""#, "7", "[]", #"{"$any": true}"#,
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
        (#"{"information": "X"}"#, #"2 "information" is an object: write "information": {"manufacturer": "X"}"#),
    ]) func `A line that no client prints has a warning`(line: String, warning: String) {
        #expect(Self.warnings(line) == [warning])
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
