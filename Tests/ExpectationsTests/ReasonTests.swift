import Testing

/// The text of a failure: what was expected, what was observed, and when.
@Suite struct ReasonTests {
    private static let shows =
        #""expect": "seen", "since": {"event": "delivered", "of": "strap/heart_rate"}, "within": "2 s", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}}}"#

    @Test(arguments: [
        (
            shows, delivered(1, 300) + shown(1.5, 44),
            #"expected output {"heart_rate": {"bpm": 300}} within 2 s after delivery of strap/heart_rate at 1.000000 s; observed none by 3.000000 s; the closest was output {"heart_rate": {"bpm": 44}} at 1.500000 s: bpm 44 instead of 300; it looks like only one of two octets"#
        ),
        // Not the last line, which is right for the next value, but the one that looks like a mistake with this one.
        (
            shows, delivered(1, 300) + shown(1.5, 11265) + delivered(2, 60) + shown(2.1, 60),
            #"expected output {"heart_rate": {"bpm": 300}} within 2 s after delivery of strap/heart_rate at 1.000000 s; observed none by 3.000000 s; the closest was output {"heart_rate": {"bpm": 11265}} at 1.500000 s: bpm 11265 instead of 300; it looks like swapped octets"#
        ),
        (
            shows, delivered(1, 60) + shown(1.1, 60) + delivered(2, 61) + shown(2.1, 60),
            #"expected output {"heart_rate": {"bpm": 61}} within 2 s after delivery of strap/heart_rate at 2.000000 s; observed none by 4.000000 s; the closest was output {"heart_rate": {"bpm": 60}} at 2.100000 s: bpm 60 instead of 61; it looks like an earlier value"#
        ),
        (
            #""expect": "seen", "since": "1 s", "within": "2 s", "event": {"event": "said", "line": {"heart_rate": {"bpm": 75, "contact": false}}}"#,
            shown(0.5, 75) + shown(1.2, 60) + shown(1.5, 75) + shown(1.6, 60) + said(1.7, #"{"battery": 75}"#),
            #"expected output {"heart_rate": {"bpm": 75, "contact": false}} within 2 s after 1.000000 s; observed none by 3.000000 s; the closest was output {"heart_rate": {"bpm": 75}} at 1.500000 s: no contact instead of false"#
        ),
        (
            #""expect": "count", "event": {"event": "said", "line": {"heart_rate": {}}}, "max": 3"#,
            shown(1, 60) + shown(1.01, 60) + shown(2, 61) + shown(2.01, 61),
            "expected at most 3 × output {\"heart_rate\": {}} since the start; observed 4 by 2.010000 s, the last two at once; it looks like a duplicate subscription"
        ),
        (shows, "", "never reached: delivery of strap/heart_rate (the case ended at 60.000000 s)"),
        (
            shows, delivered(59, 60),
            #"expected output {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}} within 2 s after delivery of strap/heart_rate at 59.000000 s; the case ended at 60.000000 s, before this was decided"#
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 s""#, connected(3),
            "too late: connection at 3.000000 s, after the end of the expectation at 2.000000 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 s""#, "",
            "never reached: connection by 2 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 min""#, "",
            "never reached: connection (the case ended at 60.000000 s)"
        ),
        (
            #""expect": "seen", "within": "1 s", "event": "connected", "since": {"event": "ended", "of": "fifth"}"#,
            subscribed(1),
            "never reached: end of fifth (the case ended at 60.000000 s); fifth begins after subscription to strap/heart_rate (number 5)"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": {"at": "1 s", "every": "1 s", "times": 3}"#,
            connected(7) + connected(8),
            "too late: connection at 7.000000 s, after the end of the expectation at 3.000000 s"
        ),
        (
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "start""#, connected(3),
            "too late: connection at 3.000000 s, after the end of the expectation at 0.000000 s"
        ),
        (
            #""expect": "never", "event": {"event": "disconnected", "reason": "connection_timeout"}, "until": "10 s""#,
            disconnected(2),
            "expected no disconnection connection_timeout from the start until 10 s; observed disconnection of strap connection_timeout at 2.000000 s"
        ),
        (
            #""expect": "count", "event": {"event": "connected", "of": "strap"}, "since": {"event": "ended", "of": "away"}, "within": "500 ms", "min": 2, "max": 2"#,
            line(1, "ended", of: "away") + connected(1.2),
            "expected 2 × connection of strap within 500 ms after end of away at 1.000000 s; 1 of 2 came, at 1.200000 s"
        ),
        (
            #""expect": "seen", "event": {"event": "connected", "nth": 3}, "since": "1 s", "within": "9 s""#,
            connected(0.5) + connected(2) + connected(52.0 / 8),
            "expected connection (number 3) within 9 s after 1.000000 s; 2 of 3 came, at 2.000000 s, 6.500000 s"
        ),
        (
            #""expect": "count", "event": "connected", "within": "50 s", "min": 9"#,
            (1...5).map { connected(Double($0)) }.joined(),
            "expected at least 9 × connection within 50 s after the start; 5 of 9 came, the last at 5.000000 s"
        ),
        (
            #""expect": "count", "event": "connected", "within": "50 s", "min": 2"#, "",
            "expected at least 2 × connection within 50 s after the start; observed 0 by 50.000000 s"
        ),
        (
            #""expect": "count", "event": "connected", "min": 200"#,
            (1...150).map { connected(Double($0) / 10) }.joined(),
            "expected at least 200 × connection since the start; observed 150 by 60.000000 s"
        ),
        (
            #""expect": "order", "events": ["connected", {"event": "subscribed", "nth": 2}]"#,
            subscribed(1) + subscribed(2),
            "expected connection, then subscription (number 2) since the start; observed subscription (number 2) at 2.000000 s before connection"
        ),
        (
            #""expect": "rate", "event": "connected", "per": "10 s", "min": 1"#, "",
            "expected at least 1 × connection in each 10 s since the start; observed 0 from 0.000000 s to 10.000000 s"
        ),
        (
            #""expect": "rate", "event": {"event": "connected", "every": 2, "after": "1 s"}, "per": "10 s", "min": 1, "since": "5 s", "until": "50 s""#,
            "",
            "expected at least 1 × connection (every 2 occurrences) (1 s later) in each 10 s from 5.000000 s until 50 s; observed 0 from 5.000000 s to 15.000000 s"
        ),
        (
            #""expect": "never", "event": {"event": "connected", "after": "1 s"}, "within": "5 s""#,
            connected(2) + connected(2.5),
            "expected no connection (1 s later) within 5 s after the start; observed one at 3.000000 s"
        ),
        (
            #""expect": "never", "event": {"event": "delivered", "of": "patch/measurements", "value": {"$min": 70}}"#,
            stream(2, [60, 71, 72]),
            #"expected no delivery of patch/measurements {"$min": 70} since the start; observed delivery of patch/measurements 71 at 2.000000 s"#
        ),
        (
            #""expect": "seen", "within": "9 s", "event": {"event": "delivered", "of": "strap/heart_rate/energy_kj", "value": {"$min": 9}}"#,
            delivered(1, 60, #", "energy_kj": 7"#) + delivered(2, 61),
            #"expected delivery of strap/heart_rate/energy_kj {"$min": 9} within 9 s after the start; observed none by 9.000000 s; the closest was delivery of strap/heart_rate/energy_kj 7 at 1.000000 s"#
        ),
        (
            #""expect": "seen", "within": "9 s", "event": {"event": "said", "line": {"$truth": "mean", "of": "patch/measurements", "last": 3, "below": 65, "$tolerance": 0.5}}"#,
            stream(2, [60, 61, 62]),
            #"expected output {"$truth": "mean", "of": "patch/measurements", "last": 3, "below": 65, "$tolerance": 0.5} within 9 s after the start; observed none by 9.000000 s; mean of the last 3 values below 65 of patch/measurements was 61"#
        ),
        (
            #""expect": "order", "events": ["connected", "disconnected"], "since": {"at": "1 s", "every": "9 s", "times": 1}, "until": "6 s""#,
            connected(2),
            "expected connection, then disconnection from 1.000000 s until 6 s; observed no disconnection by 6.000000 s"
        ),
        (
            #""expect": "rate", "event": "connected", "per": "10 min", "max": 1"#, "",
            "expected at most 1 × connection in each 600 s since the start; the case ended at 60.000000 s, before the end of the first window"
        ),
        (
            #""expect": "delay", "start": "connected", "end": "subscribed", "percentile": 90, "max": "1 s""#,
            connected(1) + subscribed(2) + connected(3),
            "expected subscription within 1 s after connection in 90 % of the cases; 1 of 2 passed; the first failure was after connection at 3.000000 s: observed none by 4.000000 s"
        ),
    ])
    func `A reason`(_ expect: String, _ log: String, _ reason: String) throws {
        #expect(try judged(expect, log).reason == reason)
    }
}
