import Basics
package import Bluetooth
import CommandSupport
import Conformance
import Drivers
import Expectations
import Glibc
import Linux
import ScenarioLanguage
import ScenarioModel
package import ScenarioRuns
import Screens
import Sockets
import VirtualWorld

/// A client under test: a command line that is started for each case, or an operator with an app.
struct ClientUnderTest: Sendable {
    private enum Driver: Sendable {
        case command(String)
        case `operator`(OperatorConsole)
    }

    /// How the client reaches the devices.
    private enum Attachment: Sendable {
        case controllers([ControllerPlace])
        case radios(DeviceRadios)
    }

    private let driver: Driver
    private let attachment: Attachment
    /// The socket for its lines, in addition to its standard output.
    private let lineSocket: StreamAddress?

    /// Nil when the built-in client is under test.
    init?(_ invocation: Invocation) throws(Obstacle) {
        if let command = invocation.text("--client") {
            guard command.contains(where: { !$0.isWhitespace }) else {
                throw Obstacle(.usage, "--client is empty: give the command line that starts your client")
            }
            driver = .command(command)
        } else if invocation.has("--ask") {
            let isTerminal = isatty(STDIN_FILENO) == 1
            driver = .operator(OperatorConsole(terminal: isTerminal ? TerminalDevice(on: STDERR_FILENO) : nil))
        } else {
            return nil
        }
        if let radios = try DeviceRadios(invocation) {
            attachment = .radios(radios)
        } else {
            let offered = invocation.texts("--controller")
            let places = try (offered.isEmpty ? ["tcp:127.0.0.1:0"] : offered).map(ControllerPlace.init)
            guard places.count == 1 || !places.contains(.kernel) else {
                throw Obstacle(
                    .usage, "--controller vhci excludes others: the kernel's adapter is the client's only controller")
            }
            attachment = .controllers(places)
        }
        guard let text = invocation.text("--said") else {
            lineSocket = nil
            return
        }
        lineSocket = try orFail(.usage, "--said: ") { try StreamAddress(text) }
    }

    private var radio: RadioKind { if case .radios(let radios) = attachment { radios.kind } else { .virtual } }
    private var asksOperator: Bool { if case .operator = driver { true } else { false } }

    /// Why it cannot play a scenario; empty when it can.
    private func unsupportedReason(_ scenario: Scenario) -> [String] {
        if case .radios(let radios) = attachment,
            let why = radios.unsupportedReason(scenario.devices.count, isExact: false)
        {
            return ["the scenario has \(why)"]
        }
        if asksOperator, scenario.expectations.isEmpty {
            return ["the scenario has no expectation that an operator can answer"]
        }
        let ignored = scenario.script.enumerated().compactMap { rule, it in
            radio.ignoredArgument(of: it.action).map { (rule, "bluetoothd controls \"\($0)\"") }
                ?? radio.missingPart(of: it.action).map { (rule, $0) }
        }
        return (scenario.unplayable(on: radio) + ignored).map { rule, why in
            "script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(why)"
        }
    }

    /// What is printed of a run, in addition to the client's lines.
    struct Narration: Sendable {
        /// The case's id, if several are run at once.
        let caseID: String?
        /// Whether the addresses of its controller and line socket go to standard output.
        let hasAddresses: Bool
        /// Whether its standard error is passed on.
        let hasErrors: Bool

        /// Prints where a client reaches the case: `controller tcp:127.0.0.1:6402`, then the case's id.
        func printAddress(_ line: String) {
            if hasAddresses { Console.print("\(line)\(caseID.map { " \($0)" } ?? "")") }
        }

        func printErrors(_ lines: [String]) {
            guard hasErrors else { return }
            for line in lines { Console.complain("\(caseID.map { "\($0): " } ?? "")\(line)") }
        }
    }

