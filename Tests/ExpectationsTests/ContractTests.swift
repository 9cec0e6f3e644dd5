import Basics
import Testing

/// A line that should come within 2 s after the first second.
private func says(_ line: String) -> String {
    #""expect": "seen", "since": "1 s", "within": "2 s", "event": {"event": "said", "line": \#(line)}"#
}

private let cleared = says(#"{"heart_rate": null}"#)
private let noContact = says(#"{"heart_rate": {"bpm": 77, "contact": null}}"#)
private let each =
    #""expect": "seen", "since": {"event": "delivered", "of": "strap/heart_rate"}, "within": "2 s", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}}}"#

/// The rules of `Documentation/testing-your-client.md` for the lines of a client, in its order, as the judge applies them.
@Suite struct ContractTests {
    @Test(arguments: [
        // For each value it receives, changed or not.
        (each, delivered(1, 60) + shown(1.1, 60) + delivered(5, 60) + shown(5.1, 60), "pass"),
        (each, delivered(1, 60) + shown(1.1, 60) + delivered(5, 60), "fail"),
        // Keys without a value are left out; null means the same.
        (noContact, said(2, #"{"heart_rate": {"bpm": 77}}"#), "pass"),
        (noContact, said(2, #"{"heart_rate": {"bpm": 77, "contact": null, "rr_ms": null}}"#), "pass"),
        (noContact, said(2, #"{"heart_rate": {"bpm": 77, "contact": false}}"#), "fail"),
        (
            says(#"{"heart_rate": {"contact": {"$any": false}}}"#), said(2, #"{"heart_rate": {"contact": null}}"#),
            "pass"
        ),
        (says(#"{"heart_rate": {"bpm": {"$any": true}}}"#), said(2, #"{"heart_rate": {"bpm": null}}"#), "fail"),
        (says(#"{"temperature": {"celsius": null}}"#), said(2, #"{"temperature": {}}"#), "pass"),
        // Any line may have an address, and a line several values.
        (says(#"{"heart_rate": {"bpm": 77}}"#), said(2, #"{"heart_rate": {"bpm": 77}, "peer": "x"}"#), "pass"),
        (says(#"{"battery": 87}"#), said(2, #"{"heart_rate": {"bpm": 77}, "battery": 87}"#), "pass"),
        // Null, and a lost connection, clear the display; a line about something else does not.
        (cleared, said(2, #"{"heart_rate": null}"#), "pass"), (cleared, said(2, #"{"state": "disconnected"}"#), "pass"),
        (cleared, said(2, #"{"state": "connected"}"#), "fail"), (cleared, said(2, #"{"battery": 87}"#), "fail"),
        (cleared, said(2, #"{"heart_rate": {"bpm": null}}"#), "fail"),
        (says(#"{"heart_rate": {}}"#), said(2, #"{"heart_rate": null}"#), "fail"),
        // Contact is true, false or null.
        (says(#"{"heart_rate": {"contact": true}}"#), said(2, #"{"heart_rate": {"contact": true}}"#), "pass"),
        (says(#"{"heart_rate": {"contact": true}}"#), said(2, #"{"heart_rate": {"contact": 1}}"#), "fail"),
        // Text is not a line.
        (says(#"{"heart_rate": {}}"#), said(2, #""72 bpm""#), "fail"),
        // Deadlines have 500 ms of grace.
        (says(#"{"battery": 87}"#), said(3.5, #"{"battery": 87}"#), "pass"),
        (says(#"{"battery": 87}"#), said(3.500001, #"{"battery": 87}"#), "fail"),
    ])
    func `A documented rule`(expect: String, log: String, verdict: String) throws {
        let judged = try judged(expect, log, grace: .milliseconds(500))
        #expect(judged.verdict.split(separator: " ").first.map(String.init) == verdict, "\(log)\(judged.reason)")
    }
}
