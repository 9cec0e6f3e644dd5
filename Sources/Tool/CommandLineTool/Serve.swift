import Basics
import Cases
import CommandSupport
import Drivers
import Glibc
import Linux
import ScenarioLanguage
import ScenarioModel
import Screens
import Sockets
import VirtualWorld

private let controllerOption = CommandGrammar.Option.option(
    "--controller", "ADDRESS", of: .address, repeatable: true,
    "Offer a virtual controller to a host here (default: tcp:127.0.0.1:6402, or the next free port); see\n"
        + "\"lubdub help radios\"")

private let controlOption = CommandGrammar.Option.option(
    "--control", "unix:PATH", of: .address,
    "Accept actions and queries on a socket, from programs of this user: see lubdub control --help")

private let pageOptions: [CommandGrammar.Option] = [
    .option(
        "--page", "HOST:PORT",
        "Serve a page for a browser of this machine, for example at 127.0.0.1:8080; a port of 0 is any free one.\n"
            + "Whoever opens the printed address can do what the page's buttons do"),
    .flag("--page-for-network", "Allow --page at an address that other machines reach, without encryption"),
]

private let outputOptions: [CommandGrammar.Option] = [
    .flag("--quiet", "Do not log connections and disconnections"),
    .flag("--verbose", "Print every event and packet, on standard error"),
]

let serveGrammar = CommandGrammar(
    "serve", "Act as a scenario's devices; on a terminal, keys change their behaviour",
    operands: [.required("SCENARIO", of: .scenario, "A scenario file, or the name of an installed scenario")],
    groups: [
        .init(
            "What to serve",
            scenarioOptions(until: "no limit") + [
                Speed.option(
                    "1",
                    ".\nWith max, serve stops at the scenario's \"limit\", "
                        + "and external hosts cannot connect"),
                .option(
                    "--bonds", "FILE", of: .file(.updated),
                    "Keep the devices' bonds, and the subscriptions of bonded clients, in this file, which only you can\n"
                        + "read; it is created if missing"),
            ]),
        .init("Radio and controller", [DeviceRadios.option("Radio"), controllerOption] + PlayedSystem.options()),
        .init("Actions while it runs", [controlOption] + pageOptions),
        .init("Output", recordingOptions() + outputOptions + [colorOption]),
    ],
    lists: [.init("Keys on a terminal", KeyBinding.all.map { ($0.keys, $0.text) })])

let controllerGrammar = CommandGrammar(
    "controller", "Offer virtual controllers to external hosts; all share one virtual radio",
    groups: [
        .init(
            "Controllers",
            [
                .option(
                    "--listen", "ADDRESS", of: .address, repeatable: true, required: true,
                    "Address of a controller: tcp:HOST:PORT, unix:PATH or vhci; see \"lubdub help radios\""),
                .option("--seed", "N|random", "Seed of the random numbers"),
                .option("--for", "DURATION", "Stop after this long (default: no limit)"),
            ]),
        .init("Programs of BlueZ", PlayedSystem.options()),
        .init(
            "Output",
            [.option("--trace", "FILE", of: .file(.written), "Write every HCI packet as btsnoop"), colorOption]
                + outputOptions),
    ])

