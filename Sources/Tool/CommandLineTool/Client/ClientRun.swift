import Arguments
import Bluetooth
import CommandSupport
import Conformance
import Drivers
import Expectations
import Glibc
import ScenarioRuns
import Scenarios
import Simulation
import Sockets
import Spelling
import Terminal
import VirtualWorld

/// A client under test: a command line that is started for each case, or a person with an app.
struct ClientUnderTest: Sendable {
    private enum Who: Sendable {
        case command(String)
        case person(OperatorConsole)
    }

    /// By which it reaches the devices.
    private enum Door: Sendable {
        case controller(ControllerPlace)
        case radios(DeviceRadios)
    }

    private let who: Who
    private let door: Door
    /// Where it says what its user sees, beside its standard output.
    private let said: StreamAddress?

    /// Nil when the built-in client is to be judged.
    init?(_ invocation: Invocation) throws(CommandFailure) {
        if let command = invocation.text("--client") {
            who = .command(command)
        } else if invocation.has("--ask") {
            let isTerminal = isatty(STDIN_FILENO) == 1
            who = .person(OperatorConsole(terminal: isTerminal ? TerminalDevice(on: STDERR_FILENO) : nil))
        } else {
            return nil
        }
        if let radios = try DeviceRadios(invocation) {
            door = .radios(radios)
        } else {
            door = .controller(try ControllerPlace(invocation.text("--controller") ?? "tcp:127.0.0.1:0"))
        }
        guard let text = invocation.text("--said") else {
            said = nil
            return
        }
        do throws(StreamAddress.Unreadable) { said = try StreamAddress(text) } catch {
            throw CommandFailure(.usage, "--said: \(error)")
        }
    }

    private var radio: RadioKind { if case .radios(let radios) = door { radios.kind } else { .virtual } }
    private var asksPerson: Bool { if case .person = who { true } else { false } }

    /// Why a scenario cannot be played to it; empty when it can.
    private func unsupportedReason(_ scenario: Scenario) -> [String] {
        if case .radios(let radios) = door, let why = radios.unsupportedReason(scenario.devices.count, isExact: false) {
            return ["it has \(why)"]
        }
        if asksPerson, scenario.expectations.isEmpty { return ["it expects nothing that a person could be asked"] }
        var unplayed = scenario.unplayed(on: radio)
        if radio == .bluetoothd {
            unplayed += scenario.script.enumerated().compactMap { rule, it in
                it.action.keyUnplayedByBluetoothd.map { (rule, "bluetoothd has its \"\($0)\" to itself") }
            }
        }
        return unplayed.map { rule, why in
            "script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(why)"
        }
    }

    /// Plays a scenario once to it; what it says also goes to `tell`, and where its controller is to standard output if
    /// `tellsPlace`.
    func play(
        _ configuration: RunConfiguration, _ narrator: Narrator?, source: [UInt8], _ signals: Signals, tellsPlace: Bool,
        isSilent: Bool, _ tell: @escaping @Sendable (Instant, ClientLine) -> Void
    ) throws(CommandFailure) -> CaseResult {
        let reasons = unsupportedReason(configuration.scenario)
        guard reasons.isEmpty else {
            return CaseResult(unplayed: Outcome(.skip, title: configuration.scenario.name, reasons: reasons))
        }
        var configuration = configuration
        configuration.hear(by: radio)
        var started = try configuration.world()
        let files = try LogFiles(configuration, &started, narrator, source: source, isCase: true)
        var (world, record, reason) = try live(started, files, configuration, signals) {
            [configuration] live, loop, completion throws in
            try await session(
                configuration, live, loop, completion, tellsPlace: tellsPlace, isSilent: isSilent, tell)
        }
        // The kernel plays whether or not the client could be started.
        if !startsAtReset, [126, 127].contains(record.exit?.status) { record.hasPlayed = false }
        complain(ofRunaways: world, of: configuration.item?.id)
        world.endJudging()
        if record.textLeftOut > 0 {
            let who = configuration.item.map { "\($0.id): " } ?? ""
            Console.warn("\(who)\(record.textLeftOut) lines that are no JSON are not in the log")
        }
        files.flush(&world)
        let judgement = Judgement(
            world, isStrict: configuration.isStrict, client: record, traceContext: files.traceContext)
        let chronicle = files.chronicle(of: &world)
        let measured: ExitCode = record.measurements > 0 ? .success : .failure
        let code = try files.close(&world, reason.code ?? judgement.code ?? measured)
        if case .failure(let why) = reason {
            throw CommandFailure(.environment, why)
        }
        return CaseResult(
            world, judgement, of: configuration, measurements: record.measurements, client: record,
            chronicle: chronicle,
            code: code)
    }

