import Testing

/// How a fail is said: what was expected, what was seen, and when.
@Suite struct WordingTests {
    private static let shows =
        #""expect": "seen", "since": {"event": "delivered", "of": "strap/heart_rate"}, "within": "2 s", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}}}"#

    @Test(arguments: [
        (
            shows, delivered(1, 300) + shown(1.5, 44),
            #"expected said {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}} within 2 s after delivered of strap/heart_rate at 1.000000 s; it had not come by 3.000000 s, but said {"heart_rate": {"bpm": 44}} at 1.500000 s; last of strap/heart_rate was 300"#
        ),
        (shows, "", "delivered of strap/heart_rate did not come before the end at 60.000000 s"),
        (
            shows, delivered(59, 60),
            #"expected said {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}} within 2 s after delivered of strap/heart_rate at 59.000000 s; the end at 60.000000 s came before that was decided"#
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 s""#, connected(3),
            "connected came too late, at 3.000000 s: this was over at 2.000000 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 s""#, "",
            "connected did not come before 2 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 min""#, "",
            "connected did not come before the end at 60.000000 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": {"at": "1 s", "every": "1 s", "times": 3}"#,
            connected(7) + connected(8), "connected came too late, at 7.000000 s: this was over at 3.000000 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "start""#, connected(3),
            "connected came too late, at 3.000000 s: this was over at 0.000000 s"
        ),
        (
            #""expect": "never", "event": {"event": "disconnected", "reason": "connection_timeout"}, "until": "10 s""#,
            disconnected(2),
            "expected no disconnected connection_timeout from the start until 10 s; saw disconnected of strap connection_timeout at 2.000000 s"
        ),
        (
            #""expect": "count", "event": {"event": "connected", "of": "strap"}, "since": {"event": "ended", "of": "away"}, "within": "500 ms", "min": 2, "max": 2"#,
            line(1, "ended", of: "away") + connected(1.2),
            "expected 2 connected of strap within 500 ms after ended of away at 1.000000 s; saw 1 by 1.500000 s"
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
            #""expect": "rate", "event": {"event": "connected", "every": 2, "after": "1 s"}, "per": "10 s", "min": 1, "since": "5 s", "until": "50 s""#,
            "",
            "expected at least 1 connected (one of every 2) (1 s later) in each 10 s from 5.000000 s until 50 s; saw 0 from 5.000000 s to 15.000000 s"
        ),
        (
            #""expect": "never", "event": {"event": "connected", "after": "1 s"}, "within": "5 s""#,
            connected(2) + connected(2.5),
            "expected no connected (1 s later) within 5 s after the start; saw one at 3.000000 s"
        ),
        (
            #""expect": "never", "event": {"event": "delivered", "of": "patch/measurements", "value": {"$min": 70}}"#,
            stream(2, [60, 71, 72]),
            #"expected no delivered of patch/measurements {"$min": 70} since the start; saw delivered of patch/measurements 71 at 2.000000 s"#
        ),
        (
            #""expect": "seen", "within": "9 s", "event": {"event": "delivered", "of": "strap/heart_rate/energy_kj", "value": {"$min": 9}}"#,
            delivered(1, 60, #", "energy_kj": 7"#) + delivered(2, 61),
            #"expected delivered of strap/heart_rate/energy_kj {"$min": 9} within 9 s after the start; it had not come by 9.000000 s, but delivered of strap/heart_rate/energy_kj 7 at 1.000000 s"#
        ),
        (
            #""expect": "seen", "within": "9 s", "event": {"event": "said", "line": {"$truth": "mean", "of": "patch/measurements", "last": 3, "below": 65, "$tolerance": 0.5}}"#,
            stream(2, [60, 61, 62]),
            #"expected said {"$truth": "mean", "of": "patch/measurements", "last": 3, "below": 65, "$tolerance": 0.5} within 9 s after the start; it had not come by 9.000000 s; mean of the last 3 values below 65 of patch/measurements was 61"#
        ),
        (
            #""expect": "order", "events": ["connected", "disconnected"], "since": {"at": "1 s", "every": "9 s", "times": 1}, "until": "6 s""#,
            connected(2),
            "expected connected, then disconnected from 1.000000 s until 6 s; saw no disconnected by 6.000000 s"
        ),
        (
            #""expect": "rate", "event": "connected", "per": "10 min", "max": 1"#, "",
            "expected at most 1 connected in each 600 s since the start; no whole window could be judged by the end at 60.000000 s"
        ),
        (
            #""expect": "delay", "start": "connected", "end": "subscribed", "percentile": 90, "max": "1 s""#,
            connected(1) + subscribed(2) + connected(3),
            "expected subscribed within 1 s after connected in 90 % of the cases; so it was in 1 of 2, and first not after connected at 3.000000 s: it had not come by 4.000000 s"
        ),
    ])
    func `A reason`(_ expect: String, _ log: String, _ reason: String) throws {
        #expect(try judged(expect, log).reason == reason)
    }
}
