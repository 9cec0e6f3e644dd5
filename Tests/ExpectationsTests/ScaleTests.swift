import Expectations
import Testing

/// Consecutive frames of heart rates, which rise and fall.
private func frames(_ count: Int, of size: Int) -> String {
    (0..<count).map { frame in
        stream(Double((frame + 1) * size) / 10, (0..<size).map { 60 + (frame * size + $0) % 7 % 5 })
    }.joined()
}

/// Truths of as many values as the statistics of heart-rate apps have.
@Suite struct ScaleTests {
    @Test func `The mean and the mode of many`() throws {
        let words = [("mean", "61.57"), ("mean", "61.7"), ("mode", "60"), ("mode", "61")]
        let log =
            frames(250, of: 100)
            + words.enumerated().map { index, word in
                said(2501.1, #"{"\#(index)": \#(word.1)}"#)
            }.joined()
        var harness = try JudgeHarness(
            words.enumerated().map { index, word in
                #""expect": "seen", "since": {"event": "delivered", "of": "patch/measurements", "nth": 25000}, "within": "2 s", "event": {"event": "said", "line": {"\#(index)": {"$truth": "\#(word.0)", "of": "patch/measurements", "last": 20000, "$tolerance": 0.05}}}"#
            }, limit: "3000 s")
        #expect(
            harness.observe(log) == ["pass 2501.100000", "fail 2502.000000", "pass 2501.100000", "fail 2502.000000"])
    }

    @Test func `Equal expectations are judged once`() throws {
        let shows = #""expect": "seen", "since": "connected", "within": "5 s", "event": "said""#
        var harness = try JudgeHarness(Array(repeating: shows, count: 5000))
        let lines = (2..<50).map { shown(Double($0), 60) }.joined()
        let verdicts = harness.observe(connected(1) + lines)
        #expect(verdicts.count == 5000 && Set(verdicts) == ["pass 60.000000"])
        #expect(harness.judge.turns < 10)
    }

    @Test func `An expectation costs nothing before it opens, and nothing at events that do not concern it`() throws {
        let count = 500
        var harness = try JudgeHarness(
            (0..<count).flatMap { second in
                [
                    #""expect": "seen", "since": "\#(second) s", "within": "1 s", "event": "said""#,
                    #""expect": "never", "since": "\#(second) s", "within": "1 s", "event": {"event": "delivered", "of": "patch/ecg"}"#,
                ]
            }, limit: "1000 s")
        let log = (0..<count).map { shown(Double($0) + 0.5, 60) + delivered(Double($0) + 0.6, 60) }.joined()
        let verdicts = harness.observe(log)
        #expect(verdicts.count == 2 * count && verdicts.allSatisfy { $0.hasPrefix("pass") })
        #expect(harness.judge.turns <= 8 * count)
    }
}
