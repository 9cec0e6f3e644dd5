import Basics
import CommandSupport
import Conformance
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import Cases
@testable import Causes

/// The lines of the trace around a fail.
@Suite struct RecollectionTests {
    private static func played(within: String) throws -> RunPlan {
        let text = """
            {"lubdub": 1, "name": "One", "limit": "20 s", "devices": [{"id": "strap", "name": "Strap",
              "advertise": {"services": ["180D"]}, "services": [{"service": "heart_rate", "value": 62}]}],
             "expect": [{"id": "quick", "expect": "seen", "event": "subscribed", "within": "\(within)"},
                        {"id": "never", "expect": "never", "event": "connected"}]}
            """
        return RunPlan(
            try #require(ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }.scenario), seed: 1)
    }

    private static func outcome(within: String) throws -> Outcome { try played(try played(within: within)) }

    private static func played(_ configuration: RunPlan) throws -> Outcome {
        var world = try configuration.world()
        world.judgeExpectations()
        var clientRun = try BuiltInClientRun(configuration, in: world, nil)
        clientRun.play { _, _ in }
        clientRun.world.report(.ended)
        return CaseResult(clientRun, try Judgement(clientRun, of: configuration), of: configuration, code: .success)
            .outcome
    }

    @Test func `A fail has what was expected and seen, when, and the packets around that instant`() throws {
        let outcome = try Self.outcome(within: "10 s")
        let (quick, never) = (outcome.findings[0], outcome.findings[1])
        #expect(quick.verdict == .pass)
        #expect(quick.trace == [])
        #expect(never.why?.expected == "no connection since the start")
        #expect(never.why?.seen.hasPrefix("observed connection of strap at ") == true)
        let instant = try #require(never.instant)
        #expect(never.trace.contains { $0.hasPrefix("\(instant)  <- LE Connection Complete") })
        #expect(never.trace.contains { $0.hasPrefix("\(instant)  client: {\"state\": \"connected\"") })
        #expect(
            never.trace
                == never.trace.sorted { Double($0.prefix { $0 != " " }) ?? 0 < Double($1.prefix { $0 != " " }) ?? 0 })
        #expect(outcome.account.count == 1 + never.trace.count)
        #expect(try Self.outcome(within: "10 s") == outcome)
    }

