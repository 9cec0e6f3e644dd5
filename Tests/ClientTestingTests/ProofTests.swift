import CommandSupport
import FaultyClients
import ScenarioLanguage
import ScenarioRuns
import Testing

@testable import ClientTesting

@Suite struct ProofTests {
    private static func proof(of expect: String, playing names: String...) throws -> Proof {
        let text = """
            {"lubdub": 1, "name": "One", "limit": "60 s", "devices": [{"id": "strap", "name": "Strap",
              "services": [{"service": "heart_rate", "value": {"curve": "ramp", "start": 62, "end": 90, "over": "40 s"}}]}],
             "script": [{"when": "20 s", "id": "away", "do": "link_loss", "for": "10 s"}], "expect": [\(expect)]}
            """
        let reading = ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }
        var proof = try Proof(RunConfiguration(try #require(reading.scenario, "\(reading.problems)"), seed: 1))
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
        let row = try #require(try Self.proof(of: expect, playing: "once", "big_endian").rows.first)
        #expect(row.failedBy == names)
        #expect(row.isProven == !names.isEmpty)
        let words =
            names.isEmpty ? "no faulty client fails it: it may pass any client" : "1 faulty client fails it: once"
        #expect(row.description(isComplete: false) == words)
    }

    @Test func `An expectation that the built-in client fails is not proven`() throws {
        let expect = #"{"id": "e", "expect": "never", "event": "connected", "should": true}"#
        let row = try #require(try Self.proof(of: expect, playing: "once").rows.first)
        #expect(row.failedBy == ["once"])
        #expect(row.isRecommendation && !row.isProven)
        #expect(
            row.description(isComplete: true).hasPrefix(
                "the built-in client, which has no fault, does not pass: fail: "))
        #expect(row.json(of: "a").contains(#""proven": false, "failed_by": ["once"], "problem": "fail: expected no "#))
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
