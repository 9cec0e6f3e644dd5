import Arguments
import Bluetooth
import Collector
import Glibc
import Screen
import Simulation
import Sockets
import Spelling

let monitorGrammar = Arguments.Grammar(
    "monitor", "be a client: connect to a device and show what it says: heart rate, temperature, steps, ECG",
    options: [
        radioOption, .option("--peer", "NAME|ADDRESS", "the device to connect to (default: the strongest)"),
        .option("--every", "DURATION", "read steps and temperature again so often (default 60 s)"),
        .option("--for", "DURATION", "stop after so long"),
        .flag("--json", "print the lines that a client under test prints"),
        .flag("--plain", "print lines on a terminal too, instead of a full screen"),
        .option("--height", "CM", "of the body, for distance and calories (default 170)"),
        .option("--weight", "KG", "of the body, for calories (default 70)"), colorOption,
    ])

let scanGrammar = Arguments.Grammar(
    "scan", "list what advertises",
    options: [radioOption, .option("--for", "DURATION", "stop after so long (default 5 s)"), colorOption])

func monitor(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    var settings = SensorCollector.Settings()
    if let peer = invocation.text("--peer") {
        settings.choice = DeviceAddress(peer).map { .address($0) } ?? .name(peer)
    }
    settings.asksOnDemand = try every(invocation) ?? settings.asksOnDemand
    let isJSON = invocation.has("--json")
    let paint = try Paint(invocation, for: Console.descriptor)
    let body = try body(invocation)
    let wantsLines = isJSON || invocation.has("--plain") || !Paint.canErase
    let terminal = wantsLines ? nil : Terminal(on: STDOUT_FILENO)
    settings.givesSamples = terminal != nil
    let screen = terminal.map { terminal in
        { @Sendable in ScreenSession(terminal, body, on: $0, $1, paint) }
    }
    return try listen(settings, invocation, limit: nil, screen) { Console.print(isJSON ? $0.json : paint($0)) }
}

/// How often it is read again.
private func every(_ invocation: Invocation) throws(CommandFailure) -> Duration? {
    do throws(UsageError) {
        return try invocation.value("--every", as: "a duration of at least 10 ms, such as \"5 s\"") { text in
            Duration(spelled: text).flatMap { $0 >= .milliseconds(10) ? $0 : nil }
        }
    } catch { throw CommandFailure(error) }
}

/// Whose distance and calories are shown.
private func body(_ invocation: Invocation) throws(CommandFailure) -> BodyMeasurements {
    func number(_ name: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
        try invocation.value(name, as: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
    var body = BodyMeasurements()
    do throws(UsageError) {
        body.height = try number("--height", 50...250) ?? body.height
        body.weight = try number("--weight", 10...500) ?? body.weight
    } catch { throw CommandFailure(error) }
    return body
}

func scan(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    var settings = SensorCollector.Settings(choice: .nobody)
    settings.services = []
    let paint = try Paint(invocation, for: Console.descriptor)
    return try listen(settings, invocation, limit: .seconds(5)) { saying in
        if case .found = saying.content { Console.print(paint(saying)) }
    }
}

/// Uses the radio that the command line names until a signal comes, the limit has passed, or the radio fails.
/// What is said goes to the screen if there is one, else it is told.
private func listen(
    _ settings: SensorCollector.Settings, _ invocation: Invocation, limit: Duration?,
    _ makeScreen: (@Sendable (EventLoop, Ending) -> ScreenSession)? = nil,
    tell: @escaping @Sendable (SensorCollector.Saying) -> Void
) throws(CommandFailure) -> ExitCode {
    let radio = try radio(invocation)
    let limit = try duration("--for", of: invocation) ?? limit
    let signals = Signals()
    let loop = EventLoop(pace: .real())
    do {
        return try loop.run {
            let ending = Ending()
            let screen = makeScreen?(loop, ending)
            let show = { @Sendable (saying: SensorCollector.Saying) in
                if let screen { screen.assumeIsolated { $0.take(saying) } } else { tell(saying) }
            }
            let live = try await client(settings, above: radio, on: loop, tell: show) { ending.say(.failure($0)) }
            await screen?.start()
            let reason = await ending.wait(signals, on: loop, for: limit)
            await screen?.stop()
            let missing = await live.missing
            await live.close(signals)
            switch reason {
            case .time:
                if let missing { throw CommandFailure(.environment, "lubdub: \(missing)") }
                return .success
            case .failure(let why): throw CommandFailure(.environment, "lubdub: \(why)")
            default: return reason.code ?? .success
            }
        }
    } catch let failure as CommandFailure {
        throw failure
    } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
}

/// The built-in client, which has begun.
private func client(
    _ settings: SensorCollector.Settings, above radio: RadioChoice, on loop: EventLoop,
    tell: @escaping @Sendable (SensorCollector.Saying) -> Void, fail: @escaping @Sendable (String) -> Void
) async throws -> any LiveClient {
    switch radio {
    case .controller(let address):
        let live = try LiveHost(settings, above: address, on: loop, tell: tell, fail: fail)
        try await live.start()
        return live
    case .bluez(let adapter):
        let live = LiveCentral(settings, on: loop, tell: tell) { fail("\(radio): \($0)") }
        try await live.start(adapter)
        return live
    }
}

private func duration(_ option: String, of invocation: Invocation) throws(CommandFailure) -> Duration? {
    do throws(UsageError) { return try invocation.duration(option) } catch { throw CommandFailure(error) }
}
