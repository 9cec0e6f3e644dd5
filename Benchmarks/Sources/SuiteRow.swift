import Basics
import Cases
import CommandLineTool
import CommandSupport
import Conformance
import Expectations
import Linux
import ScenarioModel
import VirtualWorld

extension BenchRow {
    private static let folders = ["scenarios/recovery", "scenarios/errors", "scenarios/formats"]

    /// All scenarios of some folders, each in its own world: from reading the file to the verdict.
    static func suite() throws(Obstacle) -> Figures {
        let cases: [Case]
        do throws(Obstacle) { cases = try discoverCases(folders) } catch {
            return .none("run it in the root of Lubdub's repository: \(error.description)")
        }
        let meter = Meter()
        var fault: String?
        for item in cases {
            let outcome = played(item)
            let (verdict, reasons) = (outcome.verdict, outcome.reasons.joined(separator: "; "))
            if verdict != .pass { fault = fault ?? "\(item.id) has the verdict \(verdict.rawValue): \(reasons)" }
        }
        let (spent, allocated) = (meter.spent, meter.allocated)
        return Figures(
            value: Double(spent) / 1e9, unit: "s of CPU", items: cases.count, nanoseconds: spent,
            allocations: allocated, fault: fault)
    }

    private static func played(_ item: Case) -> Outcome {
        switch CaseReading(item) {
        case .unplayed(let outcome): return outcome
        case .scenario(let scenario, _):
            do throws(Obstacle) {
                let plan = RunPlan(scenario, seed: item.seed ?? scenario.seed)
                var world = try plan.world()
                world.judgeExpectations()
                var clientRun = try BuiltInClientRun(plan, in: world, nil)
                clientRun.play { _, _ in }
                clientRun.world.report(.ended)
                let judgement = try Judgement(clientRun, of: plan)
                return CaseResult(clientRun, judgement, of: plan, code: .success).outcome
            } catch { return Outcome(.error, title: scenario.name, reasons: error.lines) }
        }
    }
}
