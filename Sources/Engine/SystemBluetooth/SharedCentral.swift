package import Basics
package import Bluetooth
import GATT
import HCI
package import LEHost

/// The central role of the Bluetooth service that all programs share: it owns the scan and the links, and keeps them while a
/// program uses them, or as the policy says.
///
///     unknown ──started──▶ on ⇄ off        (unsupported, if the radio fails before it has started)
///
/// It requests commands of a `Host`, and takes its outputs.
package struct SharedCentral: Sendable {
    /// What the service requests of its driver, or reports.
    package enum Output: Sendable {
        indirect case command(Host.Command)
        indirect case event(ProgramID, CentralEvent)
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
    }

    /// A connection that programs wait for.
    struct Attempt: Sendable {
        let peer: DeviceAddress
        var programs: [Client] = []
        /// The program that waits for pairing.
        var pairing: ProgramID?
        /// When it fails.
        var due: Instant
    }

    /// The purpose of a scan of the host.
    enum HostScan: Sendable {
        case programs
        /// What programs monitor.
        case monitors
        /// The peripherals that programs wait for.
        case background
    }

    /// A program that receives connection events.
    struct Watch: Sendable {
        let program: ProgramID
        let peers: [DeviceAddress]
        let services: [UUID]
        /// The peripherals that it knows to be connected.
        var reported: [DeviceAddress] = []
    }

    /// A program's use of a connection.
    struct Client: Sendable {
        let program: ProgramID
        var options = ConnectionOptions()
    }

    var state = RadioState.unknown
    /// When the radio is started again after a failure; `.never` while it works.
    var restartDue = Instant.never
    var programs: [ProgramID] = []
    var scanning: Scanning
    var monitors = Monitors()
    /// How the host has been requested to scan.
    var hostScan: HostScan?
    var attempts: [Attempt] = []
    /// The peer that the host connects to.
    var connecting: DeviceAddress?
    var isCancelling = false
    /// Whether the host stops connecting soon by itself.
    var isConnectingBriefly = false
    var links: [Link] = []
    var watches: [Watch] = []
    var peers: KnownPeers
    var troubles = Troubles()
    var lastProcedure: UInt32 = 0
    let policy: HostPolicy

    /// The maximum number of peripherals that the service keeps something about.
    static let maximumPeripherals = 1024

    /// A service whose radio has not started.
    ///
    /// - Parameters:
    ///   - policy: Which system it is.
    ///   - bonds: The identity addresses of bonded peripherals.
    package init(_ policy: HostPolicy, bonds: [DeviceAddress] = []) {
        self.policy = policy
        scanning = Scanning(policy.scanning)
        peers = KnownPeers(memory: policy.scanning.memory, bonds: bonds)
    }

    /// Handles a request of a program.
    package mutating func perform(
        _ request: CentralRequest, of program: ProgramID, at now: Instant, into outbox: inout [Output]
    ) {
        switch request {
        case .open:
            if !programs.contains(program) { programs.append(program) }
            if state == .unknown, programs.count == 1 { return outbox.append(.command(.start)) }
            if state != .unknown { outbox.append(.event(program, .state(state))) }
        case .close: close(program, at: now, into: &outbox)
        case .scan(let options): scan(options, of: program, at: now, into: &outbox)
        case .stopScanning: scanning.end(of: program)
        case .monitor(let id, let patterns):
            monitors.begin(Monitors.Monitor(program: program, id: id, patterns: patterns))
        case .stopMonitoring(let id): monitors.end(id, of: program)
        case .connect(let peer, let options):
            connect(peer, Client(program: program, options: options), at: now, into: &outbox)
        case .cancel(let peer): cancel(peer, of: program, at: now, into: &outbox)
        case .watch(let peers, let services):
            watches.removeAll { $0.program == program }
            if !peers.isEmpty || !services.isEmpty {
                watches.append(Watch(program: program, peers: peers, services: services))
            }
        case .start(let operation, let id, let peer): start(operation, id, peer, of: program, into: &outbox)
        case .pair(let peer): pair(peer, program, at: now, into: &outbox)
        case .cancelPairing(let peer): cancelPairing(peer, program, into: &outbox)
        case .forget(let peer): forget(peer, at: now, into: &outbox)
        case .power(let isOn):
            // A program can switch on what another one has switched off.
            if isOn { troubles.holdsRadio = false }
            power(isOn, at: now, into: &outbox)
        }
        arrange(at: now, into: &outbox)
    }

    /// Handles an output of the host; takes its packet.
    package mutating func step(
        _ output: Host.Output, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch output {
        case .started: started(at: now, into: &outbox)
        case .failed: failed(at: now, into: &outbox)
        case .report(let report): receive(report, at: now, into: &outbox)
        case .connected(let id, let complete): connected(id, complete.peer, at: now, into: &outbox)
        case .connectionFailed(let peer, let failure):
            connectionFailed(peers.known(peer), failure, into: &outbox)
        case .disconnected(let id, _, let reason): disconnected(id, reason, at: now, into: &outbox)
        case .finished(let id, let number, let result): finished(id, number, result, at: now, into: &outbox)
        case .exchangedMTU(let id, let mtu): exchanged(mtu: mtu, id, into: &outbox)
        case .signalStrength(let id, let strength): measured(strength, id, into: &outbox)
        case .notified(let id, let handle, let packet), .indicated(let id, let handle, let packet):
            let value = pool.octets(of: packet)
            pool.release(packet)
            received(value, handle, id, into: &outbox)
        case .security(let id, let security): secured(security, id, at: now, into: &outbox)
        case .bondLost(let identity): bonded(peers.known(identity), identity: nil, into: &outbox)
        default: break
        }
        arrange(at: now, into: &outbox)
    }

    /// Handles the passing of time, at an instant of `.wake`.
    package mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        if restartDue <= now {
            restartDue = .never
            outbox.append(.command(.start))
        }
        endPeriod(at: now, into: &outbox)
        forgetSilent(at: now, into: &outbox)
        endAttempts(at: now, into: &outbox)
        for link in links.indices where links[link].endDue <= now { end(link, into: &outbox) }
        arrange(at: now, into: &outbox)
    }

    // MARK: Programs

    /// Reports an event of a link to the programs that see it.
    func tell(_ event: CentralEvent, about link: Link, into outbox: inout [Output]) {
        switch policy.audience {
        case .program: for client in link.clients { outbox.append(.event(client.program, event)) }
        case .everyone: tell(event, into: &outbox)
        }
    }

    /// Reports an event to all programs.
    func tell(_ event: CentralEvent, into outbox: inout [Output]) {
        for program in programs { outbox.append(.event(program, event)) }
    }

    private mutating func close(_ program: ProgramID, at now: Instant, into outbox: inout [Output]) {
        scanning.end(of: program)
        monitors.end(of: program)
        leaveAttempts(program)
        for link in links.indices.reversed() where policy.audience == .everyone { leave(link, program, into: &outbox) }
        for link in links where link.clients.contains(where: { $0.program == program }) {
            cancel(link.peer, of: program, at: now, into: &outbox)
        }
        watches.removeAll { $0.program == program }
        programs.removeAll { $0 == program }
        peers.leave(program)
    }

    // MARK: State

    /// How long the service waits before it starts a radio that has failed.
    static let pause = Duration.seconds(1)

    private mutating func started(at now: Instant, into outbox: inout [Output]) {
        guard troubles.holdsRadio else {
            turn(.on, at: now, into: &outbox)
            return connectStranger(at: now, into: &outbox)
        }
        outbox.append(.command(.stop))
        turn(.off, at: now, into: &outbox)
    }

    private mutating func failed(at now: Instant, into outbox: inout [Output]) {
        guard state != .unknown else { return turn(.unsupported, at: now, into: &outbox) }
        turn(.off, at: now, into: &outbox)
        restartDue = now.advanced(by: Self.pause)
        outbox.append(.wake(at: restartDue))
    }

    mutating func power(_ isOn: Bool, at now: Instant, into outbox: inout [Output]) {
        guard isOn != (state == .on), state != .unsupported, state != .unknown else { return }
        outbox.append(.command(isOn ? .start : .stop))
        if !isOn { turn(.off, at: now, into: &outbox) }
    }

    /// The radio cannot be opened, or has gone for good.
    package mutating func lose(at now: Instant, into outbox: inout [Output]) {
        turn(state == .unknown ? .unsupported : .off, at: now, into: &outbox)
    }

    /// Scans end when the radio is switched off, and connections too: silently where programs know from the state.
    private mutating func turn(_ new: RadioState, at now: Instant, into outbox: inout [Output]) {
        guard state != new else { return }
        state = new
        if new != .on {
            if policy.audience == .everyone { endAll(at: now, into: &outbox) }
            scanning.reset()
            attempts.removeAll()
            links.removeAll()
            for index in watches.indices { watches[index].reported.removeAll() }
            (connecting, isCancelling, hostScan) = (nil, false, nil)
        }
        tell(.state(new), into: &outbox)
    }
}
