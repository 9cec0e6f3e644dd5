import Arguments
import Bluetooth
import Conformance
import Expectations
import Glibc
import Scenarios
import Simulation
import Sockets
import Spelling
import VirtualWorld

/// A client under test: a command line that is started for each case, or a person with an app.
struct OutsideClient: Sendable {
    private enum Who: Sendable {
        case command(String)
        case person(AnswerDesk)
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
            who = .person(AnswerDesk(terminal: isTerminal ? Terminal(on: STDERR_FILENO) : nil))
        } else {
            return nil
        }
        if let radios = try DeviceRadios(invocation) {
            door = .radios(radios)
        } else {
            do throws(StreamAddress.Unreadable) {
                door = .controller(try ControllerPlace(invocation.text("--controller") ?? "tcp:127.0.0.1:0"))
            } catch { throw CommandFailure(.usage, "lubdub: --controller: \(error), or vhci") }
        }
        guard let text = invocation.text("--said") else {
            said = nil
            return
        }
        do throws(StreamAddress.Unreadable) { said = try StreamAddress(text) } catch {
            throw CommandFailure(.usage, "lubdub: --said: \(error)")
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
        var unplayed = scenario.unplayable(on: radio)
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
        _ played: Played, _ narrator: Narrator?, source: [UInt8], _ signals: Signals, tellsPlace: Bool,
        isSilent: Bool, _ tell: @escaping @Sendable (Instant, ClientLine) -> Void
    ) throws(CommandFailure) -> Course {
        let reasons = unsupportedReason(played.scenario)
        guard reasons.isEmpty else {
            return Course(unplayed: Outcome(.skip, title: played.scenario.name, reasons: reasons))
        }
        var played = played
        played.hear(by: radio)
        var started = try played.world()
        let files = try LogFiles(played, &started, narrator, source: source, isCase: true)
        var (world, record, reason) = try live(started, files, played, signals) { [played] live, loop, ending throws in
            try await examinee(
                played, live, loop, ending, tellsPlace: tellsPlace, isSilent: isSilent, tell)
        }
        // The kernel plays whether or not the client could be started.
        if !startsAtReset, [126, 127].contains(record.exit?.status) { record.hasPlayed = false }
        complain(ofRunaways: world, of: played.item?.id)
        world.endJudging()
        if record.textLeftOut > 0 {
            let who = played.item.map { "\($0.id): " } ?? ""
            Console.complain("lubdub: \(who)\(record.textLeftOut) lines that are no JSON are not in the log")
        }
        files.flush(&world)
        let judgement = Judgement(world, isStrict: played.isStrict, client: record, recollection: files.recollection)
        let chronicle = files.chronicle(of: &world)
        let measured: ExitCode = record.measurements > 0 ? .success : .failure
        let code = try files.close(&world, reason.code ?? judgement.code ?? measured)
        if case .failure(let why) = reason {
            throw CommandFailure(.environment, why.hasPrefix("lubdub: ") ? why : "lubdub: \(why)")
        }
        return Course(
            world, judgement, of: played, measurements: record.measurements, client: record, chronicle: chronicle,
            code: code)
    }

    /// Whether the case's time begins when a host outside says HCI Reset.
    private var startsAtReset: Bool {
        if case (.command, .controller(.stream)) = (who, door) { true } else { false }
    }

    /// Opens the door, and lets the client come.
    private func examinee(
        _ played: Played, _ live: LiveWorld, _ loop: EventLoop, _ ending: Ending, tellsPlace: Bool, isSilent: Bool,
        _ tell: @escaping @Sendable (Instant, ClientLine) -> Void
    ) async throws -> any Examinee {
        var controller: String?
        if case .controller(let place) = door {
            controller = try await live.offer(place)
            if tellsPlace, let controller { Console.print("controller \(controller)") }
        }
        let command: String
        switch who {
        case .command(let text): command = text
        case .person(let desk):
            return PersonCase(
                played, live, on: radio, desk, ending,
                open: { try await open(live, loop, Person(passkey: nil, at: nil, on: loop)) },
                tell: tell)
        }
        var socket: SaidSocket?
        if let said {
            let listener = SaidSocket(on: loop)
            let place = try await listener.open(at: said)
            if tellsPlace { Console.print("said \(place)") }
            socket = listener
        }
        if case .radios = door {
            let passkey = played.scenario.devices.compactMap { $0.security?.passkey }.first
            try await open(live, loop, Person(passkey: passkey, at: nil, on: loop))
        }
        var addresses: [DeviceAddress] = []
        for device in played.scenario.devices.indices { addresses.append(await live.address(of: device)) }
        let process = try ClientProcess(
            command, environment(of: played, controller: controller, addresses: addresses), isSilent: isSilent)
        if case .controller(.kernel) = door { await live.start() }
        return ClientCase(process, live, socket, ending, tell: tell)
    }

    /// Switches the devices on; returns when their time is counted.
    private func open(_ live: LiveWorld, _ loop: EventLoop, _ person: Person) async throws {
        guard case .radios(let radios) = door else { return await live.start() }
        try await radios.start(live, person)
        let limit = loop.now.advanced(by: ClientCase.patience)
        while !(await live.isPlaying) {
            if let why = await live.failure { throw CommandFailure(.environment, "lubdub: \(why)") }
            guard loop.now < limit else {
                throw CommandFailure(
                    .environment, "lubdub: the radio was not ready within \(ClientCase.patience.components.seconds) s")
            }
            try await loop.sleep(until: loop.now.advanced(by: .milliseconds(5)))
        }
    }

    /// Lets a world live until the client that `start` lets come is done with it.
    private func live(
        _ world: World, _ files: LogFiles, _ played: Played, _ signals: Signals,
        start: @escaping @Sendable (LiveWorld, EventLoop, Ending) async throws -> any Examinee
    ) throws(CommandFailure) -> (World, ClientRecord, Ending.Reason) {
        let terms = Judge.Terms(grace: CaseClock.grace, radio: radio, asksOperator: asksPerson)
        let loop = EventLoop(pace: .real())
        do {
            return try loop.run { [world, startsAtReset] in
                let ending = Ending()
                let live = LiveWorld(world, files, on: loop, ending, .quiet, limits: { _ in nil })
                await live.judge(on: terms, startsAtReset: startsAtReset)
                let examinee: any Examinee
                do { examinee = try await start(live, loop, ending) } catch {
                    _ = await live.close(signals)
                    throw error
                }
                await examinee.start()
                let reason = await ending.wait(signals, on: loop, for: nil)
                await live.stop()
                let record = await examinee.end(signals)
                return (await live.close(signals), record, reason)
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch let failure as SocketFailure {
            throw CommandFailure(.environment, "lubdub: \(failure)")
        } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
    }
}
