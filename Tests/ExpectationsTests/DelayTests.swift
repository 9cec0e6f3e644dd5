import Testing

private func delay(_ percentile: String) -> String {
    #""expect": "delay", "start": {"event": "connected"}, "end": {"event": "subscribed"}, "max": "1 s"\#(percentile)"#
}

private let all = delay("")
private let most = delay(#", "percentile": 75"#)
/// Three that are fast, and one that is not.
private let one =
    connected(1) + subscribed(2) + connected(3) + subscribed(3.5) + connected(5) + subscribed(6.000001)
    + connected(7) + subscribed(8)

@Suite struct DelayTests {
    @Test(arguments: [
        Row(all, connected(1) + subscribed(2), "pass 60.000000"),
        Row(all, connected(1) + subscribed(2.000001), "fail 2.000000"),
        Row(all, one, "fail 6.000000"),
        Row(most, one, "pass 60.000000"),
        Row(most, one + connected(10) + subscribed(12), "fail 60.000000"),
        Row(most, "", "inconclusive 60.000000"),
        Row(all, subscribed(1), "inconclusive 60.000000"),
        // One end is the end of all that are open; the limit cuts off what is.
        Row(all, connected(1) + connected(1.5) + subscribed(2), "pass 60.000000"),
        Row(all, connected(1) + connected(1.5) + subscribed(2.3), "fail 2.000000"),
        Row(all, connected(1) + subscribed(2) + connected(59.5), "pass 60.000000"),
        Row(all, connected(59.5), "inconclusive 60.000000"),
        Row(all, connected(59), "fail 60.000000"),
    ])
    func `From one event to another`(_ row: Row) throws { try row.check() }
}
