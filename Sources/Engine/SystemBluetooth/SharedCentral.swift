package import Basics
import Bluetooth
import GATT
import HCI
package import LEHost

/// The central role of the Bluetooth service that all programs share: it owns the scan and the links, and keeps them while a
/// program uses them.
///
///     unknown ──started──▶ on ⇄ off        (unsupported, if the radio fails before it has started)
///
/// It requests commands of a `Host`, and takes its outputs.  Apple documents the behavior that programs of an iPhone see; the
/// tests name the page of each rule.
package struct SharedCentral: Sendable {
    /// What the service requests of its driver, or reports.
    package enum Output: Sendable {
        indirect case command(Host.Command)
        indirect case event(ProgramID, CentralEvent)
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
    }

    struct Scanner: Sendable {
        let program: ProgramID
        var options: ScanOptions
        var reported: Set<DeviceAddress> = []
    }

    /// A connection that programs wait for.
    struct Attempt: Sendable {
        let peer: DeviceAddress
        var programs: [Client]
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
        var options: ConnectionOptions
    }

    var state = RadioState.unknown
    /// When the radio is started again after a failure; `.never` while it works.
    var restartDue = Instant.never
    var programs: [ProgramID] = []
    var scanners: [Scanner] = []
    /// Whether the host has been requested to scan.
    var wantsHostScan = false
    /// Advertisements that wait for their scan response.
    var unanswered: [DeviceAddress: AdvertisingReport] = [:]
    var attempts: [Attempt] = []
    /// The peer that the host connects to.
    var connecting: DeviceAddress?
    var isCancelling = false
    /// Whether the host stops connecting soon by itself.
    var isConnectingBriefly = false
    var links: [Link] = []
    var watches: [Watch] = []
    var names: [DeviceAddress: String] = [:]
    /// The addresses by which bonded peripherals were known before, by identity address; all differ.
    private var aliases: [DeviceAddress: DeviceAddress] = [:]
    var lastProcedure: UInt32 = 0
    let policy: HostPolicy
    let user: PairingUser

    /// The maximum number of peripherals that the service keeps something about.
    static let maximumPeripherals = 1024

    package init(_ policy: HostPolicy, user: PairingUser = PairingUser()) { (self.policy, self.user) = (policy, user) }

    /// Handles a request of a program.
    package mutating func perform(
        _ request: CentralRequest, of program: ProgramID, at now: Instant, into outbox: inout [Output]
    ) {
        switch request {
        case .open:
            programs.append(program)
            if state == .unknown, programs.count == 1 { return outbox.append(.command(.start)) }
            if state != .unknown { outbox.append(.event(program, .state(state))) }
        case .close: close(program, into: &outbox)
        case .scan(let options):
            scanners.removeAll { $0.program == program }
            scanners.append(Scanner(program: program, options: options))
        case .stopScanning: scanners.removeAll { $0.program == program }
        case .connect(let peer, let options):
            connect(peer, Client(program: program, options: options), into: &outbox)
        case .cancel(let peer): cancel(peer, of: program, into: &outbox)
        case .watch(let peers, let services):
            watches.removeAll { $0.program == program }
            if !peers.isEmpty || !services.isEmpty {
                watches.append(Watch(program: program, peers: peers, services: services))
            }
        case .start(let operation, let id, let peer): start(operation, id, peer, of: program, into: &outbox)
        }
        arrange(into: &outbox)
    }

    /// Handles an output of the host; takes its packet.
    package mutating func step(
        _ output: Host.Output, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch output {
        case .started: turn(.on, into: &outbox)
        case .failed: failed(at: now, into: &outbox)
        case .report(let report): receive(report, into: &outbox)
        case .connected(let id, let complete): connected(id, complete.peer, into: &outbox)
        case .connectionFailed(let peer, let failure): connectionFailed(known(peer), failure, into: &outbox)
        case .disconnected(let id, _, let reason): disconnected(id, reason, into: &outbox)
        case .finished(let id, let number, let result): finished(id, number, result, into: &outbox)
        case .exchangedMTU(let id, let mtu): exchanged(mtu: mtu, id, into: &outbox)
        case .signalStrength(let id, let strength): measured(strength, id, into: &outbox)
        case .notified(let id, let handle, let packet), .indicated(let id, let handle, let packet):
            let value = pool.octets(of: packet)
            pool.release(packet)
            received(value, handle, id, into: &outbox)
        case .security(let id, let security): secured(security, id, into: &outbox)
        default: break
        }
        arrange(into: &outbox)
    }

    /// Handles the passing of time, at an instant of `.wake`.
    package mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        guard restartDue <= now else { return }
        restartDue = .never
        outbox.append(.command(.start))
    }

    // MARK: State

    /// How long the service waits before it starts a radio that has failed.
    static let pause = Duration.seconds(1)

    private mutating func failed(at now: Instant, into outbox: inout [Output]) {
        guard state != .unknown else { return turn(.unsupported, into: &outbox) }
        turn(.off, into: &outbox)
        restartDue = now.advanced(by: Self.pause)
        outbox.append(.wake(at: restartDue))
    }

    /// The radio cannot be opened, or has gone for good.
    package mutating func lose(into outbox: inout [Output]) {
        turn(state == .unknown ? .unsupported : .off, into: &outbox)
    }

    /// Scans and connections end silently when the radio is switched off: programs know from the state.
    private mutating func turn(_ new: RadioState, into outbox: inout [Output]) {
        guard state != new else { return }
        state = new
        if new != .on {
            scanners.removeAll()
            attempts.removeAll()
            links.removeAll()
            for index in watches.indices { watches[index].reported.removeAll() }
            unanswered.removeAll()
            (connecting, isCancelling, wantsHostScan) = (nil, false, false)
        }
        for program in programs { outbox.append(.event(program, .state(new))) }
    }

    private mutating func close(_ program: ProgramID, into outbox: inout [Output]) {
        scanners.removeAll { $0.program == program }
        for index in attempts.indices { attempts[index].programs.removeAll { $0.program == program } }
        attempts.removeAll { $0.programs.isEmpty }
        for link in links where link.clients.contains(where: { $0.program == program }) {
            cancel(link.peer, of: program, into: &outbox)
        }
        watches.removeAll { $0.program == program }
        programs.removeAll { $0 == program }
    }

    /// The address by which programs know a peripheral: the first one, although a bond has revealed another.
    func known(_ peer: DeviceAddress) -> DeviceAddress { aliases[peer] ?? peer }

    /// Remembers by which address programs know a bonded peripheral.
    mutating func addAlias(of identity: DeviceAddress, for peer: DeviceAddress) {
        guard identity != peer else { return }
        aliases = aliases.filter { $0.value != peer }
        aliases[identity] = peer
    }

    /// The address to connect to.
    func present(_ peer: DeviceAddress) -> DeviceAddress { aliases.first { $0.value == peer }?.key ?? peer }
}
