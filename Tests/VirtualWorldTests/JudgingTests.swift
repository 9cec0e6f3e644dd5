import Basics
import EventLogs
import Expectations
import Testing
import VirtualWorld

@testable import ScenarioModel

/// A strap that leaves once, and what a client should make of it.
private let play = TestScenario(
    "judged",
    #"""
    {"lubdub": 1, "name": "x", "limit": "30 s", "devices": [
      {"id": "strap", "advertise": {"services": ["180D"]}, "services": [
        {"service": "heart_rate", "contact": true, "rr_intervals": true, "period": "500 ms",
         "value": {"curve": "walk", "start": 70, "by": 9, "period": "1 s", "range": [40, 200]}},
        {"service": "battery", "value": 50}]}],
     "script": [{"id": "leaves", "when": "12 s", "do": "disconnect", "of": "strap"}],
     "expect": [
      {"id": "shows", "expect": "seen", "since": {"event": "delivered", "of": "heart_rate"}, "within": "100 ms",
       "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "heart_rate"}}}}},
      {"id": "battery", "expect": "seen", "since": {"event": "read", "of": "battery"}, "within": "1 s",
       "event": {"event": "said", "line": {"battery": {"$truth": "last", "of": "battery"}}}},
      {"id": "clears", "expect": "seen", "event": {"event": "said", "line": {"heart_rate": null}}, "within": "1 s",
       "since": {"event": "began", "of": "leaves"}},
      {"id": "lies", "expect": "never", "until": {"event": "disconnected", "reason": "connection_timeout"}, "event":
       {"event": "said", "line": {"heart_rate": {"rr_ms": {"$not": {"$truth": "last", "of": "heart_rate/rr_ms"}}}}}},
      {"id": "once", "expect": "count", "event": "connected", "max": 1},
      {"id": "way", "expect": "order", "events": ["connected", "mtu", "discovering", "subscribed"]},
      {"id": "pace", "expect": "rate", "event": {"event": "delivered", "of": "heart_rate"}, "per": "2 s", "min": 4, "max": 4,
       "since": {"event": "subscribed", "of": "heart_rate", "after": "100 ms"}, "until": {"event": "began", "of": "leaves"}},
      {"id": "late", "expect": "delay", "start": {"event": "notified", "of": "heart_rate"},
       "end": {"event": "delivered", "of": "heart_rate"}, "percentile": 90, "max": "60 ms"},
      {"id": "wide", "expect": "seen", "event": {"event": "mtu", "value": {"$min": 100}}, "within": "20 s"}
     ]}
    """#)

/// An ECG that is even until it is silent for half a second.
private let stream = TestScenario(
    "stream",
    #"""
    {"lubdub": 1, "name": "x", "limit": "20 s", "devices": [
      {"id": "patch", "advertise": {"services": ["180D"]}, "services": [{"service": "heart_rate"}, {"service": "ecg"}]}],
     "script": [{"id": "pause", "when": "15 s", "do": "silence", "of": "ecg", "for": "500 ms"}],
     "expect": [
      {"id": "even", "expect": "rate", "event": {"event": "delivered", "of": "ecg"}, "per": "1 s", "min": 495, "max": 505,
       "since": {"event": "subscribed", "of": "ecg", "after": "1 s"}, "until": "14.5 s"},
      {"id": "always", "expect": "rate", "event": {"event": "delivered", "of": "ecg"}, "per": "1 s", "min": 495, "max": 505,
       "since": {"event": "subscribed", "of": "ecg", "after": "1 s"}}
     ]}
    """#)

@Suite struct JudgingTests {
    @Test func `A stream that comes by connection events is even, and one that pauses is not`() throws {
        let harness = try WorldHarness(stream.scenario, isJudged: true)
        let verdicts = harness.world.rulings.sorted { $0.expectation < $1.expectation }.map(\.verdict)
        #expect(verdicts == [.pass, .fail], "\(harness.world.rulings.compactMap(\.reason))")
    }

    @Test func `The judge and the log report the same`() throws {
        let scenario = try play.scenario
        let harness = try WorldHarness(scenario, isJudged: true)
        let verdicts = harness.world.rulings.map { "\(scenario.expectations[$0.expectation].id) \($0.verdict)" }
        #expect(
            verdicts.sorted() == [
                "battery pass", "clears pass", "late pass", "lies inconclusive", "once fail", "pace pass", "shows pass",
                "way pass", "wide pass",
            ], "\(harness.world.rulings.compactMap(\.reason))")
        var judge = Judge(scenario)
        for entry in EventLogReader(scenario).entries(harness.lines.joined(separator: "\n")) {
            judge.observe(entry.observed, at: entry.instant)
        }
        judge.observe(.ended, at: .start.advanced(by: scenario.limit))
        #expect(judge.rulings == harness.world.rulings)
    }

    @Test func `Judging changes nothing`() throws {
        let (judged, other) = (try WorldHarness(play.scenario, isJudged: true), try WorldHarness(play.scenario))
        #expect(judged.lines == other.lines)
        #expect(judged.trace == other.trace)
        #expect(other.world.rulings.isEmpty)
        #expect(!other.world.isDecided)
    }
}
