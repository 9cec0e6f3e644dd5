import Basics
import Conformance
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import Cases
@testable import Causes
@testable import Clients

/// The cause of a failure of a client that stops on the way to a value: it names the last step.
@Suite struct StoppedClientTests {
    private struct Row: CustomTestStringConvertible {
        let client: String
        var services = #"{"service": "heart_rate", "value": 62}"#
        var security = ""
        var expected = #"{"event": "said", "line": {"heart_rate": {"bpm": 62}}}"#
        let cause: String

        var testDescription: String { "\(client): \(cause)" }
    }

    private static let rows = [
        Row(
            client: "never_connects",
            cause: "the client scanned, and did not connect since the start; its controller reported the advertising "
                + "of strap at 0.0"),
        Row(
            client: "discovers_nothing",
            cause: "the client connected at 1.0N s, and has not discovered the attributes of strap"),
        Row(
            client: "mute",
            cause: "the client connected at 1.0N s, and has neither subscribed to strap/heart_rate nor read it"),
        Row(
            client: "blank",
            cause: #"13 values arrived until N s, and the client has printed no line with "heart_rate""#),
        Row(
            client: "never_pairs",
            services: #"{"service": "battery", "value": 41, "permissions": ["encrypted"]}"#,
            security: #", "security": {"io": "none"}"#,
            expected: #"{"event": "said", "line": {"battery": 41}}"#,
            cause: "a request for strap/battery was refused with insufficient_authentication at 2.N s, and the client "
                + "has not paired since"),
        Row(
            client: "claims_oob_data",
            services: #"{"service": "heart_rate", "value": 62, "permissions": ["encrypted"]}"#,
            security: #", "security": {"io": "none"}"#,
            expected: #""paired""#, cause: "pairing failed at N s: "),
        Row(
            client: "impatient",
            services: #"{"service": "heart_rate", "value": 62, "permissions": ["encrypted"]}"#,
            security: #", "security": {"io": "none"}"#,
            expected: #""paired""#,
            cause:
                "a request for strap was refused with insufficient_authentication at N s, and the client has not paired "
                + "since; the client ended the connection at N s"),
        Row(
            client: "mute", services: #"{"service": "heart_rate", "value": 62, "permissions": ["encrypted"]}"#,
            security: #", "security": {"io": "none"}"#, expected: #""paired""#,
            cause: "the client connected at 1.0N s, and has not paired"),
    ]

    @Test(arguments: rows)
    private func `The cause is the step at which the client stopped`(row: Row) throws {
        let cause = try #require(try Self.reason(row)?.cause)
        #expect(Self.withoutInstants(cause).hasPrefix(Self.withoutInstants(row.cause)), "\(cause)")
    }

    @Test func `A correct client has no such cause`() throws {
        for row in Self.rows {
            let correct = Row(
                client: "", services: row.services, security: row.security, expected: row.expected, cause: "")
            #expect(try Self.reason(correct)?.cause == nil)
        }
    }

    private static func reason(_ row: Row) throws -> Reason? {
        let text = """
            {"lubdub": 1, "name": "One", "limit": "20 s", "devices": [{"id": "strap", "name": "Strap",
              "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["180D"]}\(row.security),
              "services": [\(row.services)]}],
             "expect": [{"id": "e", "expect": "seen", "event": \(row.expected), "within": "15 s"}]}
            """
        let reading = ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }
        var plan = RunPlan(try #require(reading.scenario, "\(reading.problems)"), seed: 1)
        plan.faultyClient = FaultyClient.all.first { $0.name == row.client }
        #expect(row.client.isEmpty == (plan.faultyClient == nil))
        var world = try plan.world()
        world.judgeExpectations(on: plan.terms)
        var run = try BuiltInClientRun(plan, in: world, nil)
        run.play { _, _ in }
        run.world.report(.ended)
        return try Judgement(run, of: plan).findings.first?.why
    }

    /// The words with N in place of numbers with a fraction.
    private static func withoutInstants(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.contains(".") && $0.first?.isNumber == true || $0.hasSuffix("N") ? "N" : String($0) }
            .joined(separator: " ")
    }

    @Test func `Arrivals that are known later belong to the connection of their instant`() throws {
        func at(_ seconds: Int) -> Instant { .start.advanced(by: .seconds(seconds)) }
        let goal = ConnectionHistory.Goal(
            device: "strap", values: ["strap/heart_rate"], keys: ["heart_rate"], kind: .said)
        var history = ConnectionHistory(.empty)
        history.take(EventRecord(.connected, of: "strap", at: at(1)))
        history.take(EventRecord(.disconnected, of: "strap", at: at(30)))
        history.take(EventRecord(.connected, of: "strap", at: at(40)))
        for second in 5..<30 { history.takeArrival(of: "strap/heart_rate", at: at(second)) }
        let line = #"{"peer": "a \" \\", "ecg": {"heart_rate": [{"heart_rate": 1}]}, "x": "heart_rate"}"#
        history.take(line: Array(line.utf8)[...], at: at(19))
        #expect(
            history.cause(for: goal, at: at(20), within: .seconds(10))?.words
                == #"values of strap/heart_rate arrived, and the client has printed no line with "heart_rate" from "#
                + "10.000000 s to 20.000000 s")
        history.take(line: Array(#"{"peer": "b", "heart_rate" : {"bpm": 62}}"#.utf8)[...], at: at(12))
        #expect(history.cause(for: goal, at: at(20), within: .seconds(10)) == nil)
    }
}