func serve(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let path = invocation.operands.first ?? ""
    var plan = try RunPlan(path, invocation)
    let addresses = try invocation.texts("--controller").map(ControllerPlace.init)
    let radios = try DeviceRadios(invocation)
    if let radios, let why = radios.unsupportedReason(plan.scenario.devices.count, isExact: true) {
        throw Obstacle(.usage, "\(plan.path) has \(why)")
    }
    var control: StreamAddress?
    if let text = invocation.text("--control") { control = try controlAddress(text, named: "--control") }
    var page: PageAddress?
    if let text = invocation.text("--page") {
        page = try PageAddress(text, isForNetwork: invocation.has("--page-for-network"))
    } else if invocation.has("--page-for-network") {
        throw Obstacle(.usage, "--page-for-network needs --page, for example --page 0.0.0.0:8080")
    }
    let system = try PlayedSystem(invocation)
    if radios != nil, system != nil {
        throw Obstacle(.usage, "--system cannot be combined with --radio: its programs use the virtual radio")
    }
    let endpoints = ServeEndpoints(
        offered: addresses, radios: radios, system: system, control: control, page: page)
    if invocation.has("--bonds"), endpoints.radio == .bluetoothd {
        throw Obstacle(.usage, "--bonds cannot be combined with --radio bluez: bluetoothd keeps bonds")
    }
    plan.warnOfLimits(of: endpoints.radio)
    switch plan.speed ?? .real(1) {
    case .real(let factor):
        let terminal = isatty(STDIN_FILENO) == 1 ? TerminalDevice(on: STDERR_FILENO) : nil
        plan.allowsManualActions = terminal != nil || control != nil || page != nil
        return try offer(plan, endpoints, factor, invocation, terminal)
    case .max:
        for (isGiven, name, user) in [
            (!addresses.isEmpty, "--controller", "external hosts need"),
            (system != nil, "--system", "programs need"), (control != nil, "--control", "control clients need"),
            (page != nil, "--page", "the page needs"),
        ] where isGiven {
            throw Obstacle(.usage, "--speed max cannot be combined with \(name): \(user) real time")
        }
        return try playAlone(plan, invocation)
    }
}

func controller(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let addresses = try invocation.texts("--listen").map(ControllerPlace.init)
    guard !addresses.isEmpty else {
        throw Obstacle(.usage, "controller requires --listen, for example --listen tcp:127.0.0.1:6402")
    }
    return try offer(
        try RunPlan(empty: invocation),
        ServeEndpoints(offered: addresses, radios: nil, system: try PlayedSystem(invocation)), 1, invocation)
}

/// Where external hosts, radios, control clients and browsers reach a world.
private struct ServeEndpoints: Sendable {
    let offered: [ControllerPlace]
    let radios: DeviceRadios?
    let system: PlayedSystem?
    var control: StreamAddress?
    var page: PageAddress?

    var radio: RadioKind { radios?.kind ?? (system == nil ? .virtual : .system) }
}

/// A world without a client, its logs, and what a page is told.
private func prepare(
    _ plan: RunPlan, on radio: RadioKind = .virtual, _ invocation: Invocation, inRealTime: Bool, hasPage: Bool = false
) throws(Obstacle) -> (World, LogFiles, Verbosity, PageFeed?) {
    let verbosity = try Verbosity(invocation)
    let narrator = Narrator(verbosity, try Paint(invocation, for: 2), say: Console.complain)
    var world = try plan.world()
    world.hasSystemSecrets = inRealTime && invocation.text("--seed") == "random"
    world.placeDevices(on: radio)
    let feed = hasPage ? PageFeed(world.wording) : nil
    let files = try LogFiles(
        plan, &world, for: RunListener(narrator), source: contents(of: plan.path) ?? [], inRealTime: inRealTime,
        observer: feed?.take)
    return (world, files, verbosity, feed)
}

/// Plays the devices in virtual time, to the scenario's limit.
private func playAlone(_ plan: RunPlan, _ invocation: Invocation) throws(Obstacle) -> ExitCode {
    var (world, files, _, _) = try prepare(plan, invocation, inRealTime: false)
    let limit = Instant.start.advanced(by: plan.scenario.limit)
    var pacer = Pacer(.virtual(Signals(), until: limit, nil), files)
    world.start()
    while pacer.wait(until: world.nextDue ?? .never, &world), world.runNext(until: limit) { files.inform(&world) }
    if pacer.reason == nil { world.run(until: limit) }
    let runaway = warn(ofRunaways: world)
    let code = try files.close(&world, pacer.reason?.code ?? runaway ?? .success)
    Console.print("Played \(world.now.sinceStart) of virtual time")
    return code
}

/// The world with the bonds in a file, and what keeps them.
private func keeping(_ bonds: BondFile?, of prepared: World) -> (World, BondKeeper?) {
    guard let bonds else { return (prepared, nil) }
    var world = prepared
    let keeper = BondKeeper(bonds, &world)
    return (world, keeper)
}

/// Plays a world in real time until a signal arrives or the limit passes.
private func offer(
    _ plan: RunPlan, _ endpoints: ServeEndpoints, _ factor: Double, _ invocation: Invocation,
    _ terminal: TerminalDevice? = nil
) throws(Obstacle) -> ExitCode {
    let paint = try terminal.flatMap { _ throws(Obstacle) in try statusPaint(plan, invocation) }
    defer { terminal?.giveBack() }
    let bonds = try ClientSecurity.bonds(invocation)
    return try BondFile.finishing(bonds) { () throws(Obstacle) in
        try offer(plan, endpoints, factor, invocation, terminal, paint, bonds)
    }
}

