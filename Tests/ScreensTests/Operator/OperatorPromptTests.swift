import Basics
import Cases
import Documents
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing

@testable import Screens

/// How a person is asked about an app, and what their answers become.
@Suite struct AppQuestionTests {
    private func question(
        _ line: String, _ kind: String = #""expect": "seen", "within": "2 s""#
    ) throws -> OperatorPrompt {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}], "expect": [
             {"id": "it", \(kind), "event": {"event": "said", "line": \(line)}}]}
            """
        let reading = ScenarioFile.read("x") { _ in Array(text.utf8) }
        let expectation = try #require(reading.scenario?.expectations.first, "\(reading.problems)")
        return try #require(OperatorPrompt(expectation))
    }

    @Test(
        arguments: [
            (#"{"heart_rate": {"bpm": 300}}"#, "heart rate 300"), (#"{"heart_rate": null}"#, "no heart rate"),
            (#"{"heart_rate": {}}"#, "any heart rate"), (#"{"heart_rate": {"bpm": {"$any": true}}}"#, "any heart rate"),
            (#"{"heart_rate": {"bpm": 75, "contact": false}}"#, "heart rate 75, skin contact no"),
            (#"{"heart_rate": {"bpm": 75, "contact": null}}"#, "heart rate 75, nothing about skin contact"),
            (
                #"{"heart_rate": {"rr_ms": [{"$min": 860.3, "$max": 862.3}, 884]}}"#,
                "RR intervals in ms from 860.3 to 862.3 and 884"
            ),
            (#"{"battery": {"$one_of": [87, 12]}}"#, "battery in % 87 or 12"),
            (#"{"location": "chest"}"#, #"place on the body "chest""#),
            (#"{"ecg": {"lost": {"$min": 1}}}"#, "lost ECG samples of at least 1"), (#"{}"#, "anything"),
        ])
    func `The announcement names the expected values`(line: String, words: String) throws {
        let seen = try question(line)
        #expect(seen.announcement == "it: the app should show \(words), within 2 s")
        #expect(seen.text(isDue: true, isAgain: false) == "it: has the app shown \(words)?")
        #expect(seen.text(isDue: true, isAgain: true) == "it: and had it shown \(words)?")
        let never = try question(line, #""expect": "never""#)
        #expect(never.announcement == "it: the app must not show \(words)")
    }

    @Test func `The prompt asks for the delivered value, and does not show it`() throws {
        let open = try question(#"{"heart_rate": {"bpm": {"$truth": "last", "of": "heart_rate"}}}"#)
        #expect(open.announcement == "it: look at heart rate")
        #expect(open.text(isDue: true, isAgain: false) == "it: what does the app show for heart rate?")
        #expect(open.hint == "the value, for example 72; - for none, ? if you cannot tell")
        for word in ["yes", "no"] { #expect(open.read(word).isMisread) }
    }

    private static let rate = #"{"heart_rate": {"bpm": 60}}"#
    private static let all = #"{"heart_rate": {"rr_ms": [812], "bpm": 60, "contact": true}}"#
    private static let mean = #"{"statistic": {"name": "average_heart_rate", "value": {"$min": 60}}}"#

    @Test(
        arguments: [
            (rate, "yes", .yes, #"{"answer": "yes", "asked": "it"}"#),
            (rate, " N ", .no, #"{"answer": "no", "asked": "it"}"#),
            (rate, "?", .unknown, #"{"answer": "unknown", "asked": "it"}"#),
            (rate, "72", .shown, #"{"heart_rate": {"bpm": 72}, "asked": "it"}"#),
            (rate, "-", .shown, #"{"heart_rate": null, "asked": "it"}"#),
            (
                all, "60 none 812, 790,5", .shown,
                #"{"heart_rate": {"bpm": 60, "contact": null, "rr_ms": [812, 790.5]}, "asked": "it"}"#
            ),
            (all, "-", .shown, #"{"heart_rate": null, "asked": "it"}"#),
            (mean, "61.5", .shown, #"{"statistic": {"name": "average_heart_rate", "value": 61.5}, "asked": "it"}"#),
            (
                #"{"temperature": {"celsius": 36.6}}"#, "36,6", .shown,
                #"{"temperature": {"celsius": 36.6}, "asked": "it"}"#
            ),
            (#"{"battery": 87}"#, "87", .shown, #"{"battery": 87, "asked": "it"}"#),
            (#"{"location": "ear_lobe"}"#, "Ear lobe", .shown, #"{"location": "ear_lobe", "asked": "it"}"#),
            (#"{"heart_rate": {"contact": false}}"#, "no", .no, #"{"answer": "no", "asked": "it"}"#),
            (rate, #"{"heart_rate": {"bpm": 1}}"#, .shown, #"{"heart_rate": {"bpm": 1}}"#),
        ] as [(String, String, OperatorQuestion.Answer, String)])
    func `Typed text becomes a client's line`(
        line: String, typed: String, answer: OperatorQuestion.Answer, json: String
    ) throws {
        guard case .answer(let meant, let line) = try question(line).read(typed) else {
            Issue.record("not understood")
            return
        }
        #expect(meant == answer)
        #expect(line.json == json)
        #expect(line.isJSON)
    }

    @Test(
        arguments: [
            (rate, ""), (rate, "  "), (rate, "sixty"), (rate, "60 70"), (rate, "inf"), (rate, "{\"heart_rate\": "),
            (all, "60"),
            (all, "60 maybe 812"), (all, "60 yes 812 x"), (rate, "\u{0}"),
        ])
    func `The prompt asks again after an implausible answer`(line: String, typed: String) throws {
        #expect(try question(line).read(typed).isMisread)
    }

    @Test(
        arguments: [
            ("60\r", [.line("60")], ""), ("6\u{7F}70\n", [.line("70")], ""), ("abc\u{15}1", [], "1"),
            ("\u{1B}[A\u{1B}OB7", [], "7"), ("\u{4}", [.end], ""), ("6\u{4}", [], "6"), ("ä\u{8}b", [], "b"),
            ("yes\rno\r", [.line("yes"), .line("no")], ""),
        ] as [(String, [OperatorSession.Typing.Typed], String)])
    func `Keys make lines`(keys: String, lines: [OperatorSession.Typing.Typed], rest: String) {
        var typing = OperatorSession.Typing()
        #expect(Array(keys.utf8).compactMap { typing.type($0) } == lines)
        #expect(typing.text == rest)
    }
}

extension OperatorPrompt.Reply {
    fileprivate var isMisread: Bool { if case .misread = self { true } else { false } }
}
