package import Arguments
package import Collector
package import CommandSupport
import Conformance
package import ScenarioRuns
package import Simulation
import VirtualWorld

/// Plays a scenario to the built-in client.
///
/// - Returns: The finished run, its judgement, and the exit code of a command that plays nothing else.
package func playToBuiltInClient(
    _ configuration: RunConfiguration, at speed: Speed, _ narrator: Narrator?, source: [UInt8] = [],
    _ signals: Signals = Signals(),
    report: @escaping @Sendable (Instant, SensorCollector.Update) -> Void
) throws(CommandFailure) -> (BuiltInClientRun, Judgement, ExitCode) {
    var world = try configuration.world()
    let files = try LogFiles(configuration, &world, narrator, source: source, isCase: true)
    world.judgeExpectations()
    var clientRun = try BuiltInClientRun(configuration, in: world, files)
    let reason: RunCompletion.Reason
    switch speed {
    case .max:
        var interruption = Interruption(signals, files)
        clientRun.play(report, unless: { interruption.isDue() })
        reason = interruption.reason ?? .time
    case .real(let factor):
        (clientRun, reason) = try play(clientRun, files, signals, factor, report)
    }
    let runaway = complain(ofRunaways: clientRun.host.world, of: configuration.item?.id)
    clientRun.host.world.endJudging()
    clientRun.timeline = files.timeline(of: &clientRun.host.world)
    let judgement =
        reason.code == nil
        ? try Judgement(clientRun, of: configuration)
        : Judgement(clientRun.host.world, isStrict: configuration.isStrict)
    let measured: ExitCode = clientRun.measurements > 0 ? .success : .failure
    let code = try files.close(&clientRun.host.world, reason.code ?? runaway ?? judgement.code ?? measured)
    return (clientRun, judgement, code)
}

private func play(
    _ clientRun: BuiltInClientRun, _ files: LogFiles, _ signals: Signals, _ factor: Double,
    _ report: @escaping @Sendable (Instant, SensorCollector.Update) -> Void
) throws(CommandFailure) -> (BuiltInClientRun, RunCompletion.Reason) {
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