    /// Runs a scenario once, and calls `report` with each line of the client.
    func play(
        _ configuration: RunConfiguration, _ narrator: Narrator?, source: [UInt8], _ signals: Signals,
        _ narration: Narration, _ report: @escaping @Sendable (Instant, ClientLine) -> Void
    ) throws(Obstacle) -> CaseResult {
        let reasons = unsupportedReason(configuration.scenario)
        guard reasons.isEmpty else {
            return CaseResult(unplayed: Outcome(.skip, title: configuration.scenario.name, reasons: reasons))
        }
        var configuration = configuration
        configuration.observe(by: radio)
        var started = try configuration.world()
        let files = try LogFiles(
            configuration, &started, narrator, source: source, isCase: true, inRealTime: true)
        var (world, record, reason) = try live(started, files, configuration, signals) {
            [configuration] live, loop, completion throws in
            try await session(configuration, live, loop, completion, files, narration, report)
        }
        // The kernel starts the case's time whether or not the client could be started.
        if !startsAtReset, [126, 127].contains(record.exit?.status) { record.hasPlayed = false }
        if reason.code?.isInterruption == true, record.exit == nil, record.absence == nil {
            record.absence = "the run was interrupted before its host sent HCI Reset"
        }
        complain(ofRunaways: world, of: configuration.item?.id)
        world.report(.ended)
        record.stall = record.exit.flatMap { $0.isFailure ? world.stall(shortlyBefore: $0.at) : nil }
        if record.textLeftOut > 0 {
            let caseID = configuration.item.map { "\($0.id): " } ?? ""
            Console.warn(
                "\(caseID)not logged: \(record.textLeftOut.counted("line")) of text that is not JSON, after the first MiB"
            )
        }
        files.flush(&world)
        let judgement = Judgement(
            world, isStrict: configuration.isStrict, client: record, traceContext: files.traceContext)
        let timeline = files.timeline(of: &world)
        let measured: ExitCode = record.measurements > 0 ? .success : .failure
        let code = try files.close(&world, reason.code ?? judgement.code ?? measured)
        if case .failure(let why) = reason {
            throw Obstacle(.environment, why)
        }
        return CaseResult(
            world, judgement, of: configuration, measurements: record.measurements, client: record,
            timeline: timeline,
            code: code)
    }

    /// Whether the case's time starts when an external host sends HCI Reset.
    private var startsAtReset: Bool {
        if case (.command, .controllers(let places)) = (driver, attachment) { !places.contains(.kernel) } else { false }
    }

    private func session(
        _ configuration: RunConfiguration, _ live: LiveWorld, _ loop: EventLoop, _ completion: RunCompletion,
        _ files: LogFiles, _ narration: Narration,
        _ report: @escaping @Sendable (Instant, ClientLine) -> Void
    ) async throws -> any ClientSession {
        var controllers: [String] = []
        if case .controllers(let places) = attachment {
            for place in places {
                let controller = try await live.offer(place)
                narration.printAddress("controller \(controller)")
                controllers.append(controller)
            }
        }
        let command: String
        switch driver {
        case .command(let text): command = text
        case .operator(let console):
            return OperatorRun(
                configuration, live, on: radio, console, completion,
                open: { try await open(live, loop, PairingOperator(passkey: nil, at: nil, on: loop)) },
                report: report)
        }
        var socket: ClientOutputSocket?
        if let lineSocket {
            let listener = ClientOutputSocket(on: loop)
            let address = try await listener.open(at: lineSocket)
            narration.printAddress("said \(address)")
            socket = listener
        }
        if case .radios = attachment {
            let passkey = configuration.scenario.devices.compactMap { $0.security?.passkey }.first
            try await open(live, loop, PairingOperator(passkey: passkey, at: nil, on: loop))
        }
        var addresses: [DeviceAddress] = []
        for device in configuration.scenario.devices.indices { addresses.append(await live.address(of: device)) }
        var variables = environment(
            of: configuration, controller: controllers.first, addresses: addresses,
            outOfBand: await outOfBandData(for: configuration.scenario, live))
        if let bonds = await bonds(with: live) { variables.append(("LUBDUB_BONDS", bonds)) }
        let process = try ClientProcess(command, variables)
        if case .controllers([.kernel]) = attachment { await live.start() }
        return ProcessSession(process, live, socket, completion, report: report) { lines, octets in
            narration.printErrors(lines)
            files.writeClientErrors(octets)
        }
    }

