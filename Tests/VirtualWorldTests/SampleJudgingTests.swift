import Basics
import Characteristics
import Expectations
import ScenarioModel
import Testing
import VirtualWorld

/// Some seconds of an ECG, and what is expected of it.
private func played(as form: String, _ expectations: [String] = []) throws -> WorldHarness {
    let play = TestScenario(
        "samples",
        #"""
        {"lubdub": 1, "name": "x", "limit": "12 s", "devices": [
          {"id": "patch", "advertise": {"services": ["180D"]},
           "services": [{"service": "heart_rate"}, {"service": "ecg", "as": "\#(form)"\#(form == "ecg" ? #", "lead": 2"# : "")}]}],
         "expect": [\#(expectations.joined(separator: ",\n"))]}
        """#)
    return try WorldHarness(play.scenario, isJudged: true)
}

/// Expectations on samples, which the event log only counts.
@Suite struct SampleJudgingTests {
    /// An expectation of the values of a part.
    private func expect(
        _ id: String, _ kind: String, _ value: String, of part: String = "samples", _ more: String = ""
    )
        -> String
    {
        #"{"id": "\#(id)", "expect": "\#(kind)", "event": {"event": "delivered", "of": "ecg/\#(part)", "value": \#(value)}\#(more)}"#
    }

    @Test(arguments: ["ecg", "pmd"]) func `Samples are judged by their microvolts`(form: String) throws {
        let frames = try played(as: form).records(.delivered, of: "patch/ecg/samples").compactMap(\.octets)
        let values = try frames.flatMap { octets in
            form == "pmd"
                ? try PMDECGFrame(octets: octets[...]).samples
                : try ECGFrame(octets: octets[...]).samples.map(Int32.init)
        }
        let (peak, high) = (try #require(values.max()), values.count { $0 >= 300 })
        #expect(values.count > 1000 && high > 10 && peak > 500)
        var expectations = [
            expect("high", "count", #"{"$min": 300}"#, #", "min": \#(high), "max": \#(high)"#),
            expect("higher", "never", #"{"$min": \#(peak + 1)}"#),
            expect("peak", "seen", "\(peak)", #", "within": "12 s""#),
            expect("true", "never", #"{"$not": {"$truth": "last", "of": "ecg/samples"}}"#),
            // The other members of a notification count for each sample.
            expect(
                "all", "count", #"{"samples": {"$min": 2}}"#, #", "min": \#(values.count), "max": \#(values.count)"#),
            expect("lower", "never", #"{"$min": \#(peak)}"#),
        ]
        var verdicts: [Verdict] = [.pass, .pass, .pass, .pass, .pass, .fail]
        if form == "ecg" {
            // A notification contains the lead once.
            expectations += [
                expect("lead", "count", "2", of: "lead", #", "min": \#(frames.count), "max": \#(frames.count)"#),
                expect("truth", "never", #"{"$not": {"$truth": "last", "of": "ecg/lead"}}"#, of: "lead"),
            ]
            verdicts += [.pass, .pass]
        }
        let harness = try played(as: form, expectations)
        let rulings = harness.world.rulings.sorted { $0.expectation < $1.expectation }
        let reasons = rulings.compactMap(\.reason)
        #expect(rulings.map(\.verdict) == verdicts, "\(reasons)")
        #expect(reasons.last?.contains("observed delivery of patch/ecg/samples \(peak) at ") == true, "\(reasons)")
    }
}
