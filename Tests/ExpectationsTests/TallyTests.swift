import Testing

private let returns = #""expect": "seen", "event": "subscribed", "since": {"event": "connected"}, "within": "5 s""#
private let clears = #""expect": "seen", "event": {"event": "said", "line": {"heart_rate": null}}, "within": "3 s""#
private let quiet = #""expect": "never", "event": "disconnected""#
private let few = #""expect": "count", "event": "connected", "min": 1, "max": 2, "#
private let cleared = said(2, #"{"heart_rate": null}"#)

/// `seen`, `never` and `count`.
@Suite struct TallyTests {
    @Test(arguments: [
        Row(returns, connected(1) + subscribed(2), "pass 60.000000"),
        Row(returns, connected(1) + subscribed(6), "pass 60.000000"),
        Row(returns, connected(1) + subscribed(6.000001), "fail 6.000000"),
        Row(returns, connected(1), "fail 6.000000"),
        // Earlier events do not count, not even at the same instant.
        Row(returns, subscribed(1) + connected(1), "fail 6.000000"),
        Row(returns, connected(1) + subscribed(1), "pass 60.000000"),
        Row(returns, subscribed(1), "inconclusive 60.000000"),
        // Openings overlap: one event answers all that are open, and the first that is not answered fails.
        Row(returns, connected(1) + connected(3) + subscribed(6), "pass 60.000000"),
        Row(returns, connected(1) + connected(3) + subscribed(6.5), "fail 6.000000"),
        Row(returns, connected(1) + subscribed(2) + connected(3), "fail 8.000000"),
        // The limit cuts off what it does not decide, and decides what ends with it.
        Row(returns, connected(56), "inconclusive 60.000000"),
        Row(returns, connected(55), "fail 60.000000"),
        Row(returns, connected(56) + subscribed(57), "pass 60.000000"),
        Row(returns, connected(1) + subscribed(2) + connected(56), "pass 60.000000"),
        Row(returns, connected(55) + subscribed(60), "pass 60.000000"),
        // It opens once, and is decided with that.
        Row(clears, cleared, "pass 2.000000"),
        // Who is disconnected shows nothing.
        Row(clears, said(2, #"{"state": "disconnected"}"#), "pass 2.000000"),
        Row(clears, said(2, #"{"state": "connected"}"#), "fail 3.000000"),
        Row(clears, said(2, #"{"state": "disconnected", "heart_rate": {"bpm": 60}}"#), "fail 3.000000"),
        Row(clears, shown(2, 60), "fail 3.000000"),
        Row(clears, "", "fail 3.000000"),
        Row(clears, "", "inconclusive 2.000000", limit: "2 s"),
    ])
    func `Seen`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        Row(quiet, "", "pass 60.000000"),
        Row(quiet, disconnected(60), "fail 60.000000"),
        Row(quiet + #", "since": {"event": "connected"}"#, disconnected(1) + connected(2), "pass 60.000000"),
        Row(quiet + #", "since": {"event": "connected"}"#, connected(2) + disconnected(2), "fail 2.000000"),
        Row(quiet + #", "since": {"event": "connected"}"#, disconnected(2), "inconclusive 60.000000"),
        Row(quiet + #", "within": "3 s""#, disconnected(3), "fail 3.000000"),
        Row(quiet + #", "within": "3 s""#, disconnected(3.000001), "pass 3.000000"),
        Row(quiet + #", "within": "3 s""#, "", "inconclusive 2.000000", limit: "2 s"),
        Row(quiet + #", "within": "3 s""#, disconnected(1), "fail 1.000000", limit: "2 s"),
        // An opening has the log's events before the one that closes it; a time that closes it includes its microsecond.
        Row(quiet + #", "until": "subscribed""#, subscribed(3) + disconnected(3), "pass 3.000000"),
        Row(quiet + #", "until": "subscribed""#, disconnected(3) + subscribed(3), "fail 3.000000"),
        Row(quiet + #", "until": "subscribed""#, "", "inconclusive 60.000000"),
        Row(quiet + #", "until": "3 s""#, disconnected(3), "fail 3.000000"),
        Row(quiet + #", "until": "3 s""#, disconnected(3.000001), "pass 3.000000"),
        Row(quiet + #", "until": "end""#, "", "pass 60.000000"),
        Row(
            quiet + #", "until": {"event": "subscribed", "nth": 2}"#, subscribed(3) + disconnected(4) + subscribed(5),
            "fail 4.000000"),
        Row(
            quiet + #", "until": {"event": "subscribed", "after": "1 s"}"#, subscribed(3) + disconnected(4),
            "fail 4.000000"),
        Row(
            quiet + #", "until": {"event": "subscribed", "after": "1 s"}"#, subscribed(3) + disconnected(4.000001),
            "pass 4.000000"),
        // Filters.
        Row(
            #""expect": "never", "event": {"event": "disconnected", "reason": "connection_timeout"}"#, disconnected(1),
            "fail 1.000000"),
        Row(
            #""expect": "never", "event": {"event": "disconnected", "reason": 19}"#, disconnected(1), "pass 60.000000"),
        Row(
            #""expect": "never", "event": {"event": "disconnected", "of": "patch"}"#, disconnected(1), "pass 60.000000"),
    ])
    func `Never`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        Row(few + #""within": "5 s""#, connected(5), "pass 5.000000"),
        Row(few + #""within": "5 s""#, connected(5.000001), "fail 5.000000"),
        Row(few + #""within": "5 s""#, connected(1) + connected(2), "pass 5.000000"),
        Row(few + #""within": "5 s""#, connected(1) + connected(2) + connected(3), "fail 3.000000"),
        Row(few + #""within": "5 s""#, connected(1), "inconclusive 4.000000", limit: "4 s"),
        Row(few + #""until": "subscribed""#, connected(1) + subscribed(2), "pass 2.000000"),
        Row(few + #""until": "subscribed""#, subscribed(1) + connected(2), "fail 1.000000"),
        Row(#""expect": "count", "event": "connected", "min": 2"#, connected(1) + connected(2), "pass 2.000000"),
        Row(#""expect": "count", "event": "connected", "min": 2"#, connected(1), "fail 60.000000"),
        Row(#""expect": "count", "event": "connected", "max": 0"#, "", "pass 60.000000"),
        // Each opening has its own count: the second of these sees one only.
        Row(
            #""expect": "count", "event": "subscribed", "since": "connected", "within": "5 s", "min": 2, "max": 2"#,
            connected(1) + subscribed(2) + connected(3) + subscribed(4), "fail 8.000000"),
        Row(
            #""expect": "count", "event": "subscribed", "since": "connected", "within": "5 s", "min": 2, "max": 2"#,
            connected(1) + subscribed(2) + subscribed(3) + connected(6) + subscribed(7) + subscribed(8),
            "pass 60.000000"
        ),
        // Each value of a notification counts.
        Row(
            #""expect": "count", "event": {"event": "delivered", "of": "patch/measurements"}, "min": 4, "max": 4"#,
            stream(1, [60, 61, 62]) + stream(2, [60]), "pass 60.000000"),
        Row(
            #""expect": "count", "event": {"event": "delivered", "of": "patch/ecg"}, "min": 4, "max": 4"#,
            line(1, "delivered", of: "patch/ecg/samples", #", "value": {"samples": 4, "lost": 0}"#), "pass 60.000000"),
        Row(
            #""expect": "count", "event": {"event": "delivered", "value": {"$max": 60}}, "min": 2, "max": 2"#,
            stream(1, [60, 61, 62]) + delivered(2, 60), "pass 60.000000"),
    ])
    func `Count`(_ row: Row) throws { try row.check() }

    @Test func `Only a client's words have grace, and only in seen`() throws {
        let late = said(3.5, #"{"heart_rate": null}"#)
        #expect(try judged(clears, late, grace: .milliseconds(500)).verdict == "pass 3.500000")
        #expect(try judged(clears, late, grace: .milliseconds(499)).verdict == "fail 3.499000")
        let subscribes = #""expect": "seen", "event": "subscribed", "within": "3 s""#
        #expect(try judged(subscribes, subscribed(3.5), grace: .seconds(1)).verdict == "fail 3.000000")
        let silent = #""expect": "never", "event": {"event": "said", "line": {}}, "within": "3 s""#
        #expect(try judged(silent, late, grace: .seconds(1)).verdict == "pass 3.000000")
    }
}
