import Arguments
import Checks
import EventLog
import GATT
import Glibc
import Reporting
import Scenarios
import Simulation
import Sockets
import Spelling
import VirtualWorld

/// How a real peripheral is reached: by this machine's Bluetooth, by a controller that we use, or by one that its host
/// uses.
enum RealDoor {
    case radio(RadioChoice)
    case controllers([StreamAddress])

    /// So long somebody is waited for who has to be started first.
    private static let hostPatience = Duration.seconds(60)
    /// The longest advertising interval twice.  Core 6.0, Vol 6, Part B, section 4.4.2.2.
    private static let radioPatience = Duration.seconds(21)

    /// Nil where the command line wants a scenario's.
    init?(_ invocation: Invocation) throws(CommandFailure) {
        let radio = invocation.text("--radio").flatMap { $0 == "virtual" ? nil : $0 }
        let offered = invocation.texts("--controller")
        guard radio != nil || !offered.isEmpty else { return nil }
        if radio != nil, !offered.isEmpty {
            throw CommandFailure(.usage, "lubdub: --controller is for the virtual radio only: leave it out, or --radio")
        }
        if let path = invocation.operands.first {
            throw CommandFailure(
                .usage,
                "lubdub: check asks a scenario's peripheral or a real one: leave out \(path.quoted), or the other")
        }
        for option in ["--set", "--seed", "--events"] where invocation.has(option) {
            throw CommandFailure(.usage, "lubdub: \(option) is for a scenario, and a real peripheral has none")
        }
        guard let radio else {
            self = .controllers(
                try read(offered).map { place throws(CommandFailure) in
                    if case .stream(let address) = place { return address }
                    throw CommandFailure(
                        .usage, "lubdub: check offers controllers at tcp:HOST:PORT and unix:PATH only, not as vhci")
                })
            return
        }
        let choice = try RadioChoice(radio)
        if case .bluez = choice, invocation.has("--trace") {
            throw CommandFailure(
                .usage,
                "lubdub: --trace has no packets where bluetoothd has the radio: leave it out; btmon -w FILE records them"
            )
        }
        self = .radio(choice)
    }

    /// Asks the checks of the peripheral that the command line names.
    func examine(_ checks: [Check], _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
        let (wording, reports) = (try CheckFormatter(invocation), try ReportFiles(invocation))
        let trace = try traceFile(invocation)
        let recent = RecentPackets(of: 0)
        let log = PacketLog { chunk in
            trace?.write(chunk)
            recent.take(chunk)
        }
        let code = try hold(log) { radio throws(CommandFailure) in
            guard let name = invocation.text("--peer") else { throw unnamed(radio) }
            let examination = RealExamination(
                checks: checks, peer: Peer(name), isStrict: invocation.has("--strict"), wording: wording,
                reports: reports, words: words + ["--peer", name], patience: patience)
            return try examination.play(radio, recent)
        }
        do throws(OutputFailure) { try trace?.close() } catch {
            throw CommandFailure(.environment, "lubdub: \(error)")
        }
        return code
    }

    private func traceFile(_ invocation: Invocation) throws(CommandFailure) -> TraceFile? {
        guard let path = invocation.text("--trace") else { return nil }
        if path == "-" { throw CommandFailure(.usage, "lubdub: --trace must be a file, and not standard output") }
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        do throws(OutputFailure) {
            return try TraceFile(path, epoch: .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec))
        } catch { throw CommandFailure(.environment, "lubdub: \(error)") }
    }

    /// Holds a loop and opens the radio while something is done with it, and closes it in good order.
    private func hold(
        _ log: PacketLog, _ action: (any LiveRadio) throws(CommandFailure) -> ExitCode
    ) throws(CommandFailure) -> ExitCode {
        let signals = Signals()
        let loop = EventLoop(pace: .real())
        return try loop.hold { () throws(CommandFailure) -> ExitCode in
            let radio = try open(RealTime(loop, signals), log)
            defer { radio.close() }
            return try action(radio)
        }
    }

    private func open(_ time: RealTime, _ log: PacketLog) throws(CommandFailure) -> any LiveRadio {
        do {
            switch self {
            case .radio(.controller(let address)): return try ControllerRadio(address, time, log: log)
            case .radio(.bluez(let adapter)): return try BlueZRadio(adapter, time)
            case .controllers(let addresses): return try AirRadio(offering: addresses, time, log: log)
            }
        } catch let failure as CommandFailure { throw failure } catch {
            throw CommandFailure(.environment, "lubdub: \(error)")
        }
    }

    private var patience: Duration {
        if case .radio = self { Self.radioPatience } else { Self.hostPatience }
    }

    /// The words of the command line that open it.
    private var words: [String] {
        switch self {
        case .radio(.controller(let address)): ["--radio", "hci:\(address)"]
        case .radio(let bluez): ["--radio", "\(bluez)"]
        case .controllers(let addresses): addresses.flatMap { ["--controller", "\($0)"] }
        }
    }

    /// That nobody was named, and who could have been.
    private func unnamed(_ radio: any LiveRadio) -> CommandFailure {
        let heard = Lookout(for: nil, by: radio, within: .seconds(5)).others
        let others =
            heard.isEmpty ? "nobody was heard within 5 s" : "these were heard: \(heard.joined(separator: ", "))"
        return CommandFailure(.usage, "lubdub: --peer has to name the peripheral to check; \(others)")
    }
}

extension AirRadio {
    /// An air with nobody in it but the examiner; what its host says goes to `log`, as controller 0.
    fileprivate convenience init(
        offering addresses: [StreamAddress], _ time: RealTime, log: PacketLog
    ) throws {
        var world = try World(.empty, seed: 1)
        world.packets = log
        let node = try world.addClient(at: .start)
        let files = try LogFiles(Played(.empty, seed: 1), &world)
        let air = LiveWorld(world, files, on: time.loop, Ending(), .quiet, limits: { _ in nil })
        try self.init(air, node: node, time, offering: addresses)
    }
}
