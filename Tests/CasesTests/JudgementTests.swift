import Basics
import CommandSupport
import Conformance
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import Cases

/// A scenario without expectations, of which a run was played to its end or interrupted.
@Suite struct InterruptionTests {
    @Test(arguments: [
        (ExitCode.signal(15), 3, "inconclusive  client: the run was interrupted, until then it reported measurements "),
        (.signal(2), 0, "inconclusive  client: the run was interrupted, until then it reported no measurement "),
        (.success, 3, "pass  client: it reported measurements "),
        (.failure, 0, "fail  client: it reported no measurement "),
    ])
    func `An interrupted run without expectations neither passes nor fails`(
        code: ExitCode, measurements: Int, line: String
    ) throws {
        let text = #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}]}"#
        let scenario = try #require(ScenarioFile.read("x") { _ in Array(text.utf8) }.scenario)
        let configuration = RunPlan(scenario, seed: 1)
        let world = try configuration.world()
        let result = CaseResult(
            world, Judgement(world, isStrict: false), of: configuration, measurements: measurements, timeline: nil,
            code: code)
        let lines = result.lines(Paint(isOn: false), in: .virtual).map(\.description)
        #expect(lines.last?.hasPrefix(line) == true, "\(lines)")
    }
}

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
