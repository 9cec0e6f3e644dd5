package import Basics
package import Bluetooth
import Conformance
package import Drivers
import Expectations
import Glibc
package import Linux
import ScenarioLanguage
import ScenarioModel
package import Sockets
import VirtualWorld

/// A client under test: a command line that is started for each case, or an operator with an app.
package struct ClientUnderTest: Sendable {
    package enum Driver: Sendable {
        case command(String)
        /// A person with an app; the function begins the dialogue about a case.
        case `operator`(@Sendable (OperatorCase) -> any ClientSession)
    }

    /// How the client reaches the devices.
    package enum Attachment: Sendable {
        case controllers([ControllerPlace])
        case radios(DeviceRadios)
        /// It is a program that uses the system's Bluetooth service.
        case system(PlayedSystem)
    }

    /// Functions that receive what a client does in a case, while it runs.
    package struct Follower: Sendable {
        /// Receives each line of the client.
        package var line: @Sendable (Instant, ClientLine) -> Void
        /// Receives where the client reaches the case: `controller tcp:127.0.0.1:6402`.
        package var address: @Sendable (String) -> Void
        /// Receives lines that the client writes to its standard error.
        package var errors: @Sendable ([String]) -> Void

        package init(
            line: @escaping @Sendable (Instant, ClientLine) -> Void,
            address: @escaping @Sendable (String) -> Void = { _ in },
            errors: @escaping @Sendable ([String]) -> Void = { _ in }
        ) {
            (self.line, self.address, self.errors) = (line, address, errors)
        }
    }

    private let driver: Driver
    private let attachment: Attachment
    /// The socket for its lines, in addition to its standard output.
    private let lineSocket: StreamAddress?
    package let pace: ClientPace

    package init(
        _ driver: Driver, _ attachment: Attachment, lineSocket: StreamAddress? = nil, pace: ClientPace = .real
    ) {
        (self.driver, self.attachment, self.lineSocket, self.pace) = (driver, attachment, lineSocket, pace)
    }

    private var radio: RadioKind {
        switch attachment {
        case .controllers: .virtual
        case .radios(let radios): radios.kind
        case .system: .system
        }
    }
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
        return scenario.unplayed(on: radio)
    }

    /// Runs a scenario once.
    package func play(
        _ plan: RunPlan, for listener: RunListener, source: [UInt8], _ signals: Signals, _ follower: Follower
    ) throws(Obstacle) -> CaseResult {
        let reasons = unsupportedReason(plan.scenario)
        guard reasons.isEmpty else {
            return CaseResult(unplayed: Outcome(.skip, title: plan.scenario.name, reasons: reasons))
        }
        func attempt(in time: VirtualTime?) throws(Obstacle) -> Attempt {
            try self.attempt(plan, in: time, for: listener, source: source, signals, follower)
        }
        switch pace {
        case .real: return try attempt(in: nil).result()
        case .virtual(let time): return try attempt(in: time).result(in: time)
        case .automatic(let choice):
            if choice.isVirtual {
                switch try attempt(in: .fastest) {
                case .played(let result):
                    choice.note(.virtual)
                    return result
                case .refused(let why):
                    guard !plan.hasStreamedLog else {
                        throw Obstacle(
                            .environment,
                            "\(why); the case is not played again in real time, because its event log is already written: "
                                + "use --speed 1")
                    }
                    if choice.takeRealTime() {
                        let others = plan.item == nil ? "" : ", and so are the next ones"
                        warn("\(why); the case is played again in real time\(others)", of: plan.item?.id)
                    }
                }
            }
            let result = try attempt(in: nil).result()
            choice.note(.real)
            return result
        }
    }

    /// The result of a case, if its client can follow.
    private enum Attempt {
        case played(CaseResult)
        /// The client cannot follow virtual time, and why.
        case refused(String)

        func result(in time: VirtualTime = .fastest) throws(Obstacle) -> CaseResult {
            switch self {
            case .played(let result): return result
            case .refused(let why):
                throw Obstacle(.environment, "\(why); without --speed \(time.word) it runs in real time")
            }
        }
    }

    private func attempt(
        _ plan: RunPlan, in virtual: VirtualTime?, for listener: RunListener, source: [UInt8], _ signals: Signals,
        _ follower: Follower
    ) throws(Obstacle) -> Attempt {
        var plan = plan
        var time: ClientTime?
        if let virtual {
            plan.clientOptions += virtual.options
            do throws(Obstacle) {
                time = try ClientTime(seed: plan.seed, ClientTimeLibrary(), charge: virtual.charge)
            } catch { return .refused("\(error)") }
        }
        plan.observe(by: radio)
        var started = try plan.world()
        started.placeDevices(on: radio)
        let files = try LogFiles(
            plan, &started, for: listener, source: source, isCase: true,
            inRealTime: virtual == nil || virtual?.factor != nil)
        let loop = time.map { EventLoop(leading: $0, factor: virtual?.factor) } ?? EventLoop(pace: .real())
        defer { if let time, time.hasCrept { warnOfCreeps(plan) } }
        var (world, record, reason) = try live(started, files, plan, loop, signals) {
            [plan] live, loop, completion throws in
            try await session(plan, live, loop, completion, files, follower)
        }
        // The kernel starts the case's time whether or not the client could be started.
        if !startsWithClient, [126, 127].contains(record.exit?.status) { record.hasPlayed = false }
        if reason.code?.isInterruption == true, record.exit == nil, record.absence == nil {
            record.absence = "the run was interrupted before \(record.beginning)"
        }
        warn(ofRunaways: world, of: plan.item?.id)
        world.report(.ended)
        record.stall = record.exit.flatMap { $0.isFailure ? world.stall(shortlyBefore: $0.at) : nil }
        if let neighbour = record.neighbour { warn(neighbour, of: plan.item?.id) }
        if record.textLeftOut > 0 {
            warn(
                "not logged: \(record.textLeftOut.counted("line")) of text that is not JSON, after the first MiB",
                of: plan.item?.id)
        }
        files.flush(&world)
        let judgement = Judgement(
            world, isStrict: plan.isStrict, client: record, traceContext: files.traceContext)
        let timeline = files.timeline(of: &world)
        let measured: ExitCode = record.measurements > 0 ? .success : .failure
        let code = try files.close(&world, reason.code ?? judgement.code ?? measured)
        if let stranger = record.stranger { return .refused(stranger) }
        if case .failure(let why) = reason {
            throw Obstacle(.environment, why)
        }
        return .played(
            CaseResult(
                world, judgement, of: plan, measurements: record.measurements, client: record, timeline: timeline,
                code: code))
    }

    /// Warns that time had to follow the machine's.
    private func warnOfCreeps(_ plan: RunPlan) {
        warn(
            "the client computed for too long, and its time passed with the machine's: the results depend on it",
            of: plan.item?.id)
    }

    /// Whether the case's time starts when the client begins: when its host sends HCI Reset, or it uses the service.
    private var startsWithClient: Bool {
        switch (driver, attachment) {
        case (.command, .controllers(let places)): !places.contains(.kernel)
        case (.command, .system): true
        default: false
        }
    }

    private var usesSystem: Bool { if case .system = attachment { true } else { false } }

    private func session(
        _ plan: RunPlan, _ live: LiveWorld, _ loop: EventLoop, _ completion: RunCompletion,
        _ files: LogFiles, _ follower: Follower
    ) async throws -> any ClientSession {
        var controllers: [String] = []
        if case .controllers(let places) = attachment {
            for place in places {
                let controller = try await live.offer(place)
                follower.address("controller \(controller)")
                controllers.append(controller)
            }
        }
        let command: String
        switch driver {
        case .command(let text): command = text
        case .operator(let begin):
            return begin(
                OperatorCase(
                    plan: plan, live: live, radio: radio, completion: completion,
                    open: { try await open(live, loop, PairingOperator(passkey: nil, on: loop)) },
                    report: follower.line))
        }
        var socket: ClientOutputSocket?
        if let lineSocket {
            let listener = ClientOutputSocket(plan.patterns, on: loop)
            let address = try await listener.open(at: lineSocket)
            follower.address("said \(address)")
            socket = listener
        }
        if case .radios = attachment {
            let passkey = plan.scenario.devices.compactMap { $0.security?.passkey }.first
            try await open(live, loop, PairingOperator(passkey: passkey, on: loop))
        }
        var system: PlayedSystem.Running?
        let programs = ProgramHistories()
        if case .system(let played) = attachment {
            system = try await played.open(live, on: loop) { [weak live] in
                live?.assumeIsolated { live in if !live.isPlaying { live.start() } }
            } take: { [weak live] note in
                live?.assumeIsolated { live in programs.take(note, at: live.visit { world, _ in world.now }) }
            }
        }
        var addresses: [DeviceAddress] = []
        for device in plan.scenario.devices.indices { addresses.append(await live.address(of: device)) }
        var variables = environment(
            of: plan, controller: system?.adapter ?? controllers.first, addresses: addresses,
            outOfBand: await outOfBandData(for: plan.scenario, live))
        if let system {
            variables += system.variables
        } else if let bonds = await bonds(with: live) {
            variables.append(("LUBDUB_BONDS", bonds))
        }
        let process: ClientProcess
        do { process = try ClientProcess(command, variables, following: loop.followers as? ClientTime) } catch {
            await system?.close()
            throw error
        }
        if case .controllers([.kernel]) = attachment { await live.start() }
        return ProcessSession(
            process, live, socket, system.map { ($0, programs) }, completion, plan.patterns, report: follower.line
        ) { lines, octets in
            follower.errors(lines)
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
        _ world: World, _ files: LogFiles, _ plan: RunPlan, _ loop: EventLoop, _ signals: Signals,
        start: @escaping @Sendable (LiveWorld, EventLoop, RunCompletion) async throws -> any ClientSession
    ) throws(Obstacle) -> (World, ClientRecord, RunCompletion.Reason) {
        var (world, terms) = (world, Judge.Terms.clientUnderTest)
        (terms.radio, terms.asksOperator, terms.shown) = (radio, asksOperator, plan.shown)
        world.judgeExpectations(on: terms)
        return try orFail {
            try loop.run { [world, startsWithClient] in
                let completion = RunCompletion()
                let live = LiveWorld(world, on: loop, completion, isQuiet: true) { world in
                    files.flush(&world)
                    return !files.readerIsGone
                }
                await live.playCase(startsAtReset: startsWithClient)
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
    of plan: RunPlan, controller: String?, addresses: [DeviceAddress], outOfBand: [UInt8]? = nil
) -> [(name: String, value: String)] {
    let devices = plan.scenario.devices
    let peers = zip(devices, addresses).map { device, address in
        "{\"id\": \(device.id.quoted), \"address\": \(address.description.quoted), \"name\": \(device.name.quoted)}"
    }
    let target = plan.scenario.target ?? 0
    let name = devices.indices.contains(target) ? devices[target].name : ""
    let passkey = devices.indices.contains(target) ? devices[target].security?.passkey : nil
    let digits = passkey.map { String(String(1_000_000 + $0).dropFirst()) }
    return (controller.map { [("LUBDUB_CONTROLLER", $0)] } ?? []) + [
        ("LUBDUB_CASE", plan.caseID), ("LUBDUB_SEED", "\(plan.seed)"),
        ("LUBDUB_PEER", addresses.indices.contains(target) ? "\(addresses[target])" : ""), ("LUBDUB_PEER_NAME", name),
        ("LUBDUB_PEERS", "[\(peers.joined(separator: ", "))]"), ("PYTHONUNBUFFERED", "1"),
    ] + (digits.map { [("LUBDUB_PASSKEY", $0)] } ?? [])
        + (outOfBand.map { [("LUBDUB_OOB", $0.hex.filter { $0 != " " })] } ?? [])
}
