import Testing

private let order = #""expect": "order", "events": ["connected", "subscribed", "disconnected"]"#
private let again = #""expect": "order", "events": ["connected", "disconnected", "connected"]"#
private let twice = #""expect": "order", "events": [{"event": "connected", "nth": 2}, "subscribed"]"#

@Suite struct OrderTests {
    @Test(arguments: [
        Row(order, connected(1) + subscribed(2) + disconnected(3), "pass 3.000000"),
        Row(order, connected(1) + subscribed(1) + disconnected(1), "pass 1.000000"),
        Row(order, connected(1) + disconnected(2), "fail 2.000000"),
        Row(order, subscribed(1) + connected(2), "fail 1.000000"),
        // Others may come between, and each may come again.
        Row(
            order, connected(1) + shown(2, 60) + connected(3) + subscribed(4) + connected(5) + disconnected(6),
            "pass 6.000000"),
        Row(order, connected(1) + subscribed(2), "inconclusive 60.000000"),
        Row(order, "", "inconclusive 60.000000"),
        Row(order + #", "until": "5 s""#, connected(1) + subscribed(2), "fail 5.000000"),
        Row(order + #", "until": "5 s""#, connected(1) + subscribed(2) + disconnected(5), "pass 5.000000"),
        Row(order + #", "until": "5 s""#, connected(1) + subscribed(2) + disconnected(5.000001), "fail 5.000000"),
        // One event is one step, even where it is two of those that are expected.
        Row(again, connected(1) + disconnected(2) + connected(3), "pass 3.000000"),
        Row(again, connected(1) + connected(2), "inconclusive 60.000000"),
        Row(twice, connected(1) + connected(2) + subscribed(3), "pass 3.000000"),
        Row(twice, connected(1) + subscribed(2), "fail 2.000000"),
        // Each opening goes its own way.
        Row(
            order + #", "since": {"event": "began", "of": "away"}"#,
            line(1, "began", of: "away") + connected(2) + line(3, "began", of: "away") + subscribed(4), "fail 4.000000"),
    ])
    func `Events one after the other`(_ row: Row) throws { try row.check() }
}
