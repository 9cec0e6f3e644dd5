import Basics
import EventLogs
import Expectations
import ScenarioModel
import Testing
import VirtualWorld

/// Questions to the operator, and the effects of the answers.
@Suite struct OperatorQuestionTests {
    enum Step: Sendable {
        case log(String)
        /// The time since the start, in seconds.
        case time(Double)
        case limit(Double)
        /// The machine stalls from one second to another.
        case stall(Double, Double)
        /// The next line is only an answer.
        case forNobody
        /// The person answers what is asked first.
        case answer(OperatorQuestion.Answer, Double, OperatorQuestion.Effect)
        /// The number of questions, and of those whose time is over.
        case asked(Int, due: Int)
    }

    private func played(_ expect: String, _ steps: [Step], limit: String = "60 s") throws -> (String, String) {
        var harness = try JudgeHarness(expect, limit: limit, on: Judge.Terms(asksOperator: true))
        for step in steps {
            switch step {
            case .log(let log):
                for entry in EventLogReader(harness.scenario).entries(log) {
                    harness.judge.observe(entry.observed, at: entry.instant)
                }
            case .time(let seconds): harness.judge.observe(.timePassed, at: at(seconds))
            case .stall(let begin, let end):
                harness.judge.observe(.stalled(from: at(begin), to: at(end)), at: at(end))
            case .forNobody: harness.judge.setAudience(nil)
            case .limit(let seconds): harness.judge.observe(.limitReached, at: at(seconds))
            case .answer(let answer, let seconds, let wanted):
                let question = try #require(harness.judge.operatorQuestions.first)
                let effect = harness.judge.answer(question, answer, at: at(seconds))
                #expect(effect == wanted)
            case .asked(let count, let due):
                #expect(harness.judge.operatorQuestions.count == count)
                #expect(harness.judge.operatorQuestions.count(where: \.isDue) == due)
            }
        }
        harness.judge.observe(.ended, at: .start.advanced(by: harness.scenario.limit))
        return (harness.verdicts.first ?? "", harness.reasons.first ?? "")
    }

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    private static let shows60 =
        #""expect": "seen", "event": {"event": "said", "line": {"heart_rate": {"bpm": 60}}}, "within": "9 s""#
    private static let showsTruth =
        #""expect": "seen", "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "strap/heart_rate"}}}}, "since": {"event": "delivered", "of": "strap/heart_rate"}, "within": "2 s""#
    private static let noZero =
        #""expect": "never", "event": {"event": "said", "line": {"heart_rate": {"bpm": 0}}}, "until": {"event": "ended", "of": "away"}"#
    private static let neverZero = #""expect": "never", "event": {"event": "said", "line": {"heart_rate": {"bpm": 0}}}"#

