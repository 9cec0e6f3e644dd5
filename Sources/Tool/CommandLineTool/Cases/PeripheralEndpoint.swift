package import Basics
package import Cases
package import Checks
package import CommandSupport
import Conformance
package import Drivers
import Glibc
import Linux
package import ScenarioModel
import Screens
package import Sockets

/// The radio that reaches a real peripheral.
package enum PeripheralEndpoint {
    /// This machine's Bluetooth, or an external controller.
    case radio(RadioChoice)
    /// Virtual controllers at these addresses, one of which the peripheral's host uses.
    case controllers([StreamAddress])
    /// A played Bluetooth service of this machine, which the peripheral's program uses.
    case system(PlayedSystem)

    /// For a program that is started.
    private static let anyController = "tcp:127.0.0.1:0"
    /// For the user to start the peripheral's host.
    private static let hostTimeout = Duration.seconds(60)
    /// Twice the longest advertising interval.  Core 6.0, Vol 6, Part B, section 4.4.2.2.
    static let scanTimeout = Duration.seconds(21)

    /// Reads `--radio` and `--controller`; nil if the peripheral is a scenario's.
    package init?(_ invocation: Invocation) throws(Obstacle) {
        let radio = invocation.text("--radio").flatMap { $0 == "virtual" ? nil : $0 }
        let offered = invocation.texts("--controller")
        let system = try PlayedSystem(invocation)
        let program = invocation.text("--peripheral")
        guard radio != nil || !offered.isEmpty || system != nil || program != nil else { return nil }
        if radio != nil, !offered.isEmpty {
            throw Obstacle(.usage, "--controller needs the virtual radio: remove --controller, or --radio")
        }
        try Self.check(program, system != nil, invocation)
        if let path = invocation.operands.first {
            throw Obstacle(
                .usage,
                "a scenario and a real peripheral cannot be checked together: remove \(path.quoted), or "
                    + (["--radio", "--controller", "--system"].first(where: invocation.has) ?? "--peripheral"))
        }
        for option in ["--set", "--seed", "--events"] where invocation.has(option) {
            throw Obstacle(.usage, "\(option) needs a scenario: remove it to check a real peripheral")
        }
        if let system {
            self = .system(system)
            return
        }
        guard let radio else {
            self = .controllers(
                try (offered.isEmpty ? [Self.anyController] : offered).map { text throws(Obstacle) in
                    if case .stream(let address) = try ControllerPlace(text) { return address }
                    throw Obstacle(
                        .usage, "check cannot offer a controller as vhci: use tcp:HOST:PORT or unix:PATH")
                })
            return
        }
        let choice = try RadioChoice(radio)
        if case .bluez = choice, invocation.has("--trace") {
            throw Obstacle(
                .usage, "--trace cannot record packets with bluez: remove it, and record them with btmon -w FILE")
        }
        try ClientSecurity.check(["--passkey", "--bonds"], invocation, above: choice)
        self = .radio(choice)
    }

    /// Checks the options of a program that has the peripheral.
    private static func check(_ program: String?, _ isSystem: Bool, _ invocation: Invocation) throws(Obstacle) {
        if let program, !program.contains(where: { !$0.isWhitespace }) {
            throw Obstacle(.usage, "--peripheral is empty: give the command line that starts your peripheral")
        }
        if program != nil, invocation.has("--radio"), invocation.text("--radio") != "virtual" {
            throw Obstacle(
                .usage,
                "--peripheral needs a virtual controller, or --system bluez: remove --radio, or start the program yourself"
            )
        }
        guard isSystem, let option = ["--radio", "--controller"].first(where: invocation.has) else { return }
        throw Obstacle(.usage, "--system plays the radio of the program: remove \(option), or --system")
    }

    /// Runs checks on the peripheral that `--peer` names.
    package func test(_ checks: [Check], _ invocation: Invocation) throws(Obstacle) -> ExitCode {
        let (printer, baseline) = (
            try CheckPrinter(invocation), try invocation.text("--baseline").map(Baseline.init(named:))
        )
        let reports = try ReportFiles(invocation)
        let security = try examinerSecurity(invocation)
        let trace = try traceFile(invocation)
        let limit = try orFail { try invocation.duration("--for") }
        let recent = RecentPackets(of: 0)
        let log = PacketLog { chunk in
            trace?.write(chunk)
            recent.take(chunk)
        }
        let program = invocation.text("--peripheral")
        let code = try withHost(log, limit, security, starting: program) { reached throws(Obstacle) in
            let peer = try reached.peripheral(named: invocation.text("--peer"), within: timeout)
            guard let peer else { throw missingPeer(reached.host) }
            let same = ["--peripheral", "--peer", "--passkey", "--bonds"].flatMap { name in
                invocation.text(name).map { [name, $0] } ?? []
            }
            var test = RealPeripheralTest(
                checks: checks, peer: peer, isStrict: invocation.has("--strict"), printer: printer,
                baseline: baseline, reports: reports, radio: radio, options: options + same,
                timeout: timeout, limit: limit, lastErrors: { reached.lastErrors })
            return try test.run(reached.host, recent)
        }
        try orFail(.environment) { try trace?.close() }
        return code
    }

    /// Visits the peripheral that `--peer` names, and passes on all packets.
    ///
    /// `isEnough` is asked once a second whether to end before `duration` is over.
    package func visit(
        _ invocation: Invocation, for duration: Duration, packets: PacketLog, until isEnough: () -> Bool
    ) throws(Obstacle) -> ExitCode {
        let security = try examinerSecurity(invocation)
        defer { Console.show(last: nil) }
        return try withHost(packets, nil, security) { reached throws(Obstacle) in
            let host = reached.host
            guard let name = invocation.text("--peer") else { throw missingPeer(host) }
            let visit = Visit(to: Peer(name), for: duration) { stage in
                showProgress(of: host.time, for: stage == .searching ? timeout : duration, stage.words(name))
            }
            do throws(CheckExit) { try visit.run(by: host, until: isEnough) } catch {
                if let code = host.time.reason?.code { return code }
                throw Obstacle(.environment, host.trouble ?? error.description)
            }
            if case .failure(let reason)? = host.time.reason { throw Obstacle(.environment, reason) }
            return .success
        }
    }

    private func traceFile(_ invocation: Invocation) throws(Obstacle) -> TraceFile? {
        guard let path = invocation.text("--trace") else { return nil }
        if path == "-" { throw Obstacle(.usage, "--trace must be a file, not standard output") }
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let epoch = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
        return try orFail(.environment) { try TraceFile(path, epoch: epoch) }
    }

    /// Calls `body` with a host that pairs, on the thread of a loop, whose time is over after `limit`; a program is started before.
    private func withHost(
        _ log: PacketLog, _ limit: Duration?, _ security: ExaminerSecurity, starting command: String? = nil,
        _ body: (ReachedPeripheral) throws(Obstacle) -> ExitCode
    ) throws(Obstacle) -> ExitCode {
        try BondFile.finishing(security.file) { () throws(Obstacle) in
            try playing(log, limit, security, command, body)
        }
    }

    private func playing(
        _ log: PacketLog, _ limit: Duration?, _ security: ExaminerSecurity, _ command: String?,
        _ body: (ReachedPeripheral) throws(Obstacle) -> ExitCode
    ) throws(Obstacle) -> ExitCode {
        let signals = Signals()
        let loop = EventLoop(pace: .real())
        if let failure = loop.failure { throw Obstacle(.environment, "\(failure)") }
        return try loop.withCurrentThread { () throws(Obstacle) -> ExitCode in
            let time = RealTime(loop, signals, limit: limit)
            guard var reached = try open(time, log, isForProgram: command != nil) else {
                guard let limit, time.isUp else { return time.reason?.code ?? .success }
                throw Obstacle(.environment, "the radio was not ready within \(limit.formatted) (--for)")
            }
            defer { reached.close() }
            reached.host.security = security
            if let command { try reached.start(command) }
            return try body(reached)
        }
    }

    private func open(
        _ time: RealTime, _ log: PacketLog, isForProgram: Bool
    ) throws(Obstacle) -> ReachedPeripheral? {
        switch self {
        case .radio(.controller(let address)):
            return ReachedPeripheral(
                RealTimeHost(try HCICentralHost(above: address, on: time.loop, log: log), time))
        case .radio(.bluez(let adapter)): return try RealTimeHost.bluez(adapter, time).map { ReachedPeripheral($0) }
        case .controllers(let addresses):
            let central = try LiveWorldCentralHost(offering: addresses, on: time.loop, log: log)
            if !isForProgram { for address in central.offered { Console.print("controller \(address)") } }
            var reached = ReachedPeripheral(RealTimeHost(central, time))
            reached.variables = central.offered.first.map { [("LUBDUB_CONTROLLER", "\($0)")] } ?? []
            return reached
        case .system(let system):
            let central = try LiveWorldCentralHost(offering: [], on: time.loop, log: log)
            let opening = time.run(within: Self.systemTimeout) {
                [air = central.air] () -> Result<PlayedSystem.Running, Obstacle> in
                do throws(Obstacle) { return .success(try await system.open(air, on: air.loop)) } catch {
                    return .failure(error)
                }
            }
            guard let running = try opening?.get() else { return nil }
            if !isForProgram {
                Console.print("system export DBUS_SYSTEM_BUS_ADDRESS=\(running.busAddress.forShell)")
            }
            var reached = ReachedPeripheral(RealTimeHost(central, time))
            (reached.system, reached.variables) = ((running, running.address), running.variables)
            return reached
        }
    }

    /// How long a bus may take to accept the played service.
    private static let systemTimeout = Duration.seconds(15)

    private var timeout: Duration {
        if case .radio = self { Self.scanTimeout } else { Self.hostTimeout }
    }

    /// For reports.
    private var radio: String {
        switch self {
        case .radio(let radio): "\(radio)"
        case .controllers: "virtual"
        case .system: "virtual, with a played bluetoothd"
        }
    }

    /// The options of a command line that reaches the peripheral again.
    private var options: [String] {
        switch self {
        case .radio(.controller(let address)): ["--radio", address.radio]
        case .radio(let bluez): ["--radio", "\(bluez)"]
        case .controllers(let addresses):
            addresses.filter { "\($0)" != Self.anyController }.flatMap { ["--controller", "\($0)"] }
        case .system(let system): ["--system", system.text]
        }
    }

    private func missingPeer(_ host: RealTimeHost) -> Obstacle {
        let found = PeripheralScan(for: nil, by: host, within: .seconds(5)).others
        if let trouble = host.trouble { return Obstacle(.environment, trouble) }
        return Obstacle(
            .usage,
            "no peripheral given: name it with --peer. Found within 5 s: \(found.isEmpty ? "none" : found.joined(separator: ", "))"
        )
    }
}

