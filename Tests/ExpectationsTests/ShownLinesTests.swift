import Expectations
import Testing

/// A client that shows only the heart rate in beats per minute.
@Suite struct ShownLinesTests {
    @Test(arguments: [
        (#"{"heart_rate": {"bpm": 72}}"#, true), (#"{"heart_rate": {}}"#, true), (#"{"heart_rate": null}"#, true),
        (#"{"state": "connected"}"#, true), (#"{"heart_rate": {"bpm": 72, "contact": true}}"#, false),
        (#"{"heart_rate": {"rr_ms": [1000]}}"#, false), (#"{"battery": 87}"#, false),
        (#"{"pairing": "started"}"#, false),
    ])
    func `Expectations of lines that it does not print are skipped`(line: String, isJudged: Bool) throws {
        let expect = "\"expect\": \"never\", \"event\": {\"event\": \"said\", \"line\": \(line)}"
        var harness = try JudgeHarness(expect, on: Judge.Terms(shown: .heartRate))
        #expect(harness.observe("") == [isJudged ? "pass 60.000000" : "skip 0.000000"])
        #expect(harness.reasons == [isJudged ? "" : "the client shows only its heart rate"])
        var everything = try JudgeHarness(expect)
        #expect(everything.observe("") == ["pass 60.000000"])
    }

    @Test func `Expectations of packets are judged`() throws {
        let terms = Judge.Terms(shown: .heartRate)
        var harness = try JudgeHarness(#""expect": "never", "event": "disconnected""#, on: terms)
        #expect(harness.observe("") == ["pass 60.000000"])
    }

    @Test(arguments: [
        (#"{"heart_rate": {"bpm": 72}}"#, true), (#"{"heart_rate": {}}"#, true), (#"{"heart_rate": null}"#, false),
        (#"{"heart_rate": {"rr_ms": [1000]}}"#, false), (#"{"state": "connected"}"#, true),
        (#"{"state": "scanning"}"#, false), (#"{"battery": 87}"#, true), (#"{"temperature": {"celsius": 36}}"#, false),
        (#"{"heart_rate": {"bpm": 72}, "peer": "C0:FF:EE:00:00:01/random"}"#, false),
        (#"{"$one_of": [{"battery": 87}, {"steps": 1}]}"#, true),
    ])
    func `Values that a client has no words for are not expected`(line: String, isJudged: Bool) throws {
        let shown = ShownLines(
            [.part("heart_rate", "bpm"), .part("state", "connected"), .all("battery")], reason: "not shown")
        let expect = "\"expect\": \"never\", \"event\": {\"event\": \"said\", \"line\": \(line)}"
        var harness = try JudgeHarness(expect, on: Judge.Terms(shown: shown))
        #expect(harness.observe("") == [isJudged ? "pass 60.000000" : "skip 0.000000"])
        #expect(harness.reasons == [isJudged ? "" : "not shown"])
    }
}