private func offer(
    _ plan: RunPlan, _ endpoints: ServeEndpoints, _ factor: Double, _ invocation: Invocation,
    _ terminal: TerminalDevice?, _ paint: Paint?, _ bonds: BondFile?
) throws(Obstacle) -> ExitCode {
    let (prepared, files, verbosity, feed) = try prepare(
        plan, on: endpoints.radio, invocation, inRealTime: true, hasPage: endpoints.page != nil)
    let (started, keeper) = keeping(bonds, of: prepared)
    let limit = invocation.has("--for") ? plan.scenario.limit : nil
    let signals = Signals()
    let loop = EventLoop(pace: .real(speed: factor))
    Console.queueMessages(on: loop)
    defer { Console.endQueue() }
    return try orFail {
        let (ended, reason) = try loop.run {
            let completion = RunCompletion()
            let passkey = plan.scenario.devices.compactMap { $0.security?.passkey }.first
            let pairingOperator = PairingOperator(passkey: passkey, on: loop) {
                terminal?.isOurs ?? false  // a background process must not read
            }
            let live = LiveWorld(started, on: loop, completion, isQuiet: verbosity == .quiet) { world in
                files.flush(&world)
                keeper?.save(world)
                return !files.readerIsGone
            }
            let desk = ControlDesk(plan.scenario, live)
            let control = ControlSocket(desk, on: loop)
            if let address = endpoints.control { try await open(control, at: address) }
            let page = feed.map { PageSession(plan.scenario, live, desk, $0, on: loop) }
            if let address = endpoints.page { try await open(page, at: address) }
            var system: PlayedSystem.Running?
            if let radios = endpoints.radios {
                try await radios.start(live, answerPairing: pairingOperator.handler)
            } else {
                try await listen(live, endpoints, verbosity)
                // It meets what the script does at the start, too.
                system = try await open(endpoints.system, for: live, on: loop)
                await live.start()
            }
            let keyboard = terminal.map {
                KeyboardSession($0, live, pairingOperator, on: loop, speed: factor, completion, paint)
            }
            await keyboard?.start()
            var reason = await completion.wait(signals, on: loop, for: limit)
            if case .time = reason, let why = await live.silence { reason = .failure(why) }
            await keyboard?.stop()
            await control.close()
            await page?.close()
            await system?.close()
            return (await live.close(signals), reason)
        }
        var world = ended
        keeper?.save(world)
        if case .failure(let why) = reason { Console.warn("\(why)") }
        let code = reason.code ?? (world.runaways.isEmpty ? .success : .usage)
        return try files.close(&world, bonds?.finish() == false ? .environment : code)
    }
}

private func open(_ control: ControlSocket, at address: StreamAddress) async throws {
    try await control.open(at: address)
    Console.print("control \(address)")
}

private func open(_ page: PageSession?, at address: PageAddress) async throws {
    if let page { Console.print("page \(try await page.open(at: address))") }
}

/// Plays a system's Bluetooth service, and prints the variables for its programs.
private func open(
    _ system: PlayedSystem?, for live: LiveWorld, on loop: EventLoop
) async throws -> PlayedSystem.Running? {
    guard let system else { return nil }
    let running = try await system.open(live, on: loop)
    let variables = running.variables.map { "\($0.name)=\($0.value.forShell)" }
    Console.print("system export \(variables.joined(separator: " "))")
    return running
}

private func listen(_ live: LiveWorld, _ endpoints: ServeEndpoints, _ verbosity: Verbosity) async throws {
    for place in endpoints.offered { Console.print("controller \(try await live.offer(place))") }
    guard endpoints.offered.isEmpty, endpoints.system == nil else { return }
    let address = try await listenAtCustomaryPort { try await live.offer(.stream($0)) }
    Console.print("controller \(address)")
    if verbosity > .quiet {
        Console.complain("To connect from a second terminal: lubdub monitor --radio \("hci:\(address)".forShell)")
    }
}