    /// Whether the case's time begins when a host outside says HCI Reset.
    private var startsAtReset: Bool {
        if case (.command, .controller(.stream)) = (who, door) { true } else { false }
    }

    /// Opens the door, and lets the client come.
    private func session(
        _ configuration: RunConfiguration, _ live: LiveWorld, _ loop: EventLoop, _ completion: RunCompletion,
        tellsPlace: Bool, isSilent: Bool,
        _ tell: @escaping @Sendable (Instant, ClientLine) -> Void
    ) async throws -> any ClientSession {
        var controller: String?
        if case .controller(let place) = door {
            controller = try await live.offer(place)
            if tellsPlace, let controller { Console.print("controller \(controller)") }
        }
        let command: String
        switch who {
        case .command(let text): command = text
        case .person(let desk):
            return OperatorRun(
                configuration, live, on: radio, desk, completion,
                open: { try await open(live, loop, PairingOperator(passkey: nil, at: nil, on: loop)) },
                tell: tell)
        }
        var socket: ClientOutputSocket?
        if let said {
            let listener = ClientOutputSocket(on: loop)
            let place = try await listener.open(at: said)
            if tellsPlace { Console.print("said \(place)") }
            socket = listener
        }
        if case .radios = door {
            let passkey = configuration.scenario.devices.compactMap { $0.security?.passkey }.first
            try await open(live, loop, PairingOperator(passkey: passkey, at: nil, on: loop))
        }
        var addresses: [DeviceAddress] = []
        for device in configuration.scenario.devices.indices { addresses.append(await live.address(of: device)) }
        let process = try ClientProcess(
            command, environment(of: configuration, controller: controller, addresses: addresses), isSilent: isSilent)
        if case .controller(.kernel) = door { await live.start() }
        return ProcessSession(process, live, socket, completion, tell: tell)
    }

    /// Switches the devices on; returns when their time is counted.
    private func open(_ live: LiveWorld, _ loop: EventLoop, _ pairingOperator: PairingOperator) async throws {
        guard case .radios(let radios) = door else { return await live.start() }
        try await radios.start(live, answerPairing: pairingOperator.handler)
        let limit = loop.now.advanced(by: ProcessSession.patience)
        while !(await live.isPlaying) {
            if let why = await live.failure { throw CommandFailure(.environment, "\(why)") }
            guard loop.now < limit else {
                throw CommandFailure(
                    .environment, "the radio was not ready within \(ProcessSession.patience.components.seconds) s")
            }
            try await loop.sleep(until: loop.now.advanced(by: .milliseconds(5)))
        }
    }

    /// Lets a world live until the client that `start` lets come is done with it.
    private func live(
        _ world: World, _ files: LogFiles, _ configuration: RunConfiguration, _ signals: Signals,
        start: @escaping @Sendable (LiveWorld, EventLoop, RunCompletion) async throws -> any ClientSession
    ) throws(CommandFailure) -> (World, ClientRecord, RunCompletion.Reason) {
        let terms = Judge.Terms(grace: CaseClock.grace, radio: radio, asksPerson: asksPerson)
        let loop = EventLoop(pace: .real())
        do {
            return try loop.run { [world, startsAtReset] in
                let completion = RunCompletion()
                let live = LiveWorld(world, on: loop, completion, .quiet) { world in
                    files.flush(&world)
                    return !files.readerIsGone
                }
                await live.judge(on: terms, startsAtReset: startsAtReset)
                let session: any ClientSession
                do { session = try await start(live, loop, completion) } catch {
                    _ = await live.close(signals)
                    throw error
                }
                await session.start()
                let reason = await completion.wait(signals, on: loop, for: nil)
                await live.stop()
                let record = await session.end(signals)
                return (await live.close(signals), record, reason)
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch let failure as SocketFailure {
            throw CommandFailure(.environment, "\(failure)")
        } catch { throw CommandFailure(.inner, "\(error)") }
    }
}
