package import Basics
package import Clients
import Conformance
import Expectations
import Glibc
package import Linux
import VirtualWorld

/// Plays a scenario to the built-in client. In virtual time, `progress` shows how far it is.
///
/// - Returns: The finished run, its judgement, and the exit code of a command that plays nothing else.
package func playToBuiltInClient(
    _ plan: RunPlan, at speed: Speed, for listener: RunListener, source: [UInt8] = [], _ signals: Signals,
    showing progress: RunProgress? = nil, report: (Instant, SensorCollector.Update) -> Void
) throws(Obstacle) -> (BuiltInClientRun, Judgement, ExitCode) {
    var world = try plan.world()
    let files = try LogFiles(
        plan, &world, for: listener, source: source, isCase: true, inRealTime: speed != .max)
    world.judgeExpectations(on: plan.terms)
    var clientRun = try BuiltInClientRun(plan, in: world, files)
    let reason: RunCompletion.Reason?
    switch speed {
    case .max:
        var pacer = Pacer(.virtual(signals, until: clientRun.limit, progress), files)
        clientRun.play(at: &pacer, report)
        progress?.end()
        reason = pacer.reason
    case .real(let factor):
        let loop = EventLoop(pace: .real(speed: factor))
        try orFail { if let failure = loop.failure { throw failure } }
        reason = loop.withCurrentThread {
            var pacer = Pacer(.real(RealTime(loop, signals, measuresStalls: false)), files)
            clientRun.play(at: &pacer, report)
            return pacer.reason
        }
    }
    let runaway = warn(ofRunaways: clientRun.world, of: plan.item?.id)
    clientRun.world.report(.ended)
    clientRun.timeline = files.timeline(of: &clientRun.world)
    let judgement =
        reason == nil
        ? try Judgement(clientRun, of: plan)
        : Judgement(clientRun.world, isStrict: plan.isStrict)
    let measured: ExitCode = clientRun.measurements > 0 ? .success : .failure
    let code = try files.close(&clientRun.world, reason?.code ?? runaway ?? judgement.code ?? measured)
    return (clientRun, judgement, code)
}