    private static func outcome(script: String = "", expect: String) throws -> Outcome {
        let text = """
            {"lubdub": 1, "name": "One", "note": "Why it matters.", "limit": "40 s", "devices": [{"id": "strap",
              "name": "Strap", "advertise": {"services": ["180D"]}, "services": [{"service": "heart_rate", "value": 62}]}],
             "script": [\(script)], "expect": [{"id": "e", \(expect)}]}
            """
        let reading = ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }
        return try played(
            RunPlan(try #require(reading.scenario, "\(reading.problems)"), seed: 1))
    }

    @Test func `The packets that carry the facts are shown, however long ago they were`() throws {
        let outcome = try Self.outcome(
            expect: #"""
                "expect": "seen", "since": {"event": "delivered", "of": "heart_rate", "nth": 2}, "within": "15.5 s",
                "event": {"event": "said", "line": {"heart_rate": {"bpm": 99}}}
                """#)
        let finding = try #require(outcome.findings.first)
        #expect(finding.verdict == .fail)
        let opened = try #require(finding.why?.expected?.split(separator: " at ").last?.prefix { $0 != " " })
        // The delivery that opened the expectation, and the line that came closest.
        #expect(
            finding.trace.contains { $0.contains("\(opened)  <- ATT Handle Value Notification") }, "\(finding.trace)")
        #expect(finding.trace.contains { $0.contains("\(opened)  client: {\"heart_rate\"") }, "\(finding.trace)")
        #expect(finding.trace.count <= 14)
        #expect(Set(finding.trace).count == finding.trace.count)
        #expect(outcome.note == "Why it matters.")
        let count = try Self.outcome(expect: #""expect": "count", "event": "connected", "within": "30 s", "min": 2"#)
        let trace = try #require(count.findings.first?.trace)
        #expect(trace.first?.contains("<- LE Connection Complete") == true, "\(trace)")
    }

    @Test func `A fail about a lost link explains how long silence is normal`() throws {
        let away = #"{"when": "20 s", "id": "away", "do": "link_loss", "for": "10 s"}"#
        let expect = #""expect": "seen", "since": {"event": "began", "of": "away"}, "within": "500 ms""#
        let early = try Self.outcome(script: away, expect: expect + #", "event": "disconnected""#)
        #expect(
            early.findings.first?.why?.cause
                == "the link's supervision timeout was 720 ms (interval 50 ms, latency 0), so 0.7 to 0.8 s of silence are normal "
                + "before a client notices that the link is lost")
        let late = try Self.outcome(
            script: away, expect: expect.replacing("500 ms", with: "5 s") + #", "event": {"event": "subscribed"}"#)
        let cause = try #require(late.findings.first?.why?.cause)
        #expect(cause.contains("; the client's controller reported the loss at 20."), "\(cause)")
        // When the device is back, the client has long noticed.
        let back = try Self.outcome(
            script: away,
            expect: #"""
                "expect": "seen", "since": {"event": "ended", "of": "away"}, "within": "5 s",
                "event": {"event": "said", "line": {"heart_rate": {"bpm": 99}}}
                """#)
        #expect(back.verdict == .fail)
        #expect(back.findings.first?.why?.cause?.contains("silence") != true)
        let short = try Self.outcome(
            script: #"{"when": "20 s", "do": "link_loss", "for": "400 ms"}"#,
            expect: #""expect": "seen", "since": "disconnected", "within": "9 s", "event": "connected""#)
        #expect(short.verdict == .inconclusive)
        #expect(short.reasons.first?.hasPrefix("e: never reached: disconnection (the case ended at ") == true)
        #expect(short.reasons.first?.hasSuffix("notices that the link is lost") == true)
        let again = #""expect": "seen", "since": "disconnected", "event": {"event": "connected", "nth": 9}"#
        let open = try Self.outcome(script: away, expect: again + #", "within": "90 s""#)
        #expect(open.reasons.first?.hasSuffix("before this was decided") == true)
        let other = try Self.outcome(script: away, expect: #""expect": "never", "event": "connected""#)
        #expect(other.findings.first?.verdict == .fail)
        #expect(other.findings.first?.why?.cause == nil)
    }

    @Test func `Each fail has its own lines`() throws {
        let outcome = try Self.outcome(within: "50 ms")
        #expect(outcome.findings.map(\.verdict) == [.fail, .fail])
        let (quick, never) = (outcome.findings[0], outcome.findings[1])
        #expect(quick.trace != never.trace)
        #expect(!quick.trace.isEmpty)
        #expect(quick.trace.allSatisfy { !$0.contains("LE Connection Complete") })
    }

    private struct Line: JSONWritable {
        let number: Int
        func write(to text: inout JSONText) { text.append(Int64(number)) }
    }

    @Test(arguments: [true, false])
    func `An instant may be named before it comes or soon after`(isEarly: Bool) throws {
        let traceContext = TraceContext(try Self.played(within: "1 s").world())
        let instant = Instant.start.advanced(by: .seconds(90))
        if isEarly { traceContext.mark(instant) }
        var journal = EventJournal(entriesPerChunk: 1) { traceContext.take($0) }
        for second in 0..<100 { journal.append(line: Line(number: second), at: .start.advanced(by: .seconds(second))) }
        if !isEarly { traceContext.mark(instant) }
        #expect(
            traceContext.lines(around: instant) == [
                "89.000000  client: 89", "90.000000  client: 90", "91.000000  client: 91",
            ])
        #expect(traceContext.lines(around: .start) == [])
    }

    @Test func `The line of a fact is shown, though only the log has its nanoseconds`() throws {
        let traceContext = TraceContext(try Self.played(within: "1 s").world())
        var journal = EventJournal(entriesPerChunk: 1) { traceContext.take($0) }
        for second in 0..<9 {
            journal.append(line: Line(number: second), at: Instant(nanoseconds: Int64(second) * 1_000_000_000 + 867))
        }
        let facts = [Fact(.line, at: Instant(nanoseconds: 1_000_000_000))]
        #expect(traceContext.lines(around: .start, facts) == ["1.000000  client: 1"])
    }

    @Test func `On a terminal the trace follows its fault, and the replay line is the last`() throws {
        var report = Report(version: "1")
        let lines = CaseFormatter(paint: Paint(isOn: false), isVirtual: true).lines(
            report.add("a", try Self.outcome(within: "10 s"))
        ).map(\.description)
        let heads = [
            "never", "  expected  no connection since the start", "  observed  connection", "  at        ",
            "  trace     ",
            "            ",
        ]
        for (line, head) in zip(lines.dropFirst(), heads) {
            #expect(line.hasPrefix("              \(head)"), "\(line)")
        }
        #expect(lines.last?.hasPrefix("              replay: lubdub run ") == true)
    }
}
