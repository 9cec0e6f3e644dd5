import Basics
import EventLogs
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

/// The verdict on what a client shows in a log, and its reason.
private func verdict(_ log: String) throws -> (verdict: String, reason: String) {
    var harness = try JudgeHarness([], on: Judge.Terms(judgesInventions: true))
    let verdicts = harness.observe(log)
    try #require(verdicts.count == 1)
    return (verdicts[0], harness.reasons[0])
}

private func temperature(_ seconds: Double, _ celsius: Double) -> String {
    line(seconds, "indicated", of: "strap/health_thermometer", ", \"value\": {\"celsius\": \(celsius)}")
}

private func rate(_ seconds: Double, _ members: String) -> String { said(seconds, "{\"heart_rate\": {\(members)}}") }

/// That a client shows nothing that was not delivered to it.
@Suite struct InventionTests {
    @Test(arguments: [
        "",
        delivered(1, 62) + shown(1, 62),
        // It repeats the latest, however long ago that was, and is late by up to 10 s.
        delivered(1, 62) + shown(2, 62) + shown(50, 62),
        delivered(1, 62) + delivered(2, 63) + shown(12, 62),
        // It leaves out values and fields.
        delivered(1, 62, #", "contact": true, "energy_kj": 5"#) + delivered(2, 70) + shown(3, 70),
        // Fields of other measurements, which this one had not.
        delivered(1, 62, #", "energy_kj": 5"#) + delivered(2, 70) + rate(3, #""bpm": 70, "energy_kj": 5"#),
        // No value.
        delivered(1, 62) + said(2, #"{"heart_rate": null}"#) + said(3, #"{"state": "disconnected"}"#),
        delivered(1, 62) + rate(2, #""bpm": null, "contact": null, "energy_kj": null, "rr_ms": []"#),
        said(1, #"{"heart_rate": null}"#),
        // Rounded: within the tolerance of the value.
        delivered(1, 62, #", "rr_ms": [967.773, 0, 812.5]"#) + rate(2, #""bpm": 62, "rr_ms": [968, 812]"#),
        temperature(1, 36.64) + said(2, #"{"temperature": {"celsius": 36.6}}"#),
        // Keys and fields that are not described, text, and devices that Lubdub does not know.
        said(1, #"{"statistic": {"name": "average_heart_rate", "value": 1}}"#) + said(2, #"{"spo2": 3}"#)
            + said(3, #""hello""#),
        delivered(1, 62) + rate(2, #""bpm": 62, "quality": 3"#),
        delivered(1, 62) + said(2, #"{"heart_rate": {"bpm": 62}, "peer": "AA:BB:CC:DD:EE:FF/public"}"#),
        // A client that shows a word, and one that shows a number, for what has no name.
        line(1, "read", of: "strap/heart_rate/location", #", "value": 9"#) + said(2, #"{"location": "unknown"}"#),
        line(1, "read", of: "strap/heart_rate/location", #", "value": "chest""#) + said(2, #"{"location": 1}"#),
        // Null is a special value, or a number that is too great for the log.
        line(1, "indicated", of: "strap/health_thermometer", #", "value": {"celsius": null}"#)
            + said(2, #"{"temperature": {"celsius": 8.388607e133}}"#)
            + said(3, #"{"temperature": {"celsius": "NaN"}}"#),
        delivered(1, 62) + rate(2, #""bpm": [62]"#) + said(3, #"{"heart_rate": []}"#),
        // Lubdub cannot decode the delivered value.
        line(1, "delivered", of: "strap/heart_rate") + shown(2, 0) + delivered(3, 62) + shown(13, 0),
        line(1, "delivered", of: "strap") + shown(11, 99),
        // Samples, in any portions.
        stream(1, [60, 61]) + stream(2, [62]) + said(3, #"{"measurements": {"samples": 1, "bpm": 61}}"#)
            + said(4, #"{"measurements": {"samples": 2, "lost": 9, "bpm": 62}}"#),
    ])
    func `What was delivered may be shown`(log: String) throws {
        let (verdict, reason) = try verdict(log)
        #expect(verdict.hasPrefix("pass"), "\(log)\(reason)")
    }

    @Test(arguments: [
        (
            delivered(1, 300) + shown(2, 11265) + shown(2.1, 300),
            "bpm 11265, but the latest was 300; it looks like swapped octets"
        ),
        (shown(1, 62) + delivered(2, 62), #"bpm 62, but none was delivered; no value for "heart_rate" had arrived"#),
        (
            delivered(1, 200) + rate(2, #""bpm": -56"#), "bpm -56, but the latest was 200; it looks like a signed octet"
        ),
        (
            temperature(1, -0.5) + said(2, #"{"temperature": {"celsius": 1677721.1}}"#),
            "celsius 1677721.1, but the latest was -0.5; it looks like a number with sign, read without"
        ),
        (
            delivered(1, 62) + delivered(2, 63) + shown(12.000001, 62),
            "bpm 62, but the latest was 63; it looks like an earlier value"
        ),
        (
            delivered(1, 62) + rate(2, #""bpm": 62, "energy_kj": 0"#),
            "energy_kj 0, but none was delivered; no energy_kj had arrived"
        ),
        (
            delivered(1, 62, #", "contact": null"#) + rate(2, #""bpm": 62, "contact": false"#),
            "contact false, but the latest was null; it looks like bits 1 and 2 of the flags, read as one (without bit 2, the contact is unknown)"
        ),
        (
            delivered(1, 62, #", "rr_ms": [1000]"#) + rate(2, #""rr_ms": [1024]"#),
            "rr_ms [1024], but the latest was [1000]; it looks like RR-Intervals in 1/1024 s, taken for ms"
        ),
        (
            temperature(1, 36.6) + said(2, #"{"temperature": {"celsius": 97.88}}"#),
            "celsius 97.88, but the latest was 36.6; it looks like degrees Fahrenheit, taken for Celsius"
        ),
        (
            line(1, "read", of: "strap/battery", #", "value": 87"#) + said(2, #"{"battery": 0}"#),
            "battery 0, but the latest was 87"
        ),
        (
            line(1, "read", of: "band/fitness/steps", #", "value": 300"#) + said(2, #"{"steps": 44}"#),
            "steps 44, but the latest was 300; it looks like only one of two octets"
        ),
        (
            stream(1, [60]) + said(2, #"{"measurements": {"samples": 1, "bpm": 61}}"#),
            "bpm 61, but the latest was 60; it is 1 more than the one delivered"
        ),
        (
            stream(1, [60]) + said(2, #"{"measurements": {"samples": 1}}"#)
                + said(3, #"{"measurements": {"samples": 1}}"#),
            "2 samples in all, of 1 delivered; the lines count more samples than were delivered"
        ),
        // Great numbers, and what is not a number.
        (
            delivered(1, 62) + rate(2, #""bpm": 18446744073709551615"#),
            "bpm 1.8446744073709552e+19, but the latest was 62"
        ),
        (
            temperature(1, 36.6) + said(2, #"{"temperature": {"celsius": 1e12}}"#),
            "celsius 1000000000000, but the latest was 36.6"
        ),
        (delivered(1, 62) + rate(2, #""bpm": "99""#), #"bpm "99", but the latest was 62"#),
        (delivered(1, 62) + rate(2, #""bpm": [[99]]"#), "bpm [[99]], but the latest was 62"),
        (delivered(1, 62) + rate(2, #""bpm": {"value": 99}"#), #"bpm {"value": 99}, but the latest was 62"#),
        (delivered(1, 62) + rate(2, #""bpm": true"#), "bpm true, but the latest was 62"),
        (
            delivered(1, 62, #", "rr_ms": [1000]"#) + rate(2, #""rr_ms": "1000""#),
            #"rr_ms "1000", but the latest was [1000]"#
        ),
        (
            delivered(1, 62, #", "energy_kj": 5"#) + said(2, #"{"heart_rate": 99}"#),
            #"heart_rate 99, but the latest was {"bpm": 62, "energy_kj": 5}"#
        ),
        (delivered(1, 62) + said(2, #"{"heart_rate": [99]}"#), #"heart_rate [99], but the latest was {"bpm": 62}"#),
        (
            line(1, "read", of: "strap/battery", #", "value": 87"#) + said(2, #"{"battery": "full"}"#),
            #"battery "full", but the latest was 87"#
        ),
        (
            line(1, "read", of: "strap/battery", #", "value": 87"#) + said(2, #"{"battery": {"level": 5}}"#),
            #"battery {"level": 5}, but the latest was 87"#
        ),
        (
            stream(1, [60]) + said(2, #"{"measurements": {"samples": "1", "bpm": 60}}"#),
            #""1" samples in all, of 1 delivered; the lines count more samples than were delivered"#
        ),
        (stream(1, [60]) + said(2, #"{"measurements": 61}"#), #"measurements 61, but the latest was {"bpm": 60}"#),
        // After something unknown, when what is known was delivered long ago.
        (
            line(1, "delivered", of: "strap/heart_rate") + delivered(2, 62) + shown(12.1, 0),
            "bpm 0, but the latest was 62"
        ),
    ])
    func `Nothing else may be shown`(log: String, reason: String) throws {
        let (verdict, seen) = try verdict(log)
        #expect(verdict.hasPrefix("fail"), "\(log)")
        #expect(
            seen.hasPrefix("expected no value in the client's output that was not delivered to it; observed output"))
        #expect(seen.hasSuffix(": \(reason)"), "\(seen)")
    }

    /// The verdict on a log of two straps, whose script has a rule `pdu`.
    private func verdictOfStraps(_ log: String) throws -> [String] {
        let straps = ["a", "b"].map { letter in
            #"{"id": "\#(letter)", "address": "C\#(letter):FF:EE:00:00:01/random", "services": [{"service": "heart_rate"}]}"#
        }
        let script = #"{"when": "1 s", "id": "pdu", "do": "raw", "of": "a", "channel": "att", "octets": "1d03000048"}"#
        let text = """
            {"lubdub": 1, "name": "x", "limit": "60 s", "devices": [\(straps.joined(separator: ", "))], "script": [\(script)]}
            """
        let scenario = try #require(ScenarioFile.read("x") { _ in Array(text.utf8) }.scenario)
        var judge = Judge(scenario, on: Judge.Terms(judgesInventions: true))
        for entry in EventLogReader(scenario).entries(log) {
            judge.observe(entry.observed, at: entry.instant)
        }
        judge.observe(.ended, at: Instant(nanoseconds: 30_000_000_000))
        return judge.rulings.map(\.verdict.rawValue)
    }

    @Test func `A line with an address is about that device`() throws {
        let delivered = ["a", "b"].enumerated().map { index, strap in
            line(1, "delivered", of: "\(strap)/heart_rate", ", \"value\": {\"bpm\": \(60 + index)}")
        }
        for (peer, verdict) in [("CA", "pass"), ("CB", "fail"), ("CC", "pass")] {
            let shown = said(2, "{\"heart_rate\": {\"bpm\": 60}, \"peer\": \"\(peer):FF:EE:00:00:01/random\"}")
            #expect(try verdictOfStraps(delivered.joined() + shown) == [verdict], "\(peer)")
        }
    }

    @Test func `A PDU of the script may have any value`() throws {
        #expect(try verdictOfStraps(line(1, "began", of: "pdu") + shown(2, 72)) == ["pass"])
        #expect(try verdictOfStraps(shown(2, 72)) == ["fail"])
    }

    @Test func `A stall of this machine excuses an old value, but not an invented one`() throws {
        for (shown, expected) in [(62, "inconclusive"), (99, "fail")] {
            var harness = try JudgeHarness([], on: Judge.Terms(judgesInventions: true))
            let log = delivered(1, 62) + delivered(2, 63) + ExpectationsTests.shown(13, shown)
            for entry in EventLogReader(harness.scenario).entries(log) {
                if entry.instant == Instant(nanoseconds: 13_000_000_000) {
                    let begin = Instant(nanoseconds: 4_000_000_000)
                    harness.judge.observe(.stalled(from: begin, to: entry.instant), at: entry.instant)
                }
                harness.judge.observe(entry.observed, at: entry.instant)
            }
            harness.judge.observe(.ended, at: Instant(nanoseconds: 30_000_000_000))
            #expect(harness.rulings.map(\.verdict.rawValue) == [expected])
        }
    }
}
