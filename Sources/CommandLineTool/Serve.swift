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

private let servingRadioOption = Arguments.Grammar.Option.option(
    "--radio", "RADIO", repeatable: true,
    "virtual (default); bluez[:hci0[,hci1]] for this machine's Bluetooth; or a controller outside for each device:\nhci:tcp:HOST:PORT or hci:unix:PATH"
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
            controllerOption, servingRadioOption, controlOption,
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
    let radios = try radios(for: played, invocation)
    let adapters = try adapters(for: played, invocation)
    var control: StreamAddress?
    if let text = invocation.text("--control") { control = try controlAddress(text, named: "--control") }
    let doors = Doors(offered: addresses, radios: radios, adapters: adapters, control: control)
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
        try Played(empty: invocation), Doors(offered: addresses, radios: [], adapters: nil, control: nil), 1, invocation
    )
}

/// How a world and those outside meet: by controllers of the world, or by controllers that are not.
private struct Doors: Sendable {
    let offered: [ControllerPlace]
    let radios: [StreamAddress]
    let adapters: [String?]?
    let control: StreamAddress?

    /// How the devices reach a client.
    var radio: RadioKind { adapters != nil ? .bluetoothd : radios.isEmpty ? .virtual : .controllers }

    /// What cannot be played of an action that somebody outside asks for.
    var limits: LiveWorld.Limits {
        { [radio] action in
            if let why = radio.whyNot(action) { return ("do", why) }
            guard radio == .bluetoothd, let key = action.keyUnplayedByBluetoothd else { return nil }
            return (key, "bluetoothd has that to itself, so it cannot be played")
        }
    }
}

/// The adapters that bluetoothd is to use, one for each device; nil unless `--radio bluez` is there.
private func adapters(for played: Played, _ invocation: Invocation) throws(CommandFailure) -> [String?]? {
    guard let text = invocation.texts("--radio").first(where: isBlueZ) else { return nil }
    guard invocation.texts("--radio").count == 1 else {
        throw CommandFailure(
            .usage, "lubdub: --radio \(text) has to be the only one; several adapters are bluez:hci0,hci1")
    }
    for option in ["--controller", "--speed"] where invocation.has(option) {
        throw CommandFailure(.usage, "lubdub: \(option) is for the virtual radio only: leave it out, or --radio")
    }
    let named = text.dropFirst("bluez".count).dropFirst().split(separator: ",", omittingEmptySubsequences: false)
    let count = played.scenario.devices.count
    guard text != "bluez" || count > 1 else { return [nil] }
    guard named.count == count, Set(named).count == count, named.allSatisfy(isAdapter) else {
        let example = (0..<count).map { "hci\($0)" }.joined(separator: ",")
        throw CommandFailure(
            .usage,
            "lubdub: \(played.path) has \(count) device\(count == 1 ? "" : "s"), each with an adapter of its own: "
                + "--radio bluez:\(example)")
    }
    return named.map(String.init)
}

/// The controllers outside that the devices use, one each; none on the virtual radio.
private func radios(for played: Played, _ invocation: Invocation) throws(CommandFailure) -> [StreamAddress] {
    let texts = invocation.texts("--radio").filter { $0 != "virtual" && !isBlueZ($0) }
    guard !texts.isEmpty else { return [] }
    var addresses: [StreamAddress] = []
    for text in texts { addresses.append(try controllerAddress(of: text)) }
    let count = played.scenario.devices.count
    guard addresses.count == count else {
        throw CommandFailure(
            .usage,
            "lubdub: \(played.path) has \(count) devices, and each needs a --radio: there are \(addresses.count)")
    }
    for option in ["--controller", "--speed"] where invocation.has(option) {
        throw CommandFailure(.usage, "lubdub: \(option) is for the virtual radio only: leave it out, or --radio")
    }
    return addresses
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
            if let adapters = doors.adapters {
                try await live.start(onBlueZ: adapters, person)
            } else if doors.radios.isEmpty {
                try await listen(live, doors.offered, verbosity)
                await live.start()
            } else {
                do { try await live.start(above: doors.radios) } catch {
                    throw CommandFailure(.environment, "lubdub: \(error)")
                }
            }
            let keyboard = terminal.map { KeyboardSession($0, live, person, on: loop, speed: factor, ending, paint) }
            await keyboard?.start()
            let reason = await ending.wait(signals, on: loop, for: limit)
            await keyboard?.stop()
            await control.close()
            return (await live.close(signals), reason)
        }
        var world = ended
        let runaway = complain(ofRunaways: world)
        if case .failure(let why) = reason { Console.complain("lubdub: \(why)") }
        return try files.close(&world, reason.code ?? runaway ?? .success)
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