extension Visit.Stage {
    fileprivate func words(_ peer: String) -> String {
        switch self {
        case .searching: "looking for \(peer.quoted)"
        case .discovering: "connecting to \(peer.quoted)"
        case .reading: "reading values"
        case .receiving(let values): "receiving \(values.counted("value"))"
        }
    }
}

/// Shows on a terminal what is happening, and for how long.
private func showProgress(of time: RealTime, for duration: Duration, _ activity: String) {
    guard isatty(STDERR_FILENO) == 1, Paint.canErase else { return }
    let begin = time.now
    let show = {
        Console.show(
            last: "\(activity), \(begin.duration(to: time.now).components.seconds) of \(duration.components.seconds) s")
    }
    show()
    time.tick = show
}

/// The bonds and the passkey of `--bonds` and `--passkey`; without a passkey, the user is asked on the terminal.
private func examinerSecurity(_ invocation: Invocation) throws(Obstacle) -> ExaminerSecurity {
    ExaminerSecurity(
        passkey: try ClientSecurity.passkey(invocation), bonds: try ClientSecurity.bonds(invocation),
        of: invocation.text("--peer") ?? ""
    ) { loop, peer, answer in
        guard let prompt = PasskeyPrompt(on: loop) else { return nil }
        prompt.assumeIsolated { $0.ask(about: peer, answer) }
        return { prompt.assumeIsolated { $0.cancel() } }
    }
}