    @Test(
        arguments: [
            // Bounds count from the first connection on, and how long an answer takes counts for nothing.
            (
                shows60,
                [
                    .time(20), .asked(1, due: 0), .log(connected(25)), .time(33.9), .asked(1, due: 0), .time(34),
                    .asked(1, due: 1), .answer(.yes, 50, .decided),
                ], "pass 50.000000", ""
            ),
            (
                shows60, [.log(connected(5)), .time(14), .answer(.no, 30, .decided)], "fail 30.000000",
                #"expected output {"heart_rate": {"bpm": 60}} within 9 s after the start; the operator had not seen it by 30.000000 s"#
            ),
            // A line about another value is not an observation.
            (
                neverZero,
                [
                    .log(connected(5)), .forNobody,
                    .log(#"{"t": 6.000000, "event": "said", "line": {"heart_rate": {"bpm": 0}}}"#), .limit(60),
                    .answer(.no, 70, .decided),
                ], "pass 70.000000", ""
            ),
            // A stalled machine causes no failure.
            (
                shows60, [.log(connected(5)), .stall(6, 8.5), .time(14), .answer(.no, 30, .decided)],
                "inconclusive 30.000000",
                #"this machine stalled for 2.5 s: expected output {"heart_rate": {"bpm": 60}} within 9 s after the start; the operator had not seen it by 30.000000 s"#
            ),
            // An undecided question can still be answered.
            (
                shows60,
                [
                    .log(connected(5)), .answer(.no, 6, .early), .log(shown(7, 70)), .answer(.shown, 7, .early),
                    .log(shown(8, 60)),
                ], "pass 8.000000", ""
            ),
            // The present display does not show the past one.
            (
                shows60,
                [.log(connected(5)), .log(shown(20, 70)), .answer(.shown, 20, .unclear), .answer(.yes, 21, .decided)],
                "pass 21.000000", ""
            ),
            (
                shows60,
                [.log(connected(5)), .log(shown(20, 70)), .answer(.shown, 20, .unclear), .answer(.no, 21, .decided)],
                "fail 21.000000", #"the operator had not seen it by 21.000000 s, but {"heart_rate": {"bpm": 70}}"#
            ),
            (
                shows60, [.log(connected(5)), .time(20), .answer(.unknown, 20, .decided), .asked(0, due: 0)],
                "inconclusive 20.000000", "the operator could not tell"
            ),
            (
                shows60, [.log(connected(5)), .time(20), .answer(.nobody, 20, .decided)], "inconclusive 20.000000",
                "there was no answer: the input has ended"
            ),
            (shows60, [.log(connected(5)), .time(20)], "inconclusive 60.000000", "there was no answer"),
            (
                shows60, [.log(connected(55)), .limit(60), .asked(0, due: 0)], "inconclusive 60.000000",
                "the case ended at 60.000000 s, before this was decided"
            ),
            // For `never`, a late answer does not show the past display.
            (
                noZero, [.log(shown(3, 0))], "fail 3.000000",
                #"expected no output {"heart_rate": {"bpm": 0}} from the start until end of away; the operator saw {"heart_rate": {"bpm": 0}} by 3.000000 s"#
            ),
            (
                noZero,
                [
                    .time(1), .answer(.no, 3, .early), .log(line(6, "ended", of: "away")), .asked(1, due: 1),
                    .log(shown(7, 0)),
                    .answer(.shown, 7, .unclear), .answer(.shown, 8, .unclear), .answer(.no, 9, .decided),
                ], "pass 9.000000", ""
            ),
            (
                noZero, [.log(line(6, "ended", of: "away")), .answer(.yes, 9, .decided)], "fail 9.000000",
                "the operator saw it by 9.000000 s"
            ),
            (
                noZero, [.time(60), .limit(60), .asked(0, due: 0)], "inconclusive 60.000000",
                "the case ended at 60.000000 s, before this was decided"
            ),
            (
                neverZero, [.time(60), .asked(1, due: 0), .limit(60), .asked(1, due: 1), .answer(.no, 60, .decided)],
                "pass 60.000000", ""
            ),
            // What was delivered since then, or lately; three times are enough.
            (
                showsTruth,
                [.log(connected(1)), .log(delivered(2, 70)), .log(delivered(3, 71)), .log(shown(9, 70))]
                    + [
                        .log(delivered(10, 72)), .log(shown(11, 72)), .log(delivered(12, 73)), .log(shown(13, 73)),
                        .asked(0, due: 0),
                    ],
                "pass 13.000000", ""
            ),
            (
                showsTruth,
                [
                    .log(connected(1)), .log(delivered(2, 70)), .log(delivered(3, 71)), .log(shown(13.1, 70)),
                    .answer(.shown, 13.1, .unclear), .log(shown(14, 70)), .answer(.shown, 14, .decided),
                ], "fail 14.000000",
                #"the operator had not seen it by 14.000000 s, but {"heart_rate": {"bpm": 70}}"#
            ),
            (
                showsTruth, [.time(9)], "inconclusive 60.000000",
                "never reached: delivery of strap/heart_rate (the case ended at 60.000000 s)"
            ),
        ] as [(String, [Step], String, String)])
    func `Answers`(expect: String, steps: [Step], verdict: String, reason: String) throws {
        let (ended, why) = try played(expect, steps)
        #expect(ended == verdict, "\(why)")
        #expect(why.hasSuffix(reason), "\(why)")
    }

    /// The operator gets no question that they cannot answer, and unobservable events are not judged.
    @Test(
        arguments: [
            (
                #""expect": "count", "event": "said", "max": 5"#, .virtual, true,
                "an operator cannot count what a client shows"
            ),
            (#""expect": "rate", "event": "said", "per": "1 s", "min": 1"#, .virtual, true, "an operator cannot count"),
            (
                #""expect": "delay", "start": "connected", "end": "said", "max": "1 s""#, .virtual, true,
                "the time of an operator"
            ),
            (
                #""expect": "order", "events": ["connected", "said"]"#, .virtual, true,
                "the time of an operator"
            ),
            (
                #""expect": "seen", "event": {"event": "said", "line": {}, "nth": 3}, "within": "9 s""#, .virtual, true,
                "an operator cannot count"
            ),
            (
                #""expect": "seen", "event": "connected", "since": "said", "within": "9 s""#, .virtual, true,
                "it begins or ends"
            ),
            (
                #""expect": "never", "event": "scanning""#, .controllers, false,
                "scanning cannot be observed: only the client's controller"
            ),
            (
                #""expect": "never", "event": "refused""#, .bluetoothd, false,
                "refused cannot be observed: bluetoothd does not report this"
            ),
            (#""expect": "never", "event": "refused""#, .controllers, false, nil),
            (#""expect": "never", "event": "disconnected""#, .virtual, true, nil),
        ] as [(String, RadioKind, Bool, String?)])
    func `Expectations without a question are skipped`(
        expect: String, radio: RadioKind, asks: Bool, why: String?
    ) throws {
        var harness = try JudgeHarness(expect, on: Judge.Terms(radio: radio, asksOperator: asks))
        #expect(harness.judge.operatorQuestions.isEmpty)
        let verdicts = harness.observe("")
        #expect(verdicts == [why == nil ? "pass 60.000000" : "skip 0.000000"])
        #expect(harness.reasons[0].hasPrefix(why ?? ""))
    }

    @Test func `Limits on packets wait for the connection, too`() throws {
        let expect = #""expect": "seen", "event": {"event": "subscribed", "of": "strap/heart_rate"}, "within": "8 s""#
        for (asks, verdict) in [(true, "pass 26.000000"), (false, "fail 8.000000")] {
            var harness = try JudgeHarness(expect, on: Judge.Terms(asksOperator: asks))
            #expect(harness.observe(connected(20) + subscribed(26)) == [verdict])
        }
    }
}
