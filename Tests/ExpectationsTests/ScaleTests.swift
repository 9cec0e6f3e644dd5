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
}
