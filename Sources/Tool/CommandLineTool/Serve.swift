import Arguments
import Glibc
import Scenarios
import Simulation
import Sockets
import VirtualWorld

private let controllerOption = Arguments.Grammar.Option.option(
    "--controller", "ADDRESS", repeatable: true,
    "offer a virtual controller to hosts outside: tcp:HOST:PORT, unix:PATH, or vhci, an interface of this machine's\n"
        + "kernel, which only root can make (default tcp:127.0.0.1:6402, or the next free)"
)

private let controlOption = Arguments.Grammar.Option.option(
    "--control", "unix:PATH", "let programs of the same user say what happens now: see lubdub control --help")

private let manners: [Arguments.Grammar.Option] = [
    .flag("--quiet", "do not say who comes and goes"),
    .flag("--verbose", "say, on standard error, everything that happens and every packet"),
]

let serveGrammar = Arguments.Grammar(
    "serve", "be the scenario's devices", operands: [.required("SCENARIO", "a scenario file")],
    options: scenarioOptions
        + [
            controllerOption, DeviceRadios.option, controlOption,
            Speed.option("1; max opens no port, and plays to the end"),
        ] + manners)

let controllerGrammar = Arguments.Grammar(
    "controller", "virtual controllers for hosts outside, all in one air",
    options: [
        .option("--listen", "ADDRESS", repeatable: true, "tcp:HOST:PORT, unix:PATH or vhci"),
        .option("--seed", "N|random", "what chance comes from"), .option("--for", "DURATION", "stop after so long"),
        .option("--trace", "FILE", "write every HCI packet as btsnoop"), colorOption,
    ] + manners)

func serve(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let path = invocation.operands.first ?? ""
    var played = try Played(path, invocation)
    let addresses = try read(invocation.texts("--controller"))
    let radios = try DeviceRadios(invocation)
    if let radios, let why = radios.unsupportedReason(played.scenario.devices.count, isExact: true) {
        throw CommandFailure(.usage, "lubdub: \(played.path) has \(why)")
    }
    var control: StreamAddress?
    if let text = invocation.text("--control") { control = try controlAddress(text, named: "--control") }
    let doors = Doors(offered: addresses, radios: radios, control: control)
    played.limit(to: doors.radio)
    switch played.speed ?? .real(1) {
    case .real(let factor):
        let terminal = isatty(STDIN_FILENO) == 1 ? Terminal(on: STDERR_FILENO) : nil
        played.isAtHand = terminal != nil || control != nil
        return try offer(played, doors, factor, invocation, terminal)
    case .max:
        guard addresses.isEmpty else {
            throw CommandFailure(
                .usage, "lubdub: --speed max opens no port, since nobody outside is so fast: leave out --controller")
        }
        guard control == nil else {
            throw CommandFailure(
                .usage, "lubdub: --speed max is over before anybody can say anything: leave out --control")
        }
        return try playAlone(played, invocation)
    }
}

func controller(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let addresses = try read(invocation.texts("--listen"))
    guard !addresses.isEmpty else {
        throw CommandFailure(.usage, "lubdub: controller needs --listen, as in --listen tcp:127.0.0.1:6402")
    }
    return try offer(
        try Played(empty: invocation), Doors(offered: addresses, radios: nil, control: nil), 1, invocation
    )
}

/// How a world and those outside meet: by controllers of the world, or by controllers that are not.
private struct Doors: Sendable {
    let offered: [ControllerPlace]
    let radios: DeviceRadios?
    let control: StreamAddress?

    /// How the devices reach a client.
    var radio: RadioKind { radios?.kind ?? .virtual }

    /// What cannot be played of an action that somebody outside asks for.
    var limits: LiveWorld.Limits {
        { [radio] action in
            if let why = radio.unsupportedReason(for: action) { return ("do", why) }
            guard radio == .bluetoothd, let key = action.keyUnplayedByBluetoothd else { return nil }
            return (key, "bluetoothd has that to itself, so it cannot be played")
        }
    }
}

func read(_ texts: [String]) throws(CommandFailure) -> [ControllerPlace] {
    var places: [ControllerPlace] = []
    for text in texts {
        do throws(StreamAddress.Unreadable) { places.append(try ControllerPlace(text)) } catch {
            throw CommandFailure(.usage, "lubdub: \(error), or vhci")
        }
    }
    return places
}

