import Basics
import Bluetooth
import Cases
import Clients
import CommandSupport
import Drivers
import Glibc
import Linux
import Screens
import Sockets

let monitorGrammar = CommandGrammar(
    "monitor", "Connect to a device as a client, and show its values",
    groups: [
        .init(
            "Device and radio",
            [radioOption, .option("--peer", "NAME|ADDRESS", "Device to connect to (default: the strongest signal)")]),
        .init("Pairing", pairingOptions),
        .init(
            "What to show",
            [
                .option(
                    "--every", "DURATION",
                    "How often to read steps and temperature of the service fitness (default 60 s)"),
                .option("--for", "DURATION", "Stop after this long (default: no limit)"),
                .option("--height", "CM", "Your height, used for distance and calories (default 170)"),
                .option("--weight", "KG", "Your weight, used for calories (default 70)"),
            ]),
        .init(
            "Output",
            [
                .flag("--json", "Print values, states and found devices as JSON lines, in the format of run --client"),
                .flag("--plain", "Print lines even on a terminal, instead of filling the screen"), colorOption,
            ]),
    ],
    lists: [.init("Keys on a terminal", MonitorKey.allCases.map { ("\($0.rawValue)", $0.explanation) })])

func monitor(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    var settings = SensorCollector.Settings()
    if let peer = invocation.text("--peer") {
        settings.choice = DeviceAddress(peer).map { .address($0) } ?? .name(peer)
    }
    settings.pairsUnasked = invocation.has("--pair")
    settings.asksOnDemand = try every(invocation) ?? settings.asksOnDemand
    let isJSON = invocation.has("--json")
    let paint = try Paint(invocation, for: Console.descriptor)
    let body = try body(invocation)
    let wantsLines = isJSON || invocation.has("--plain") || !Paint.canErase
    let terminal = wantsLines ? nil : TerminalDevice(on: STDOUT_FILENO)
    settings.givesSamples = terminal != nil
    let screen = terminal.map { terminal in
        { @Sendable in ScreenSession(terminal, body, on: $0, $1, paint) }
    }
    return try listen(settings, invocation, limit: nil, screen) { Console.print(isJSON ? "\($0.json)" : paint($0)) }
}

private func every(_ invocation: Invocation) throws(Obstacle) -> Duration? {
    try orFail {
        try invocation.value("--every", as: "a duration of at least 10 ms, for example \"5 s\"") { text in
            Duration(parsing: text).flatMap { $0 >= .milliseconds(10) ? $0 : nil }
        }
    }
}

private func body(_ invocation: Invocation) throws(Obstacle) -> BodyMeasurements {
    func number(_ name: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
        try invocation.value(name, as: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
    var body = BodyMeasurements()
    body.height = try orFail { try number("--height", 50...250) } ?? body.height
    body.weight = try orFail { try number("--weight", 10...500) } ?? body.weight
    return body
}

/// Runs a client above the radio of the command line until a signal arrives, the limit passes, or the radio fails.
/// The client's updates go to the screen if there is one, else to `report`; `progress` is called five times per second.
func listen(
    _ settings: SensorCollector.Settings, _ invocation: Invocation, limit: Duration?,
    _ makeScreen: (@Sendable (EventLoop, RunCompletion) -> ScreenSession)? = nil,
    progress: (@Sendable () -> Void)? = nil,
    report: @escaping @Sendable (SensorCollector.Update) -> Void
) throws(Obstacle) -> ExitCode {
    let radio = try radio(invocation)
    let security = try clientSecurity(invocation, above: radio)
    let limit = try orFail { try invocation.duration("--for") } ?? limit
    return try BondFile.finishing(security.bonds) { () throws(Obstacle) in
        try listen(settings, above: radio, security, limit, makeScreen, progress, report)
    }
}

private func listen(
    _ settings: SensorCollector.Settings, above radio: RadioChoice, _ security: ClientSecurity, _ limit: Duration?,
    _ makeScreen: (@Sendable (EventLoop, RunCompletion) -> ScreenSession)?, _ progress: (@Sendable () -> Void)?,
    _ report: @escaping @Sendable (SensorCollector.Update) -> Void
) throws(Obstacle) -> ExitCode {
    let signals = Signals()
    let loop = EventLoop(pace: .real())
    return try orFail {
        try loop.run {
            let completion = RunCompletion()
            let screen = makeScreen?(loop, completion)
            let prompt = PasskeyPrompt(on: loop)
            var security = security
            security.user = prompt.map { ClientSecurity.User(asking: $0, on: screen) }
            let show = { @Sendable (update: SensorCollector.Update) in
                if let screen { screen.assumeIsolated { $0.take(update) } } else { report(update) }
            }
            let live = try await ClientDriver.start(settings, above: radio, security: security, on: loop, report: show)
            {
                completion.finish(.failure($0))
            }
            await screen?.start()
            if let progress { call(progress, on: loop) }
            let reason = await completion.wait(signals, on: loop, for: limit)
            await prompt?.cancel()
            await screen?.stop()
            let missing = await live.missing
            await live.close(signals)
            switch reason {
            case .time:
                if let missing { throw Obstacle(.environment, missing) }
                return .success
            case .failure(let why): throw Obstacle(.environment, why)
            default: return reason.code ?? .success
            }
        }
    }
}

/// Calls `action` now and then every 200 ms, on the loop's thread.
@Sendable private func call(_ action: @escaping @Sendable () -> Void, on loop: EventLoop) {
    action()
    loop.call(at: loop.now.advanced(by: .milliseconds(200))) { call(action, on: loop) }
}

extension ClientSecurity.User {
    /// Asks on the terminal, which the screen leaves until there is an answer.
    fileprivate init(asking prompt: PasskeyPrompt, on screen: ScreenSession?) {
        self.init { device, answer in
            screen?.assumeIsolated { $0.pause() }
            prompt.assumeIsolated { prompt in
                prompt.ask(about: device) { passkey in
                    screen?.assumeIsolated { $0.goOn() }
                    answer(passkey)
                }
            }
        } cancel: {
            prompt.assumeIsolated { $0.cancel() }
        }
    }
}