    /// What the target gives away out of band.
    private func outOfBandData(for scenario: Scenario, _ live: LiveWorld) async -> [UInt8]? {
        let device = scenario.target ?? 0
        guard scenario.devices.indices.contains(device) else { return nil }
        let address = await live.address(of: device)
        return await live.visit { world, _ in world.giveOutOfBandData(of: device, at: address) }
    }

    /// The client's bonds that exist from the start, as a file of bonds; nil if there are none.
    private func bonds(with live: LiveWorld) async -> String? {
        let bonds = await live.visit { world, _ in world.bondDevices(withClientAt: World.bondedClient) }
        return bonds.isEmpty ? nil : BondFile.line(bonds, of: World.bondedClient)
    }

    /// Switches the devices on; returns when the case's time has started.
    private func open(_ live: LiveWorld, _ loop: EventLoop, _ pairingOperator: PairingOperator) async throws {
        guard case .radios(let radios) = attachment else { return await live.start() }
        try await radios.start(live, answerPairing: pairingOperator.handler)
        let limit = loop.now.advanced(by: ProcessSession.patience)
        while !(await live.isPlaying) {
            if let why = await live.failure { throw Obstacle(.environment, why) }
            guard loop.now < limit else {
                throw Obstacle(
                    .environment, "the radio was not ready within \(ProcessSession.patience.components.seconds) s")
            }
            try await loop.sleep(until: loop.now.advanced(by: .milliseconds(5)))
        }
    }

    /// Runs a world with the client that `start` starts, until the case is over.
    private func live(
        _ world: World, _ files: LogFiles, _ configuration: RunConfiguration, _ signals: Signals,
        start: @escaping @Sendable (LiveWorld, EventLoop, RunCompletion) async throws -> any ClientSession
    ) throws(Obstacle) -> (World, ClientRecord, RunCompletion.Reason) {
        var (world, terms) = (world, Judge.Terms.clientUnderTest)
        (terms.radio, terms.asksOperator, terms.shown) = (radio, asksOperator, configuration.shown)
        world.judgeExpectations(on: terms)
        let loop = EventLoop(pace: .real())
        return try orFail {
            try loop.run { [world, startsAtReset] in
                let completion = RunCompletion()
                let live = LiveWorld(world, on: loop, completion, isQuiet: true) { world in
                    files.flush(&world)
                    return !files.readerIsGone
                }
                await live.playCase(startsAtReset: startsAtReset)
                let session: any ClientSession
                do { session = try await start(live, loop, completion) } catch {
                    _ = await live.close(signals)
                    throw error
                }
                await session.start()
                var reason = await completion.wait(signals, on: loop, for: nil)
                if case .time = reason, let why = await live.silence { reason = .failure(why) }
                await live.stop()
                let record = await session.end(signals)
                return (await live.close(signals), record, reason)
            }
        }
    }
}

/// The variables of a client under test; `outOfBand` is what the target gives away out of band.
package func environment(
    of configuration: RunConfiguration, controller: String?, addresses: [DeviceAddress], outOfBand: [UInt8]? = nil
) -> [(name: String, value: String)] {
    let devices = configuration.scenario.devices
    let peers = zip(devices, addresses).map { device, address in
        "{\"id\": \(device.id.quoted), \"address\": \(address.description.quoted), \"name\": \(device.name.quoted)}"
    }
    let target = configuration.scenario.target ?? 0
    let name = devices.indices.contains(target) ? devices[target].name : ""
    let passkey = devices.indices.contains(target) ? devices[target].security?.passkey : nil
    let digits = passkey.map { String(String(1_000_000 + $0).dropFirst()) }
    return (controller.map { [("LUBDUB_CONTROLLER", $0)] } ?? []) + [
        ("LUBDUB_CASE", configuration.caseID), ("LUBDUB_SEED", "\(configuration.seed)"),
        ("LUBDUB_PEER", addresses.indices.contains(target) ? "\(addresses[target])" : ""), ("LUBDUB_PEER_NAME", name),
        ("LUBDUB_PEERS", "[\(peers.joined(separator: ", "))]"), ("PYTHONUNBUFFERED", "1"),
    ] + (digits.map { [("LUBDUB_PASSKEY", $0)] } ?? [])
        + (outOfBand.map { [("LUBDUB_OOB", $0.hex.filter { $0 != " " })] } ?? [])
}
