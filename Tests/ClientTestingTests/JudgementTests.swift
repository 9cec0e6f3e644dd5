import Basics
import CommandSupport
import Conformance
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import ClientTesting

/// The findings of a case in which the client has shown nothing wrong.
@Suite struct JudgementTests {
    @Test(
        arguments: [
            // Only that it has invented nothing: the number of measurements decides.
            ("", "", false, []),
            // Recommendations alone cannot fail.
            (#"{"expect": "never", "event": "connected", "should": true}"#, "", false, []),
            (
                #"{"expect": "never", "event": "connected", "should": true}"#, "", true,
                ["e: pass", "nothing_invented: pass"]
            ),
            (#"{"expect": "never", "event": "connected"}"#, "", false, ["e: pass", "nothing_invented: pass"]),
            (
                #"{"expect": "seen", "event": "connected", "within": "1 s"}"#, "", false,
                ["e: fail", "nothing_invented: pass"]
            ),
            // Nothing was judged.
            (#"{"expect": "never", "event": "scanning"}"#, "", false, ["e: skip"]),
            // It has invented a value.
            ("", #"{"heart_rate": {"bpm": 1}}"#, false, ["nothing_invented: fail"]),
            (
                #"{"expect": "never", "event": "scanning"}"#, #"{"heart_rate": {"bpm": 1}}"#, false,
                ["e: skip", "nothing_invented: fail"]
            ),
        ] as [(String, String, Bool, [String])])
    func `Findings`(expect: String, line: String, isStrict: Bool, findings: [String]) throws {
        let list = expect.isEmpty ? "" : #"{"id": "e", \#(expect.dropFirst())"#
        let text = """
            {"lubdub": 1, "name": "x", "limit": "2 s", "expect": [\(list)],
             "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}]}
            """
        let reading = ScenarioFile.read("x") { _ in Array(text.utf8) }
        let scenario = try #require(reading.scenario, "\(reading.problems)")
        var world = try World(scenario, seed: 1)
        world.judgeExpectations(on: Judge.Terms(radio: .bluetoothd, judgesInventions: true))
        world.start()
        if let line = ClientLine(Array(line.utf8)) { world.clientReported(line) }
        world.run(until: .start.advanced(by: scenario.limit))
        world.report(.ended)
        let judgement = Judgement(world, isStrict: isStrict)
        #expect(judgement.findings.map { "\($0.id ?? ""): \($0.verdict)" } == findings)
        #expect((judgement.code == nil) == (expect.isEmpty && findings.isEmpty))
        if findings.isEmpty, !expect.isEmpty { #expect(judgement.code == .success) }
    }
}
