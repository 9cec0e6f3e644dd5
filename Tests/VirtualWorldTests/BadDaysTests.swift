import Basics
import Expectations
import ScenarioModel
import Testing
import VirtualWorld

/// The scenarios of the repository that judge a client.
@Suite struct BadDaysTests {
    @Test(arguments: ClientCases.paths)
    func `The built-in client meets every expectation, and every recommendation`(path: String) throws {
        let scenario = try TestScenario(path).scenario
        #expect(scenario.note?.isEmpty == false)
        var harness = try WorldHarness(
            scenario, seed: scenario.seed, isJudged: true, on: Judge.Terms(judgesInventions: true))
        #expect(harness.world.rulings.count == scenario.expectations.count + 1)
        for ruling in harness.world.rulings {
            let id = scenario.expectation(of: ruling).id
            #expect(ruling.verdict == .pass, "\(id): \(ruling.reason.map { "\($0)" } ?? "")")
        }
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }
}
