import Testing

/// A client prints values that were true within the last second.
private func says(_ words: String, since: String = #""10 s""#) -> String {
    #""expect": "seen", "since": \#(since), "within": "1 s", "event": {"event": "said", "line": \#(words)}"#
}

private func bpm(_ truth: String) -> String { says(#"{"heart_rate": {"bpm": {"$truth": \#(truth)}}}"#) }

private func part(_ name: String, _ more: String = "") -> String {
    says(#"{"heart_rate": {"\#(name)": {"$truth": "last", "of": "strap/heart_rate/\#(name)"\#(more)}}}"#)
}

private func value(_ truth: String) -> String { says(#"{"v": {"$truth": \#(truth)}}"#) }

private func printed(_ value: String) -> String { said(10.5, "{\"v\": \(value)}") }

private let last = bpm(#""last", "of": "strap/heart_rate""#)

private let fresh = last.madeFresh

private let each =
    #""expect": "seen", "since": {"event": "delivered", "of": "strap/heart_rate"}, "within": "2 s", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}}}"#
private let eachContact = each.replacing("bpm", with: "contact").replacing(
    #""last", "of": "strap/heart_rate""#, with: #""last", "of": "strap/heart_rate/contact""#)

extension String {
    fileprivate var madeFresh: String {
        replacing(#""of": "strap/heart_rate"}}"#, with: #""of": "strap/heart_rate", "fresh": true}}"#)
    }
}

@Suite struct TruthTests {
    @Test(arguments: [
        Row(last, delivered(9, 62) + shown(10, 62), "pass 10.000000"),
        Row(last, delivered(9, 62) + shown(10, 63), "fail 11.000000"),
        Row(last, shown(10, 62), "fail 11.000000"),
        // It was true within the last second, and just outside.
        Row(last, delivered(8, 62) + delivered(9, 70) + shown(10, 62), "pass 10.000000"),
        Row(last, delivered(8, 62) + delivered(8.999999, 70) + shown(10, 62), "fail 11.000000"),
        Row(last, delivered(8, 62) + delivered(9.2, 70) + delivered(9.4, 80) + shown(10, 70), "pass 10.000000"),
        Row(last, shown(10, 62) + delivered(10, 62), "fail 11.000000"),
        Row(last, delivered(9, 62) + said(10, #"{"heart_rate": null}"#), "fail 11.000000"),
        // A false value is compared with the true one.
        Row(
            #""expect": "never", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$not": {"$truth": "last", "of": "strap/heart_rate"}}}}}"#,
            delivered(1, 62) + shown(2, 62), "pass 60.000000"),
        Row(
            #""expect": "never", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$not": {"$truth": "last", "of": "strap/heart_rate"}}}}}"#,
            delivered(1, 62) + shown(2, 61), "fail 2.000000"),
    ])
    func `The newest`(_ row: Row) throws { try row.check() }

    /// A value from before the opening, such as the one that a client showed before an absence, does not answer.
    @Test(arguments: [
        Row(fresh, delivered(9.5, 62) + shown(10.5, 62), "fail 11.000000"),
        Row(fresh, delivered(9.5, 62) + delivered(10.2, 64) + shown(10.5, 62), "fail 11.000000"),
        Row(fresh, delivered(9.5, 62) + delivered(10.2, 64) + shown(10.5, 64), "pass 10.500000"),
        Row(fresh, delivered(9.5, 62) + delivered(10.2, 62) + shown(10.5, 62), "pass 10.500000"),
        Row(fresh, delivered(10, 62) + shown(10.5, 62), "pass 10.500000"),
        Row(fresh, delivered(10.1, 62) + delivered(10.4, 64) + shown(10.5, 62), "pass 10.500000"),
        // Each opening requires another value.
        Row(
            last.replacing(#""10 s""#, with: #"{"event": "subscribed", "of": "strap/heart_rate"}"#).madeFresh,
            subscribed(1) + delivered(1.2, 62) + shown(1.3, 62) + subscribed(20) + shown(20.1, 62), "fail 21.000000"),
    ])
    func `Only fresh values`(_ row: Row) throws { try row.check() }

    @Test func `The reason names the earlier value`() throws {
        let (_, reason) = try judged(fresh, delivered(9.5, 62) + shown(10.5, 62), limit: "15 s")
        #expect(reason.hasSuffix("it looks like an earlier value"), "\(reason)")
    }

    /// An expectation that the delivery of a value opens asks for that value.
    @Test(arguments: [
        Row(each, delivered(1, 300) + shown(1.5, 300), "pass 1.500000"),
        // Neither a later value nor an earlier one is an answer, even with the tolerance of real time.
        Row(each, delivered(1, 256) + delivered(3, 257) + shown(3.01, 257), "fail 3.500000"),
        Row(each, delivered(1, 256) + shown(1.1, 1) + delivered(3, 257) + shown(3.01, 257), "fail 3.500000"),
        Row(each, delivered(1, 60) + shown(1.1, 60) + delivered(1.5, 61) + shown(1.6, 60), "fail 4.000000"),
        // Each line answers for its own value, in any order; equal ones are answered together.
        Row(each, delivered(1, 60) + delivered(2, 61) + shown(2.1, 61) + shown(2.2, 60), "pass 2.200000"),
        Row(each, delivered(1, 60) + delivered(2, 60) + shown(2.1, 60), "pass 2.100000"),
        // It counts however soon another value was delivered.
        Row(each, delivered(1, 60) + delivered(1.1, 61) + shown(3, 60) + shown(3.1, 61), "pass 3.100000"),
        // A measurement without the member asks for nothing new.
        Row(
            eachContact,
            delivered(1, 60, #", "contact": true"#) + delivered(2, 61)
                + said(2.1, #"{"heart_rate": {"contact": true}}"#), "pass 2.100000"),
        Row(
            eachContact, delivered(1, 60, #", "contact": null"#) + said(2.1, #"{"heart_rate": {"bpm": 60}}"#),
            "pass 2.100000"),
        // The lines of a stream may leave out values.
        Row(
            #""expect": "seen", "since": {"event": "delivered", "of": "patch/measurements"}, "within": "2 s", "event": {"event": "said", "line": {"measurements": {"bpm": {"$truth": "last", "of": "patch/measurements"}}}}"#,
            stream(1, [60]) + stream(1.1, [61]) + said(1.2, #"{"measurements": {"bpm": 61}}"#), "pass 1.200000"),
    ])
    func `The value asked for`(_ row: Row) throws {
        let (verdict, reason) = try judged(row.expect, row.log, limit: "5 s", grace: .milliseconds(500))
        #expect(verdict.hasPrefix("pass") == row.verdict.hasPrefix("pass"), "\(row.log)\(reason)")
        if row.verdict.hasPrefix("fail") { #expect(verdict == row.verdict, "\(row.log)\(reason)") }
    }

    @Test(arguments: [
        Row(
            part("contact"),
            delivered(9, 62, #", "contact": false"#) + said(10, #"{"heart_rate": {"contact": false}}"#),
            "pass 10.000000"),
        Row(
            part("contact"), delivered(9, 62, #", "contact": null"#) + said(10, #"{"heart_rate": {"contact": null}}"#),
            "pass 10.000000"),
        Row(
            part("contact"), delivered(9, 62, #", "contact": true"#) + said(10, #"{"heart_rate": {"contact": false}}"#),
            "fail 11.000000"),
        // The last measurement with the member counts.
        Row(
            part("energy_kj"),
            delivered(2, 62, #", "energy_kj": 7"#) + delivered(9, 62) + said(10, #"{"heart_rate": {"energy_kj": 7}}"#),
            "pass 10.000000"),
        Row(
            part("rr_ms"),
            delivered(9, 62, #", "rr_ms": [812.5, 790]"#) + said(10, #"{"heart_rate": {"rr_ms": [813, 789]}}"#),
            "pass 10.000000"),
        Row(
            part("rr_ms"),
            delivered(9, 62, #", "rr_ms": [812.5, 790]"#) + said(10, #"{"heart_rate": {"rr_ms": [813]}}"#),
            "fail 11.000000"),
        Row(
            part("rr_ms"), delivered(9, 62, #", "rr_ms": [812.5]"#) + said(10, #"{"heart_rate": {"rr_ms": [813.6]}}"#),
            "fail 11.000000"),
        Row(
            part("rr_ms", #", "$tolerance": 2"#),
            delivered(9, 62, #", "rr_ms": [812.5]"#) + said(10, #"{"heart_rate": {"rr_ms": [814.5]}}"#),
            "pass 10.000000"),
        Row(
            value(#""last", "of": "strap/health_thermometer""#),
            line(9, "delivered", of: "strap/health_thermometer", #", "value": {"celsius": 36.6, "type": "ear"}"#)
                + printed("36.65"), "pass 10.500000"),
        Row(
            value(#""last", "of": "strap/health_thermometer""#),
            line(9, "delivered", of: "strap/health_thermometer", #", "value": {"celsius": 36.6, "type": "ear"}"#)
                + printed("36.66"), "fail 11.000000"),
        // Indicated and read values reach the client too.
        Row(
            value(#""last", "of": "strap/health_thermometer""#),
            line(9, "indicated", of: "strap/health_thermometer", #", "value": {"celsius": 36.6}"#) + printed("36.6"),
            "pass 10.500000"),
        Row(
            value(#""last", "of": "band/fitness/steps_today""#),
            line(9, "read", of: "band/fitness/steps_today", #", "value": 812"#) + printed("812"), "pass 10.500000"),
        Row(
            value(#""last", "of": "band/fitness/steps_today""#),
            line(9, "read", of: "band/fitness/steps", #", "value": 812"#) + printed("812"), "fail 11.000000"),
        Row(
            value(#""last", "of": "strap/battery""#),
            line(9, "notified", of: "strap/battery", #", "value": 80"#) + printed("80"), "fail 11.000000"),
    ])
    func `Parts of a value`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        Row(
            value(#""mean", "of": "patch/measurements", "last": 3"#), stream(9, [90, 60, 61, 63]) + printed("61.4"),
            "fail 11.000000"),
        Row(
            value(#""mean", "of": "patch/measurements", "last": 3, "$tolerance": 0.1"#),
            stream(9, [90, 60, 61, 63]) + printed("61.4"), "pass 10.500000"),
        Row(
            value(#""mean", "of": "patch/measurements", "last": 3"#), stream(9, [60, 61]) + printed("60.5"),
            "fail 11.000000"),
        Row(value(#""mean", "of": "patch/measurements""#), stream(9, [60, 61]) + printed("60.5"), "pass 10.500000"),
        Row(
            value(#""mean", "of": "patch/measurements", "last": 2, "below": 65"#),
            stream(9, [90, 60, 65, 62, 80]) + printed("61"), "pass 10.500000"),
        // Within one notification it was true for a moment.
        Row(
            value(#""mean", "of": "patch/measurements", "last": 2"#), stream(9.6, [60, 62, 80]) + printed("61"),
            "pass 10.500000"),
        Row(
            value(#""mode", "of": "patch/measurements", "last": 4"#),
            stream(9, [70, 70, 70, 60, 61, 60, 61]) + printed("60"), "pass 10.500000"),
        Row(
            value(#""mode", "of": "patch/measurements", "last": 4"#),
            stream(9, [70, 70, 70, 60, 61, 60, 61]) + printed("61"), "fail 11.000000"),
        Row(value(#""count", "of": "patch/measurements""#), stream(9, [70, 70, 70]) + printed("3"), "pass 10.500000"),
        Row(
            value(#""count", "of": "patch/measurements", "below": 70"#), stream(9, [70, 69, 70]) + printed("1"),
            "pass 10.500000"),
        Row(
            value(#""count", "of": "patch/ecg/samples""#),
            line(9, "delivered", of: "patch/ecg/samples", #", "value": {"samples": 73}"#) + printed("73"),
            "pass 10.500000"
        ),
        Row(
            // A log has the number of samples only.
            value(#""sum", "of": "patch/ecg/samples""#),
            line(9, "delivered", of: "patch/ecg/samples", #", "value": {"samples": 73}"#) + printed("73"),
            "fail 11.000000"
        ),
        Row(
            value(#""last", "of": "strap/health_thermometer/intermediate""#),
            line(9, "delivered", of: "strap/health_thermometer/intermediate", #", "value": {"celsius": 36.6}"#)
                + printed("36.6"), "pass 10.500000"
        ),
        Row(
            value(#""sum", "of": "patch/measurements", "last": 2"#), stream(9, [5, 6, 7]) + printed("13"),
            "pass 10.500000"
        ),
    ])
    func `Statistics of many`(_ row: Row) throws { try row.check() }
}
