import Basics
import EventLogs
import Expectations
import Testing
import VirtualWorld

private let shows =
    #""expect": "seen", "event": {"event": "said", "line": {"heart_rate": {}}}, "since": {"event": "connected"}, "within": "10 s""#
private let count = #""expect": "count", "event": "connected", "min": 2"#
private let silent = #""expect": "never", "event": "disconnected""#
private let ordered = #""expect": "order", "events": [{"event": "connected"}, {"event": "disconnected"}]"#
private let late = #""expect": "never", "event": "said", "since": {"event": "disconnected", "after": "3 s"}"#
private let soon =
    #""expect": "delay", "start": "connected", "end": {"event": "said", "line": {"heart_rate": {}}}, "percentile": 50, "max": "1 s""#
private let steady = #""expect": "rate", "event": "subscribed", "per": "2 s", "min": 1"#

private let spoken = #""expect": "rate", "event": {"event": "said", "line": {}}, "per": "10 s", "min": 1"#

/// A machine that stalls during a judged run.
@Suite struct StallTests {
    /// The verdict if the machine stalled from `begin` for a number of milliseconds.
    private func judged(_ expect: String, _ log: String, _ begin: Double, _ length: Int64) throws -> Judge.Ruling {
        var harness = try JudgeHarness(expect, limit: "30 s")
        let instant = Instant(nanoseconds: Int64(begin * 1e9))
        var isTold = false
        for line in log.split(separator: "\n").map({ "\($0)\n" }) + ["end"] {
            let entries = EventLogReader(harness.scenario).entries(line == "end" ? "" : line)
            if !isTold, entries.first.map({ $0.instant >= instant }) ?? true {
                harness.judge.observe(.timePassed, at: instant)
                let end = instant.advanced(by: .milliseconds(length))
                harness.judge.observe(.stalled(from: instant, to: end), at: end)
                isTold = true
            }
            for entry in entries { harness.judge.observe(entry.observed, at: entry.instant) }
        }
        harness.judge.observe(.ended, at: Instant(nanoseconds: 30_000_000_000))
        return try #require(harness.rulings.first)
    }

