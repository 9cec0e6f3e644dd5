import Expectations
import Octets
import Scenarios
import Testing
import VirtualWorld

/// The scenarios of the repository that judge a client.
@Suite struct BadDaysTests {
    @Test(arguments: ClientCases.paths)
    func `The built-in client meets every expectation, and every recommendation`(path: String) throws {
        let scenario = try Play(path).scenario
        #expect(scenario.note?.isEmpty == false)
        var stage = try Stage(scenario, seed: scenario.seed, isJudged: true)
        #expect(stage.world.rulings.count == scenario.expectations.count)
        for ruling in stage.world.rulings {
            let id = scenario.expectations[ruling.expectation].id
            #expect(ruling.verdict == .pass, "\(id): \(ruling.reason.map { "\($0)" } ?? "")")
        }
        stage.end()
        #expect(stage.world.pool.taken == 0)
    }
}
