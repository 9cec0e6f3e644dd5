import Testing

/// How a fail is said: what was expected, what was seen, and when.
@Suite struct WordingTests {
    private static let shows =
        #""expect": "seen", "since": {"event": "delivered", "of": "strap/heart_rate"}, "within": "2 s", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}}}"#

    @Test(arguments: [
        (
            shows, delivered(1, 300) + shown(1.5, 44),
            #"expected said {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}} within 2 s of delivered of strap/heart_rate at 1.000000 s; saw none until 3.000000 s, but said {"heart_rate": {"bpm": 44}} at 1.500000 s; last of strap/heart_rate is 300"#
        ),
        (shows, "", "delivered of strap/heart_rate did not come before the end at 60.000000 s"),
        (
            shows, delivered(59, 60),
            "what delivered of strap/heart_rate opened was not decided before the end at 60.000000 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 s""#, connected(3),
            "connected did not come before 2 s"
        ),
        (
            #""expect": "never", "event": {"event": "disconnected", "reason": "connection_timeout"}, "until": "10 s""#,
            disconnected(2),
            "expected no disconnected connection_timeout since the start and before 10 s; saw disconnected of strap connection_timeout at 2.000000 s"
        ),
        (
            #""expect": "count", "event": {"event": "connected", "of": "strap"}, "since": {"event": "ended", "of": "away"}, "within": "500 ms", "min": 2, "max": 2"#,
            line(1, "ended", of: "away") + connected(1.2),
            "expected 2 connected of strap within 500 ms of ended of away at 1.000000 s; saw 1 until 1.500000 s"
        ),
        (
            #""expect": "order", "events": ["connected", {"event": "subscribed", "nth": 2}]"#,
            subscribed(1) + subscribed(2),
            "expected connected, then subscribed number 2 since the start; saw subscribed number 2 at 2.000000 s before connected"
        ),
        (
            #""expect": "rate", "event": "connected", "per": "10 s", "min": 1"#, "",
            "expected at least 1 connected in each 10 s since the start; saw 0 from 0.000000 s to 10.000000 s"
        ),
        (
            #""expect": "rate", "event": "connected", "per": "10 min", "max": 1"#, "",
            "no 600 s since the start was over before the end at 60.000000 s"
        ),
        (
            #""expect": "delay", "start": "connected", "end": "subscribed", "percentile": 90, "max": "1 s""#,
            connected(1) + subscribed(2) + connected(3),
            "expected subscribed in 90 % of the cases within 1 s of connected at 3.000000 s; so it was in 1 of 2 cases, and first not so: saw none until 4.000000 s"
        ),
    ])
    func `A reason`(_ expect: String, _ log: String, _ reason: String) throws {
        #expect(try judged(expect, log).reason == reason)
    }
}
