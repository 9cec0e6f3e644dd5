import Basics
import Clients
import ScenarioLanguage
import Testing

@testable import Cases

@Suite struct ProofTests {
    private static func proof(of expect: String, playing names: [String] = []) throws -> Proof {
        let text = """
            {"lubdub": 1, "name": "One", "limit": "60 s", "devices": [{"id": "strap", "name": "Strap",
              "services": [{"service": "heart_rate", "value": {"curve": "ramp", "start": 62, "end": 90, "over": "40 s"}}]}],
             "script": [{"when": "20 s", "id": "away", "do": "link_loss", "for": "10 s"}], "expect": [\(expect)]}
            """
        let reading = ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }
        var proof = try Proof(RunPlan(try #require(reading.scenario, "\(reading.problems)"), seed: 1))
        for name in names { try proof.play(try #require(FaultyClient.all.first { $0.name == name })) }
        return proof
    }

    private static func shows(_ more: String = "") -> String {
        #"""
        {"id": "shows", "expect": "seen", "since": {"event": "ended", "of": "away"}, "within": "20 s",
         "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$truth": "last", "of": "heart_rate"\#(more)}}}}}
        """#
    }

    @Test(arguments: [
        (shows(#", "fresh": true"#), ["once"]), (shows(), []),
        (shows(#", "fresh": true"#) + "," + shows().replacing("shows", with: "again"), ["once"]),
    ])
    func `A client that shows an earlier value fails only an expectation of fresh ones`(
        expect: String, names: [String]
    ) throws {
        let proof = try Self.proof(of: expect, playing: ["once", "big_endian"])
        let row = try #require(proof.rows.first)
        #expect(row.failedBy == names)
        #expect(row.isProven == !names.isEmpty)
        #expect(proof.passing == (names.isEmpty ? ["once"] : []))
        #expect(proof.unseen == ["big_endian"])
        let words =
            names.isEmpty ? "no faulty client fails it: it may pass any client" : "1 faulty client fails it: once"
        #expect(row.description(isComplete: false) == words)
    }

    @Test func `An expectation that the built-in client fails is not proven`() throws {
        let expect = #"{"id": "e", "expect": "never", "event": "connected", "should": true}"#
        let row = try #require(try Self.proof(of: expect, playing: ["once"]).rows.first)
        #expect(row.failedBy == ["once"])
        #expect(row.isRecommendation && !row.isProven)
        #expect(
            row.description(isComplete: true).hasPrefix(
                "the built-in client, which has no fault, does not pass: fail: "))
        #expect(row.json(of: "a").contains(#""proven": false, "failed_by": ["once"], "problem": "fail: expected no "#))
    }

    @Test func `A client that only invents a value does not pass`() throws {
        let names = ["invents_heart_rate", "shows_twice", "frozen", "never_returns", "invents_energy"]
        let proof = try Self.proof(of: Self.shows(), playing: names)
        #expect(proof.inventing == ["invents_heart_rate"])
        #expect(proof.passing == ["frozen", "shows_twice"])
        #expect(proof.unseen == ["invents_energy"])
        #expect(proof.rows.first?.failedBy == ["never_returns"])
        #expect(
            proof.lines(isComplete: false) == [
                "2 faulty clients pass, although their faults show: frozen, shows_twice",
                #"1 faulty client fails only nothing_invented, which "run" expects of every client: invents_heart_rate"#,
                "1 fault does not show in this scenario (--verbose prints all names)",
            ])
    }

    @Test(arguments: [
        (
            #""expect": "seen", "since": {"event": "began", "of": "away"}, "within": "45 s", "event": "subscribed""#,
            #"1 is undecided at the limit of 60 s: never_returns (use a larger "limit" or a shorter "within")"#
        ),
        (
            #""expect": "never", "since": {"event": "connected", "nth": 2}, "event": {"event": "connected", "nth": 9}"#,
            #"its "since" does not come with 1: never_returns (expect that event, too)"#
        ),
        (
            #""expect": "seen", "within": "2 s", "event": {"event": "advertising", "of": "strap"}"#,
            "no fault shows before it is decided at 0.000000 s (expect something later)"
        ),
        (#""expect": "never", "event": {"event": "connected", "nth": 9}"#, "it may pass any client"),
    ])
    func `An expectation that no client fails has a reason`(expect: String, reason: String) throws {
        let proof = try Self.proof(of: #"{"id": "e", \#(expect)}"#, playing: ["never_returns", "big_endian"])
        let row = try #require(proof.rows.first)
        #expect(row.description(isComplete: false) == "no faulty client fails it: \(reason)")
        let known = reason == "it may pass any client" ? "null" : reason.quoted
        #expect(row.json(of: "a").hasSuffix(#", "reason": \#(known)}"#))
        #expect(proof.undecided == (reason.contains("never_returns") ? ["never_returns"] : []))
        #expect(proof.unseen.last == "big_endian")
    }

    @Test func `Many names are cut unless all are wanted`() throws {
        let expect =
            #"{"id": "e", "expect": "never", "event": {"event": "said", "line": {"heart_rate": {"bpm": 300}}}}"#
        var row = try #require(try Self.proof(of: expect).rows.first)
        #expect(!row.isProven)
        row.failedBy = ["a", "b", "c", "d", "e"]
        #expect(row.description(isComplete: false) == "5 faulty clients fail it: a, b, c, d, …")
        #expect(row.description(isComplete: true) == "5 faulty clients fail it: a, b, c, d, e")
    }
}
