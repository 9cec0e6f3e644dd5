import Testing

private let shows = #""expect": "rate", "event": {"event": "said", "line": {}}, "per": "10 s", "min": 1, "max": 2"#
private let rare = #""expect": "rate", "event": {"event": "said", "line": {}}, "per": "10 s", "max": 1"#
private let even =
    #""expect": "rate", "event": {"event": "delivered", "of": "patch/measurements"}, "per": "1 s", "min": 9, "max": 11, "since": {"event": "subscribed", "nth": 1}"#
private let exact =
    #""expect": "rate", "event": {"event": "delivered", "of": "patch/measurements"}, "per": "1 s", "min": 10, "max": 10, "since": "1.05 s""#
private let ten = Array(repeating: 60, count: 10)

/// Lines at these seconds.
private func lines(_ seconds: Double...) -> String { seconds.map { said($0, "{}") }.joined() }

@Suite struct RateTests {
    @Test(arguments: [
        Row(shows, lines(1, 12, 13, 29), "pass 30.000000", limit: "30 s"),
        Row(shows, lines(1, 29), "fail 20.000000", limit: "30 s"),
        Row(shows, lines(1, 11, 12, 13, 29), "fail 20.000000", limit: "30 s"),
        // A window ends before the next begins.
        Row(shows, lines(0, 10, 20), "pass 30.000000", limit: "30 s"),
        Row(shows, lines(0, 10, 19.999999), "fail 30.000000", limit: "30 s"),
        // Only whole windows count.
        Row(shows, lines(1, 11), "pass 29.000000", limit: "29 s"),
        Row(shows, lines(), "inconclusive 9.000000", limit: "9 s"),
        Row(shows + #", "since": "subscribed""#, subscribed(5) + lines(15), "fail 15.000000", limit: "30 s"),
        Row(shows + #", "since": "subscribed""#, subscribed(5) + lines(14, 24), "pass 30.000000", limit: "30 s"),
        Row(shows + #", "since": "subscribed""#, lines(1), "inconclusive 30.000000", limit: "30 s"),
        Row(shows + #", "until": "disconnected""#, lines(5) + disconnected(15), "pass 15.000000", limit: "30 s"),
        Row(shows + #", "until": "disconnected""#, lines(5) + disconnected(20), "fail 20.000000", limit: "30 s"),
        // Each opening has its own windows.
        Row(
            shows + #", "since": "subscribed""#, subscribed(0) + lines(1) + subscribed(5) + lines(11), "pass 20.000000",
            limit: "20 s"),
        Row(
            shows + #", "since": "subscribed""#, subscribed(0) + lines(1) + subscribed(5) + lines(19), "fail 15.000000",
            limit: "20 s"),
        Row(rare, lines(5, 35), "pass 60.000000"),
        Row(rare, lines(5, 35, 36), "fail 40.000000"),
    ])
    func `Windows`(_ row: Row) throws { try row.check() }

    /// What is delivered at 2 s arose from 1.1 s on.  A notification may reach back by 25.6 s at ten values a second,
    /// and this long after its end a window is judged.
    @Test(arguments: [
        Row(even, subscribed(1) + stream(2, ten) + stream(3, ten) + stream(28.5, ten), "fail 29.600000"),
        Row(even, subscribed(1) + stream(2, ten) + stream(3, ten), "pass 28.000000", limit: "28 s"),
        Row(even, subscribed(1) + stream(2, ten) + stream(3.5, ten), "fail 28.600000"),
        Row(even, subscribed(1) + stream(6, Array(repeating: 60, count: 50)), "pass 30.000000", limit: "30 s"),
        Row(
            even, subscribed(1) + stream(1.1, [60]) + stream(2.9, Array(repeating: 60, count: 20)), "pass 28.000000",
            limit: "28 s"),
        Row(even, subscribed(1) + stream(2, ten), "inconclusive 20.000000", limit: "20 s"),
        // That a notification waits for its turn is not seen; that one is missing, or one too many, is.
        Row(exact, [2, 3.08, 3.95, 5.1].map { stream($0, ten) }.joined(), "pass 30.000000", limit: "30 s"),
        Row(exact, [2, 3.08, 4.95].map { stream($0, ten) }.joined(), "fail 29.650000", limit: "30 s"),
        Row(exact, [2, 3, 3.5, 4].map { stream($0, ten) }.joined(), "fail 28.650000", limit: "30 s"),
    ])
    func `Values of a stream are spread`(_ row: Row) throws { try row.check() }
}
