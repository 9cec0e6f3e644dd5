import Basics
import Documents
import EventLogs
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

/// A strap with all values, a patch with streams and a band with values to read; rules `away`, `back` and `fifth`.
private func source(_ expect: String, limit: String) -> String {
    """
    {"lubdub": 1, "name": "x", "limit": "\(limit)",
     "devices": [
      {"id": "strap", "services": [
       {"service": "heart_rate", "contact": true, "energy": true, "rr_intervals": true}, {"service": "battery"},
       {"service": "health_thermometer"}]},
      {"id": "patch", "services": [{"service": "measurements", "rate": "10 Hz", "value": 60}, {"service": "ecg"}]},
      {"id": "band", "services": [{"service": "fitness", "steps": 1}]}],
     "script": [
      {"when": "1 s", "id": "away", "do": "silence", "of": "strap", "for": "5 s"},
      {"when": "2 s", "id": "back", "do": "silence", "of": "strap", "for": "5 s"},
      {"when": {"event": "subscribed", "of": "strap/heart_rate", "nth": 5}, "id": "fifth", "do": "silence", "of": "strap"}],
     "expect": [\(expect)]}
    """
}

/// A judge of a scenario, with the events of a log.
struct JudgeHarness {
    let scenario: Scenario
    var judge: Judge
    var rulings: [Judge.Ruling] { judge.rulings }

    /// A judge of expectations as in a scenario, without `id`.
    init(_ expect: String..., limit: String = "60 s", on terms: Judge.Terms = Judge.Terms()) throws {
        try self.init(expect, limit: limit, on: terms)
    }

    init(_ expect: [String], limit: String = "60 s", on terms: Judge.Terms = Judge.Terms()) throws {
        let list = expect.enumerated().map { index, text in "{\"id\": \"e\(index)\", \(text)}" }
        let text = source(list.joined(separator: ",\n"), limit: limit)
        let reading = ScenarioFile.read("x") { _ in Array(text.utf8) }
        try #require(reading.problems.isEmpty, "\(reading.problems)")
        scenario = try #require(reading.scenario)
        judge = Judge(scenario, on: terms)
    }

    /// Judges a whole log; returns the verdicts.
    mutating func observe(_ log: String) -> [String] {
        for entry in EventLogReader(scenario).entries(log) {
            judge.observe(entry.observed, at: entry.instant)
        }
        judge.observe(.ended, at: .start.advanced(by: scenario.limit))
        return verdicts
    }

    /// `pass 2.000000`, by expectation.
    var verdicts: [String] {
        rulings.sorted { $0.expectation < $1.expectation }.map { "\($0.verdict) \($0.at)" }
    }

    var reasons: [String] { rulings.sorted { $0.expectation < $1.expectation }.map { $0.reason ?? "" } }
}

/// The verdict on one expectation with a log, and its reason.
func judged(
    _ expect: String, _ log: String, limit: String = "60 s", grace: Duration = .zero
) throws -> (verdict: String, reason: String) {
    var harness = try JudgeHarness(expect, limit: limit, on: Judge.Terms(grace: grace))
    let verdicts = harness.observe(log)
    try #require(verdicts.count == 1)
    return (verdicts[0], harness.reasons[0])
}

/// An expectation, a log and the verdict.
struct Row: Sendable, CustomTestStringConvertible {
    let expect: String
    let log: String
    let verdict: String
    let limit: String

    init(_ expect: String, _ log: String, _ verdict: String, limit: String = "60 s") {
        (self.expect, self.log, self.verdict, self.limit) = (expect, log, verdict, limit)
    }

    var testDescription: String { verdict }

    /// Checks the verdict.
    func check() throws {
        let (verdict, reason) = try judged(expect, log, limit: limit)
        #expect(verdict == self.verdict, "\(expect)\n\(log)\(reason)")
    }
}

// Lines of event logs.

/// An event of an entity.
func line(_ seconds: Double, _ event: String, of entity: String, _ more: String = "") -> String {
    let instant = Instant(nanoseconds: Int64((seconds * 1e6).rounded()) * 1000)
    return "{\"t\": \(instant), \"event\": \"\(event)\", \"of\": \"\(entity)\"\(more)}\n"
}

func connected(_ seconds: Double) -> String { line(seconds, "connected", of: "strap") }

func subscribed(_ seconds: Double) -> String { line(seconds, "subscribed", of: "strap/heart_rate") }

func disconnected(_ seconds: Double, _ reason: String = "connection_timeout") -> String {
    line(seconds, "disconnected", of: "strap", ", \"reason\": \"\(reason)\"")
}

/// A line of the client.
func said(_ seconds: Double, _ words: String) -> String { line(seconds, "said", of: "client", ", \"line\": \(words)") }

func shown(_ seconds: Double, _ bpm: Int) -> String { said(seconds, "{\"heart_rate\": {\"bpm\": \(bpm)}}") }

/// A delivered measurement, with more members.
func delivered(_ seconds: Double, _ bpm: Int, _ more: String = "") -> String {
    line(seconds, "delivered", of: "strap/heart_rate", ", \"value\": {\"bpm\": \(bpm)\(more)}")
}

/// Values of a stream of 10 Hz.
func stream(_ seconds: Double, _ values: [Int]) -> String {
    line(seconds, "delivered", of: "patch/measurements", ", \"value\": \(values)")
}
