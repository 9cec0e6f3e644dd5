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
    showing progress: RunProgress? = nil,
    report: @escaping @Sendable (Instant, SensorCollector.Update) -> Void
) throws(Obstacle) -> (BuiltInClientRun, Judgement, ExitCode) {
    var world = try plan.world()
    let files = try LogFiles(
        plan, &world, for: listener, source: source, isCase: true, inRealTime: speed != .max)
    world.judgeExpectations(on: plan.terms)
    var clientRun = try BuiltInClientRun(plan, in: world, files)
    let reason: RunCompletion.Reason
    switch speed {
    case .max:
        var interruption = Interruption(signals, files, until: clientRun.limit, showing: progress)
        clientRun.play(report, unless: { interruption.isDue(at: $0) })
        progress?.end()
        reason = interruption.reason ?? .time
    case .real(let factor):
        (clientRun, reason) = try play(clientRun, files, signals, factor, report)
    }
    let runaway = warn(ofRunaways: clientRun.world, of: plan.item?.id)
    clientRun.world.report(.ended)
    clientRun.timeline = files.timeline(of: &clientRun.world)
    let judgement =
        reason.code == nil
        ? try Judgement(clientRun, of: plan)
        : Judgement(clientRun.world, isStrict: plan.isStrict)
    let measured: ExitCode = clientRun.measurements > 0 ? .success : .failure
    let code = try files.close(&clientRun.world, reason.code ?? runaway ?? judgement.code ?? measured)
    return (clientRun, judgement, code)
}

private func play(
    _ clientRun: BuiltInClientRun, _ files: LogFiles, _ signals: Signals, _ factor: Double,
    _ report: @escaping @Sendable (Instant, SensorCollector.Update) -> Void
) throws(Obstacle) -> (BuiltInClientRun, RunCompletion.Reason) {
    let loop = EventLoop(pace: .real(speed: factor))
    return try orFail {
        try loop.run {
            let completion = RunCompletion()
            let live = PacedRun(clientRun, files, on: loop, completion, report: report)
            await live.start()
            let reason = await completion.wait(signals, on: loop, for: nil)
            return (await live.close(), reason)
        }
    }
}