    @Test(
        arguments: [
            // More than a tenth of the bound, in its window: it cannot fail, but pass.
            (shows, connected(1), 2, 1001, .inconclusive),
            (shows, connected(1), 2, 1000, .fail),
            (shows, connected(1) + shown(4, 60), 2, 5000, .pass),
            (shows, connected(1), 12, 5000, .fail),
            (shows, connected(1), 10.9, 5000, .inconclusive),
            (shows, connected(8), 2, 5000, .fail),
            (shows, connected(8), 2, 6000, .inconclusive),
            // What must not come: for ten times as long, with or without a bound.
            (silent, disconnected(3), 2, 101, .inconclusive),
            (silent, disconnected(3), 2, 100, .fail),
            (silent, disconnected(3), 4, 5000, .fail),
            (silent, disconnected(29), 2, 2699, .fail),
            (silent, disconnected(29), 2, 2701, .inconclusive),
            (count, connected(1), 2, 2800, .fail),
            (count, connected(1), 2, 2801, .inconclusive),
            (ordered, disconnected(1), 0.5, 60, .inconclusive),
            (ordered, disconnected(2), 0.5, 60, .fail),
            (silent + #", "within": "20 s""#, disconnected(3), 2, 600, .inconclusive),
            (silent + #", "within": "5 s""#, disconnected(3), 2, 600, .inconclusive),
            // A delay after the opening event is a bound, and belongs to its window.
            (late, disconnected(3) + shown(7, 60), 4, 400, .inconclusive),
            (late, disconnected(3) + shown(7, 60), 4, 200, .fail),
            // Of several openings one that nothing excuses is enough.
            (shows, connected(1) + connected(15), 2, 5000, .fail),
            (shows, connected(1) + shown(2, 60) + connected(15), 2, 5000, .fail),
            (soon, connected(1) + connected(5) + connected(10), 5.5, 500, .fail),
            (soon, connected(1) + shown(2, 60) + connected(5), 5.5, 500, .pass),
            (soon, connected(1) + shown(3, 60) + connected(5) + shown(5.5, 60) + connected(9), 9.5, 500, .inconclusive),
            (steady, subscribed(1) + subscribed(3), 4.5, 500, .inconclusive),
            (steady, subscribed(1), 4.5, 500, .fail),
            // One before the window that fails does not.
            (spoken, said(1, "{}") + said(11, "{}"), 5, 1100, .fail),
            (spoken, said(1, "{}") + said(11, "{}"), 18.8, 1100, .fail),
            (spoken, said(1, "{}") + said(11, "{}"), 18.9, 1100, .inconclusive),
            (spoken, said(1, "{}") + said(11, "{}"), 25, 1100, .inconclusive),
        ] as [(String, String, Double, Int64, Verdict)])
    func `It excuses`(
        expect: String, log: String, begin: Double, length: Int64, verdict: Verdict
    ) throws {
        let ruling = try judged(expect, log, begin, length)
        #expect(ruling.verdict == verdict, "\(ruling.reason ?? "")")
        #expect(ruling.stall == (verdict == .inconclusive ? .milliseconds(length) : nil))
    }

    @Test func `It excuses a line that the client printed before the end of the expectation's time`() throws {
        // The machine played the script up to the end of the stall before it read the line.
        let never = #""expect": "never", "event": {"event": "said", "line": {"heart_rate": {"bpm": 91}}}"#
        let since = #", "since": {"event": "began", "of": "away"}, "until": {"event": "began", "of": "back"}"#
        let log = line(14.6, "began", of: "away") + shown(20.5, 91) + line(25, "began", of: "back")
        #expect(try judged(never + since, log, 14.5, 6000).verdict == .inconclusive)
        #expect(try judged(never + since, log, 14.5, 500).verdict == .fail)
    }

    @Test(arguments: [(false, Verdict.inconclusive), (true, .fail)])
    func `A stall ends where time was set back`(isSetBack: Bool, verdict: Verdict) throws {
        var harness = try JudgeHarness(shows, limit: "30 s")
        let instant = Instant(nanoseconds: 2_000_000_000)
        harness.judge.observe(.timePassed, at: instant)
        let end = instant.advanced(by: .seconds(20))
        harness.judge.observe(.stalled(from: instant, to: end), at: end)
        if isSetBack { harness.judge.observe(.clockSetBack, at: instant) }
        for entry in EventLogReader(harness.scenario).entries(connected(8)) {
            harness.judge.observe(entry.observed, at: entry.instant)
        }
        harness.judge.observe(.ended, at: Instant(nanoseconds: 30_000_000_000))
        #expect(harness.rulings.first?.verdict == verdict)
    }

    @Test(arguments: [(50, .fail), (2000, .inconclusive)] as [(Int64, Verdict)])
    func `Of many stalls the oldest are forgotten`(length: Int64, verdict: Verdict) throws {
        var harness = try JudgeHarness(shows, limit: "30 s")
        let stalls = Array(repeating: (0, 50), count: 9999) + [(1, 3000), (12, length)] as [(Int64, Int64)]
        for (seconds, length) in stalls {
            let begin = Instant.start.advanced(by: .seconds(seconds))
            let end = begin.advanced(by: .milliseconds(length))
            harness.judge.observe(.stalled(from: begin, to: end), at: end)
        }
        for entry in EventLogReader(harness.scenario).entries(connected(8)) {
            harness.judge.observe(entry.observed, at: entry.instant)
        }
        harness.judge.observe(.ended, at: Instant(nanoseconds: 30_000_000_000))
        #expect(harness.rulings.first?.verdict == verdict)
    }

    @Test func `Less than 50 ms excuse nothing`() throws {
        let soon = shows.replacing("10 s", with: "100 ms")
        #expect(try judged(soon, connected(1), 1.02, 49).verdict == .fail)
        #expect(try judged(soon, connected(1), 1.02, 50).verdict == .inconclusive)
    }

    @Test func `A stall is reported`() throws {
        let ruling = try judged(shows, connected(1), 2, 2140)
        let reason = try #require(ruling.reason)
        #expect(
            reason.hasPrefix("this machine stalled for 2.1 s: expected output {\"heart_rate\": {}} within 10 s"))
    }
}