/// The port that rootcanal made customary, and those behind it that are tried when it is in use.
let customaryPorts = 6402...6411

/// A world to be played without a client, with all that is to be kept of it.
private func prepare(
    _ played: Played, _ invocation: Invocation
) throws(CommandFailure) -> (World, LogFiles, Verbosity) {
    let verbosity = try Verbosity(invocation)
    let narrator = Narrator(verbosity, try Paint(invocation, for: 2), say: Console.complain)
    var world = try played.world()
    let files = try LogFiles(played, &world, narrator, source: contents(of: played.path) ?? [])
    return (world, files, verbosity)
}

/// Plays the devices in virtual time, to the end of their scenario.
private func playAlone(_ played: Played, _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    var (world, files, _) = try prepare(played, invocation)
    var interruption = Interruption(Signals(), files)
    let limit = Instant.start.advanced(by: played.scenario.limit)
    world.start()
    while !interruption.hasCome(), world.runNext(until: limit) { files.narrate(&world) }
    if interruption.reason == nil { world.run(until: limit) }
    let runaway = complain(ofRunaways: world)
    let code = try files.close(&world, interruption.reason?.code ?? runaway ?? .success)
    Console.print("\(world.now.sinceStart) of virtual time")
    return code
}

/// Plays a world in real time until a signal comes or the limit has passed.
private func offer(
    _ played: Played, _ doors: Doors, _ factor: Double, _ invocation: Invocation, _ terminal: Terminal? = nil
) throws(CommandFailure) -> ExitCode {
    let paint = try terminal.flatMap { _ throws(CommandFailure) in try statusPaint(played, invocation) }
    defer { terminal?.giveBack() }
    let (started, files, verbosity) = try prepare(played, invocation)
    let limit = invocation.has("--for") ? played.scenario.limit : nil
    let signals = Signals()
    let loop = EventLoop(pace: .real(speed: factor))
    do {
        let (ended, reason) = try loop.run {
            let ending = Ending()
            let passkey = played.scenario.devices.compactMap { $0.security?.passkey }.first
            let person = Person(passkey: passkey, at: terminal, on: loop)
            let live = LiveWorld(started, files, on: loop, ending, verbosity, limits: doors.limits)
            let control = ControlSocket(played.scenario, live, on: loop)
            if let address = doors.control { try await open(control, at: address) }
            if let radios = doors.radios {
                try await radios.start(live, person)
            } else {
                try await listen(live, doors.offered, verbosity)
                await live.start()
            }
            let keyboard = terminal.map { KeyboardSession($0, live, person, on: loop, speed: factor, ending, paint) }
            await keyboard?.start()
            let reason = await ending.wait(signals, on: loop, for: limit)
            await keyboard?.stop()
            await control.close()
            return (await live.close(signals), reason)
        }
        var world = ended
        if case .failure(let why) = reason { Console.complain("lubdub: \(why)") }
        return try files.close(&world, reason.code ?? (world.runaways.isEmpty ? .success : .usage))
    } catch let failure as CommandFailure {
        throw failure
    } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
}

private func open(_ control: ControlSocket, at address: StreamAddress) async throws {
    do throws(SocketFailure) { try await control.open(at: address) } catch {
        throw CommandFailure(.environment, "lubdub: \(error)")
    }
    Console.print("control \(address)")
}

private func listen(_ live: LiveWorld, _ places: [ControllerPlace], _ verbosity: Verbosity) async throws {
    for place in places {
        do { Console.print("controller \(try await live.offer(place))") } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.environment, "lubdub: \(error)")
        }
    }
    guard places.isEmpty else { return }
    for port in customaryPorts {
        guard let address = try? await live.offer(StreamAddress("tcp:127.0.0.1:\(port)")) else { continue }
        Console.print("controller \(address)")
        guard verbosity > .quiet else { return }
        Console.complain("hear it from a second terminal: lubdub monitor --radio hci:\(address)")
        return
    }
    throw CommandFailure(
        .environment,
        "lubdub: the ports \(customaryPorts.lowerBound) to \(customaryPorts.upperBound) of 127.0.0.1 are in use; "
            + "name another with --controller tcp:127.0.0.1:0")
}
