package import Basics
package import Causes
import Expectations
import ScenarioModel
import VirtualWorld

extension BuiltInClientRun {
    /// The trace around the faults of a finished run: plays it again, with identical packets.
    package func traceContext(of plan: RunPlan) throws(Obstacle) -> TraceContext? {
        guard world.rulings.contains(where: \.verdict.isFault) else { return nil }
        let traceContext = TraceContext(world)
        traceContext.mark(world.rulings)
        var world = try plan.world()
        world.packets = PacketLog { traceContext.take($0) }
        world.journal = EventJournal { traceContext.take($0) }
        world.judgeExpectations(on: plan.terms)
        var again = try BuiltInClientRun(plan, in: world, nil)
        again.play { _, _ in }
        again.world.packets.flush()
        again.world.journal.flush()
        return traceContext
    }
}
