import Basics
import EventLogs
import Expectations
import ScenarioModel
import Testing
import VirtualWorld

/// All kinds at once, and a log in which all of them are decided.
private let all = [
    #""expect": "seen", "event": "subscribed", "since": "connected", "within": "5 s""#,
    #""expect": "seen", "event": {"event": "said", "line": {"v": {"$truth": "mean", "of": "patch/measurements", "last": 2}}}, "within": "9 s""#,
    #""expect": "never", "event": {"event": "subscribed", "after": "1 s"}, "until": {"event": "disconnected", "after": "2 s"}"#,
    #""expect": "count", "event": "connected", "since": {"at": "1 s", "every": "4 s", "times": 5}, "within": "6 s", "max": 2"#,
    #""expect": "order", "events": ["connected", "subscribed", "disconnected"], "since": {"event": "connected", "after": "1 s"}"#,
    #""expect": "rate", "event": {"event": "delivered", "of": "patch/measurements"}, "per": "2 s", "min": 1"#,
    #""expect": "delay", "start": "connected", "end": "subscribed", "percentile": 50, "max": "1 s""#,
]

private let log =
    connected(1) + subscribed(2) + stream(3, [60, 61, 64]) + disconnected(4) + connected(5) + connected(6)
    + said(7, #"{"v": 62.5}"#) + stream(9, [60]) + subscribed(12) + connected(13) + disconnected(40)

@Suite struct JudgeTests {
    @Test func `A verdict comes as soon as it is sure, and in the order of time`() throws {
        var harness = try JudgeHarness(all[0], all[1], all[2])
        let entries = EventLogReader(harness.scenario).entries(log)
        var came: [String] = []
        for entry in entries {
            let known = harness.rulings.count
            harness.judge.observe(entry.observed, at: entry.instant)
            came += harness.rulings[known...].map {
                "\($0.expectation) \($0.verdict) \($0.at) by \(entry.instant)"
            }
        }
        #expect(
            came == [
                "2 fail 3.000000 by 3.000000", "1 pass 7.000000 by 7.000000",
                "0 fail 10.000000 by 12.000000",
            ])
        #expect(harness.judge.isDecided)
    }

    @Test func `The number of calls of timePassed changes nothing`() throws {
        var once = try JudgeHarness(all[0], all[1], all[2], all[3], all[4], all[5], all[6])
        let entries = EventLogReader(once.scenario).entries(log)
        _ = once.observe(log)
        #expect(once.rulings.count == all.count)
        for step in [1, 333, 1000, 7000] {
            var often = try JudgeHarness(all[0], all[1], all[2], all[3], all[4], all[5], all[6])
            var now = 0
            for entry in entries {
                while now * 1_000_000 <= entry.instant.nanoseconds {
                    often.judge.observe(.timePassed, at: Instant(nanoseconds: Int64(now) * 1_000_000))
                    now += step
                }
                often.judge.observe(entry.observed, at: entry.instant)
            }
            often.judge.observe(.ended, at: .start.advanced(by: .seconds(60)))
            #expect(often.rulings == once.rulings, "\(step) ms")
        }
    }

    @Test func `The judge accepts events in any order`() throws {
        var stream = RandomStream(seed: 5)
        for _ in 0..<200 {
            var harness = try JudgeHarness(all[0], all[1], all[2], all[3], all[4], all[5], all[6])
            let entries = EventLogReader(harness.scenario).entries(log)
            for _ in 0..<40 {
                let entry = entries[Int(stream.next() % UInt64(entries.count))]
                let instant = Instant(nanoseconds: Int64(bitPattern: stream.next() >> (stream.next() % 64)))
                switch stream.next() % 16 {
                case 0: harness.judge.observe(.timePassed, at: instant)
                case 1 where stream.next() % 8 == 0: harness.judge.observe(.ended, at: instant)
                default: harness.judge.observe(entry.observed, at: instant)
                }
            }
            harness.judge.observe(.ended, at: .never)
            #expect(harness.rulings.map(\.expectation).sorted() == Array(all.indices))
        }
    }

    @Test func `Openings beyond the limit are reported`() throws {
        var harness = try JudgeHarness(
            #""expect": "seen", "event": "subscribed", "since": "connected", "within": "1 h""#, limit: "2 h")
        for index in 0..<70_000 {
            let now = Instant(nanoseconds: Int64(index) * 1000)
            harness.judge.observe(.init(.connected, of: .device(0)), at: now)
        }
        #expect(harness.observe(subscribed(1)) == ["inconclusive 7200.000000"])
        #expect(harness.reasons[0].contains("too many"))
    }

    @Test func `Only what matters is waited for`() throws {
        let harness = try JudgeHarness(all[1])
        let kinds = EventName.allCases.filter(harness.judge.kinds.contains)
        #expect(kinds == [.read, .delivered, .indicated, .said])
        #expect(Judge(Scenario.empty).kinds.isEmpty)
    }
}
