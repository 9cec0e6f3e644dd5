import Testing

private func seen(since: String, event: String = "\"subscribed\"", within: String = "1 s") -> String {
    #""expect": "seen", "event": \#(event), "since": \#(since), "within": "\#(within)""#
}

/// When expectations open, and what closes them.
@Suite struct MomentTests {
    @Test(arguments: [
        Row(seen(since: #""2 s""#), subscribed(3), "pass 3.000000"),
        Row(seen(since: #""2 s""#), subscribed(2), "pass 2.000000"),
        Row(seen(since: #""2 s""#), subscribed(1.999999), "fail 3.000000"),
        Row(seen(since: #"{"at": "2 s", "every": "2 s", "times": 2}"#), subscribed(3) + subscribed(5), "pass 5.000000"),
        Row(seen(since: #"{"at": "2 s", "every": "2 s", "times": 2}"#), subscribed(3), "fail 5.000000"),
        Row(seen(since: #"{"at": "0 s", "every": "30 s"}"#), subscribed(0) + subscribed(31), "pass 60.000000"),
        Row(
            seen(since: #"{"event": "connected", "nth": 2}"#), connected(1) + connected(2) + subscribed(3),
            "pass 3.000000"),
        Row(seen(since: #"{"event": "connected", "nth": 2}"#), connected(1), "inconclusive 60.000000"),
        Row(
            seen(since: #"{"event": "connected", "every": 2}"#),
            connected(1) + connected(2) + connected(3) + subscribed(3),
            "pass 60.000000"),
        Row(
            seen(since: #"{"event": "connected", "every": 2}"#),
            connected(1) + connected(2) + subscribed(3) + connected(3) + connected(4),
            "fail 5.000000"),
        Row(seen(since: #"{"event": "connected", "after": "2 s"}"#), connected(1) + subscribed(4), "pass 60.000000"),
        Row(seen(since: #"{"event": "connected", "after": "2 s"}"#), connected(1) + subscribed(3), "pass 60.000000"),
        Row(seen(since: #"{"event": "connected", "after": "2 s"}"#), connected(1) + subscribed(2), "fail 4.000000"),
        Row(
            seen(since: #"{"event": "began", "of": "back"}"#),
            line(1, "began", of: "away") + line(2, "began", of: "back") + subscribed(3),
            "pass 60.000000"),
        Row(seen(since: #"{"event": "began", "of": "back"}"#), line(1, "began", of: "away"), "inconclusive 60.000000"),
    ])
    func `Openings`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        // Matches of what is expected count from the opening, and what is late counts late.
        Row(
            seen(since: "\"connected\"", event: #"{"event": "subscribed", "nth": 2}"#),
            subscribed(0.5) + connected(1) + subscribed(1.5) + subscribed(2), "pass 60.000000"),
        Row(
            seen(since: "\"connected\"", event: #"{"event": "subscribed", "nth": 2}"#),
            subscribed(0.5) + connected(1) + subscribed(1.5), "fail 2.000000"),
        Row(
            seen(since: "\"connected\"", event: #"{"event": "subscribed", "after": "500 ms"}"#),
            connected(1) + subscribed(1.5), "pass 60.000000"),
        Row(
            seen(since: "\"connected\"", event: #"{"event": "subscribed", "after": "500 ms"}"#),
            connected(1) + subscribed(1.500001), "fail 2.000000"),
        Row(
            #""expect": "never", "event": {"event": "connected", "every": 2}, "within": "5 s""#, connected(1),
            "pass 5.000000"),
        Row(
            #""expect": "never", "event": {"event": "connected", "every": 2}, "within": "5 s""#,
            connected(1) + connected(2),
            "fail 2.000000"),
    ])
    func `What is expected`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        // `until` closes `seen` too, and then it is too late.
        Row(
            seen(since: #""1 s""#, within: "5 s") + #", "until": "disconnected""#, disconnected(2) + subscribed(3),
            "fail 2.000000"),
        Row(
            seen(since: #""1 s""#, within: "5 s") + #", "until": "disconnected""#, subscribed(2) + disconnected(3),
            "pass 2.000000"),
        // One that came before is none; a time that is over opens nothing.
        Row(
            seen(since: #""1 s""#, within: "5 s") + #", "until": "disconnected""#, disconnected(0.5) + subscribed(3),
            "pass 3.000000"),
        Row(seen(since: "\"connected\"") + #", "until": "2 s""#, connected(3), "inconclusive 60.000000"),
        Row(
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 s""#, connected(3),
            "inconclusive 60.000000"),
        // The event that closes it does not count.
        Row(
            #""expect": "never", "event": "subscribed", "until": "subscribed""#, subscribed(2), "pass 2.000000"),
        Row(
            #""expect": "never", "event": "subscribed", "since": "connected", "until": "2 s""#, connected(2),
            "pass 60.000000"),
        Row(
            #""expect": "never", "event": "subscribed", "since": "connected", "until": {"at": "0 s", "every": "10 s"}"#,
            connected(3) + subscribed(10.000001) + connected(11), "pass 60.000000"),
        Row(
            #""expect": "never", "event": "subscribed", "since": "connected", "until": {"at": "0 s", "every": "10 s"}"#,
            connected(3) + subscribed(10), "fail 10.000000"),
    ])
    func `What closes`(_ row: Row) throws { try row.check() }
}
