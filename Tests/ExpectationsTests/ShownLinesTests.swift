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
}
