import Testing

/// Never fewer than before.
private let back =
    #""expect": "never", "event": {"event": "said", "line": {"steps": {"$truth": "last", "of": "client/steps", "is": "at_most", "plus": -1}}}"#
/// Never 100 more than before.
private let leap =
    #""expect": "never", "event": {"event": "said", "line": {"steps": {"$truth": "last", "of": "client/steps", "is": "at_least", "plus": 100}}}"#
/// In all not more than 20 lost.
private let lost =
    #""expect": "never", "event": {"event": "said", "line": {"ecg": {"lost": {"$truth": "sum", "of": "client/ecg/lost", "is": "at_least", "plus": 1}}}}"#
/// One more than the number of lines before.
private let number =
    #""expect": "seen", "event": {"event": "said", "line": {"badge": {"$truth": "count", "of": "client/steps", "plus": 1}}}, "within": "9 s""#
/// At least the latest heart rate that was delivered.
private let more =
    #""expect": "seen", "event": {"event": "said", "line": {"total": {"value": {"$truth": "sum", "of": "strap/heart_rate", "is": "at_least", "$tolerance": 1}}}}, "within": "9 s""#

private func steps(_ seconds: Double, _ count: String) -> String { said(seconds, "{\"steps\": \(count)}") }

/// `$truth` over what the client printed before, and comparisons with it.
@Suite struct PrintedTruthTests {
    @Test(arguments: [
        Row(back, steps(1, "5") + steps(2, "5") + steps(3, "6"), "pass 60.000000"),
        Row(back, steps(1, "5") + steps(2, "4"), "fail 2.000000"),
        Row(back, steps(1, "5") + steps(2, "9") + steps(2, "8"), "fail 2.000000"),
        // Lines without the value, and values without a number, change nothing.
        Row(back, steps(1, "5") + said(2, "{}") + steps(3, "null") + steps(4, "4"), "fail 4.000000"),
        Row(back, steps(1, "5") + steps(2, "[4]"), "pass 60.000000"),
        Row(leap, steps(1, "500") + steps(2, "599") + steps(3, "698"), "pass 60.000000"),
        Row(leap, steps(1, "500") + steps(2, "600"), "fail 2.000000"),
        Row(lost, [1, 2, 3].map { said($0, #"{"ecg": {"lost": 1}}"#) }.joined(), "pass 60.000000"),
        Row(lost, [1, 3, 9].map { said($0, "{\"ecg\": {\"lost\": \($0)}}") }.joined(), "fail 3.000000"),
        Row(number, steps(1, "5") + steps(2, "5") + said(3, #"{"badge": 3}"#), "pass 3.000000"),
        Row(number, steps(1, "5") + steps(2, "5") + said(3, #"{"badge": 2}"#), "fail 9.000000"),
        Row(more, delivered(1, 60) + delivered(2, 61) + said(3, #"{"total": {"value": 120}}"#), "pass 3.000000"),
        Row(more, delivered(1, 60) + delivered(2, 61) + said(5, #"{"total": {"value": 119.9}}"#), "fail 9.000000"),
    ])
    func `Lines are compared with those before`(_ row: Row) throws { try row.check() }

    @Test func `The reason has the comparison`() throws {
        let (_, reason) = try judged(back, steps(1, "5") + steps(2, "4"))
        #expect(reason.contains(#"{"$truth": "last", "of": "client/steps", "is": "at_most", "plus": -1}"#), "\(reason)")
    }
}
