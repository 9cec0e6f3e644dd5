import Arguments
import Bluetooth
import Collector
import Simulation
import Sockets
import Spelling

let monitorGrammar = Arguments.Grammar(
    "monitor", "be a client: connect to a device and print what it says: heart rate, temperature, steps, ECG",
    options: [
        radioOption, .option("--peer", "NAME|ADDRESS", "the device to connect to (default: the strongest)"),
        .option("--every", "DURATION", "read steps and temperature again so often (default 60 s)"),
        .option("--for", "DURATION", "stop after so long"),
        .flag("--json", "print the lines that a client under test prints"), colorOption,
    ])

let scanGrammar = Arguments.Grammar(
    "scan", "list what advertises",
    options: [radioOption, .option("--for", "DURATION", "stop after so long (default 5 s)"), colorOption])

func monitor(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    var settings = SensorCollector.Settings()
    if let peer = invocation.text("--peer") {
        settings.choice = DeviceAddress(peer).map { .address($0) } ?? .name(peer)
    }
    if let every = try duration("--every", of: invocation) { settings.asksOnDemand = every }
    let isJSON = invocation.has("--json")
    let paint = try Paint(invocation, for: Console.descriptor)
    return try listen(settings, invocation, limit: nil) { Console.print(isJSON ? $0.json : paint($0)) }
}

func scan(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    var settings = SensorCollector.Settings(choice: .nobody)
    settings.services = []
    let paint = try Paint(invocation, for: Console.descriptor)
    return try listen(settings, invocation, limit: .seconds(5)) { saying in
        if case .found = saying.content { Console.print(paint(saying)) }
    }
}

/// Uses the controller that the command line names until a signal comes, the limit has passed, or the controller fails.
private func listen(
    _ settings: SensorCollector.Settings, _ invocation: Invocation, limit: Duration?,
    tell: @escaping @Sendable (SensorCollector.Saying) -> Void
) throws(CommandFailure) -> ExitCode {
    let address = try radio(invocation)
    let limit = try duration("--for", of: invocation) ?? limit
    let signals = Signals()
    let loop = EventLoop(pace: .real())
    do {
        return try loop.run {
            let ending = Ending()
            let live = try LiveHost(settings, on: loop, tell: tell) { ending.say(.failure($0)) }
            try await live.start(address)
            let reason = await ending.wait(signals, on: loop, for: limit)
            await live.close(signals)
            switch reason {
            case .failure(let why): throw CommandFailure(.environment, "lubdub: \(address): \(why)")
            default: return reason.code ?? .success
            }
        }
    } catch let failure as CommandFailure {
        throw failure
    } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
}

private func duration(_ option: String, of invocation: Invocation) throws(CommandFailure) -> Duration? {
    do throws(UsageError) { return try invocation.duration(option) } catch { throw CommandFailure(error) }
}
