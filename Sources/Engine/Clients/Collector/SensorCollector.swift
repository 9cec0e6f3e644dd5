package import Basics
import Bluetooth
import GATT
import HCI
package import LEHost

/// The Collector of the Heart Rate Profile 1.0 and of the Health Thermometer Profile 1.0: finds a sensor, connects to
/// it, reads and subscribes to all that `SupportedCharacteristic` lists, and reconnects when the connection is lost. A
/// machine above `LEHost.Host`: it takes the host's outputs and returns commands. If it must use a device that has
/// nothing of that list, it reads and subscribes to everything (`Survey`).
///
///     off ──start──▶ starting ──▶ scanning ──▶ choosing ──▶ connecting ──▶ talking ──▶ ending
///                        ▲            ▲                          │            │          │
///                        └────────────┴──────── resting ◀────────┴────────────┴──────────┘
///
/// | phase      | ends with                             | at the latest                                            |
/// |------------|---------------------------------------|----------------------------------------------------------|
/// | starting   | `.started`, `.failed`                 | 10 s for each command: the host's                        |
/// | scanning   | a device that will do, `.refused`     | when there is one                                        |
/// | choosing   | its instant                           | `listening`, or 3 s after an attempt that was refused    |
/// | connecting | `.connected`, `.connectionFailed`     | `connectTimeout`, and 10 s for its cancelling: the host's |
/// | talking    | `.disconnected`, the end of all hopes | 30 s for each request, then the supervision timeout      |
/// | ending     | `.disconnected`, the fourth `.refused` | 40 s: the host's                                        |
/// | resting    | its instant                           | 1 s                                                      |
///
/// Any phase also ends with `.failed`. The collector keeps no values between connections: it discovers and subscribes
/// again each time. Only values that a device does not notify are polled, as set in `Settings.asksOnDemand`.
package struct SensorCollector: Sendable {
    /// Commands for the host, and updates for the user.
    package enum Output: Equatable, Sendable {
        case command(Host.Command)
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
        case update(Update)
    }

    enum Phase: Sendable {
        case off
        case starting
        case scanning
        /// A device was found; the collector waits for stronger ones.
        case choosing(until: Instant)
        case connecting(Peer)
        /// `conversation` is set.
        case talking
        case ending(Ending)
        case resting(until: Instant)
    }

    struct Ending: Sendable {
        let id: ConnectionID
        let peer: Peer
        let hasCleared: Bool
        /// How often the controller has refused the disconnection; the collector gives up after the fourth time.
        var refusals = 0
        var asksAgainAt = Instant.never

        static let mostRefusals = 3
    }

    /// The device and the values to look for.
    package let settings: Settings

    private var phase = Phase.off
    /// Changed in place, since a copy for each notification would cost an allocation or more.
    private var conversation: Conversation?
    private(set) var candidates = Candidates()
    /// The last device to which it tried to connect.
    private(set) var chosen: Peer?
    private(set) var hasConnected = false
    private var decoder: ValueDecoder
    private var backOff = BackOff()
    private var failures = ConnectionFailures()
    private var lastProcedure: UInt32 = 0
    private var isStopping = false
    private var hostHasFailed = false

    /// A collector that is idle until `start`.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        decoder = ValueDecoder(givesSamples: settings.givesSamples)
    }

    /// Whether nothing is in progress: not started, stopped, or given up since `reconnects` is false.
    package var isIdle: Bool { if case .off = phase { true } else { false } }

    // MARK: Inputs

    /// Starts the host, then scans; does nothing unless idle.
    package mutating func start(at now: Instant, into outbox: inout [Output]) {
        guard isIdle else { return }
        (isStopping, backOff) = (false, BackOff())
        startHost(into: &outbox)
    }

    /// Ends the connection or the scan cleanly; `isIdle` is true when that is done.
    package mutating func stop(at now: Instant, into outbox: inout [Output]) {
        guard !isIdle, !isStopping else { return }
        isStopping = true
        switch phase {
        case .off, .starting, .resting: phase = .off
        case .scanning, .choosing:
            outbox.append(.command(.stopScanning))
            phase = .off
        case .connecting: outbox.append(.command(.cancelConnecting))
        case .talking: endConversation(into: &outbox)
        case .ending(let ending):
            if ending.refusals > 0 { phase = .off }  // the controller does not want it
        }
    }

    /// Handles the passing of time; calls at other instants than `.wake` requested do no harm.
    package mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        switch phase {
        case .choosing(let deadline) where deadline <= now: choose(at: now, into: &outbox)
        case .resting(let deadline) where deadline <= now:
            if hostHasFailed { startHost(into: &outbox) } else { scan(into: &outbox) }
        case .talking:
            follow(conversation?.timePassed(at: now, &decoder, into: &outbox), into: &outbox)
        case .ending(var ending) where ending.asksAgainAt <= now:
            ending.asksAgainAt = .never
            phase = .ending(ending)
            outbox.append(.command(.disconnect(ending.id, reason: .remoteUserTerminated)))
        default: break
        }
    }

    /// Handles an output of the host, and releases the packet of a notification or an indication.
    ///
    /// The caller serves `.send` and `.wake` itself; outputs about a past connection are ignored.
    package mutating func step(
        _ output: Host.Output, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch output {
        case .notified(let id, let handle, let packet):
            received(id, handle, pool.slice(of: packet), isIndicated: false, at: now, into: &outbox)
            pool.release(packet)
        case .indicated(let id, let handle, let packet):
            received(id, handle, pool.slice(of: packet), isIndicated: true, at: now, into: &outbox)
            pool.release(packet)
        case .started:
            guard case .starting = phase else { return }
            scan(into: &outbox)
        case .failed(let failure): hostFailed(failure, at: now, into: &outbox)
        case .refused(let opcode, let status): refused(opcode, status, at: now, into: &outbox)
        case .report(let report): received(report, at: now, into: &outbox)
        case .connected(let id, let complete) where complete.role == .central:
            connected(id, into: &outbox)
        case .connectionFailed(let address, let failure):
            guard case .connecting(let peer) = phase, peer.address == address else { return }
            failures.add(failure == .timedOut ? .timeOut : .noConnection, of: address)
            if !isStopping { say(.error("no connection to \(peer): \(failure.words)"), peer, into: &outbox) }
            rest(at: now, into: &outbox)
        case .disconnected(let id, _, let reason): disconnected(id, reason, at: now, into: &outbox)
        case .security(let id, let output):
            guard isTalking(id) else { return }
            follow(conversation?.secured(output, &decoder, at: now, into: &outbox), into: &outbox)
        case .finished(let id, let number, let result): finished(id, number, result, at: now, into: &outbox)
        case .attributesChanged(let id):
            guard isTalking(id) else { return }
            conversation?.attributesChanged(into: &outbox)
            follow(.goesOn, into: &outbox)
        default: break
        }
    }

    // MARK: Finding a device

    private mutating func startHost(into outbox: inout [Output]) {
        (phase, hostHasFailed) = (.starting, false)
        outbox.append(.command(.start))
    }

    private mutating func scan(into outbox: inout [Output]) {
        (phase, candidates) = (.scanning, Candidates())
        let always = ScanParameters(isActive: true, interval: 0x60, window: 0x60)
        outbox.append(.command(.scan(always, filterDuplicates: settings.choice == .nobody)))
        say(.state(.scanning), nil, into: &outbox)
    }

    private mutating func received(_ report: AdvertisingReport, at now: Instant, into outbox: inout [Output]) {
        let planned: Instant
        switch phase {
        case .scanning: planned = .never
        case .choosing(let deadline): planned = deadline
        default: return
        }
        guard let index = candidates.receive(report) else { return }
        let candidate = candidates.all[index]
        if let measurement = candidates.newMeasurement(index, for: settings) {
            say(.advertised(measurement), Peer(candidate.address, name: candidate.name), into: &outbox)
        }
        // A device that calls this client by its address has bonded with it.
        let isCall = report.kind == .directed && settings.choice == .strongest
        let isNamed = settings.choice.names(candidate) || isCall
        guard isNamed || candidate.offers(settings.services) else { return }
        if candidates.isNews(index) {
            let found = Content.found(services: candidate.services, rssi: candidate.rssi)
            say(found, Peer(candidate.address, name: candidate.name), into: &outbox)
        }
        guard candidate.isConnectable, isNamed || settings.choice == .strongest else { return }
        let earliest = max(failures.rest(of: candidate.address), now)
        if isNamed, earliest == now { return connect(to: candidate, at: now, into: &outbox) }
        let deadline = isNamed ? earliest : max(earliest, now.advanced(by: settings.listening))
        if deadline < planned { listen(until: deadline, into: &outbox) }
    }

    private mutating func listen(until deadline: Instant, into outbox: inout [Output]) {
        phase = .choosing(until: deadline)
        outbox.append(.wake(at: deadline))
    }

    private mutating func choose(at now: Instant, into outbox: inout [Output]) {
        switch candidates.choose(for: settings, failures, at: now) {
        case .connect(let candidate): connect(to: candidate, at: now, into: &outbox)
        case .wait(let deadline): listen(until: deadline, into: &outbox)
        case .nobody: phase = .scanning
        }
    }

    private mutating func connect(
        to candidate: Candidates.Candidate, at now: Instant, into outbox: inout [Output]
    ) {
        let peer = Peer(candidate.address, name: candidate.name)
        (phase, chosen) = (.connecting(peer), peer)
        failures.attempt(peer.address, at: now)
        outbox.append(.command(.stopScanning))
        let creation = ConnectionCreation(to: peer.address, parameters: settings.connection)
        let patience = failures.patience(
            with: peer.address, atLeast: settings.connectPatience, atMost: settings.connectTimeout)
        outbox.append(.command(.connect(creation, timeout: patience)))
        say(.state(.connecting), peer, into: &outbox)
    }

    // MARK: A connection

    private mutating func connected(_ id: ConnectionID, into outbox: inout [Output]) {
        guard case .connecting(let peer) = phase else {
            if !isOurs(id) { outbox.append(.command(.disconnect(id, reason: .remoteUserTerminated))) }
            return
        }
        hasConnected = true
        say(.state(.connected), peer, into: &outbox)
        let isPromising =
            !settings.services.isEmpty
            && candidates.all.contains { $0.address == peer.address && $0.offers(settings.services) }
        var conversation = Conversation(
            id, with: peer, isPromising: isPromising, settings, after: lastProcedure)
        guard !isStopping else {
            self.conversation = conversation
            return endConversation(into: &outbox)
        }
        decoder.begin(with: peer)
        conversation.begin(trustingBond: !failures.hasOtherKeys(peer.address), into: &outbox)
        (self.conversation, phase) = (conversation, .talking)
        follow(.goesOn, into: &outbox)
    }

    private mutating func received(
        _ id: ConnectionID, _ handle: UInt16, _ octets: ArraySlice<UInt8>, isIndicated: Bool, at now: Instant,
        into outbox: inout [Output]
    ) {
        guard isTalking(id) else { return }
        let progress = conversation?.received(
            handle, octets, isIndicated: isIndicated, &decoder, at: now, into: &outbox)
        follow(progress, into: &outbox)
    }

    private mutating func finished(
        _ id: ConnectionID, _ number: UInt32, _ result: Result<Procedure.Outcome, Procedure.Failure>,
        at now: Instant, into outbox: inout [Output]
    ) {
        guard isTalking(id) else { return }
        follow(conversation?.finished(number, result, &decoder, at: now, into: &outbox), into: &outbox)
    }

    private func isTalking(_ id: ConnectionID) -> Bool {
        if case .talking = phase { conversation?.id == id } else { false }
    }

    private mutating func follow(_ progress: Conversation.Progress?, into outbox: inout [Output]) {
        lastProcedure = conversation?.lastProcedure ?? lastProcedure
        guard let progress, progress != .goesOn, let peer = conversation?.peer else { return }
        switch progress {
        case .goesOn: break
        case .subscribed:
            backOff.reset()
            failures.forgive(peer.address)
        case .failed(let why):
            failures.add(.noService, of: peer.address)
            say(.error(why), peer, into: &outbox)
            endConversation(into: &outbox)
        }
    }

    private mutating func endConversation(into outbox: inout [Output]) {
        guard let ended = conversation.take() else { return }
        phase = .ending(Ending(id: ended.id, peer: ended.peer, hasCleared: ended.hasCleared))
        outbox.append(.command(.disconnect(ended.id, reason: .remoteUserTerminated)))
    }

    private func isOurs(_ id: ConnectionID) -> Bool {
        switch phase {
        case .talking: conversation?.id == id
        case .ending(let ending): ending.id == id
        default: false
        }
    }

    private mutating func disconnected(
        _ id: ConnectionID, _ reason: HCIStatus, at now: Instant, into outbox: inout [Output]
    ) {
        guard isOurs(id) else { return }
        lost(reason, into: &outbox)
        rest(at: now, into: &outbox)
    }

    /// Reports that the connection, if there is one, has ended, and clears the displayed values.
    private mutating func lost(_ reason: HCIStatus, into outbox: inout [Output]) {
        let (peer, hasCleared): (Peer, Bool)
        switch phase {
        case .talking:
            guard let lost = conversation.take() else { return }
            (peer, hasCleared) = (lost.peer, lost.hasCleared)
            if !lost.isSubscribed { failures.add(.noConnection, of: peer.address) }
            if lost.security.wasLostDuringEncryption { failures.add(.noEncryption, of: peer.address) }
        case .ending(let ending): (peer, hasCleared) = (ending.peer, ending.hasCleared)
        default: return
        }
        decoder.end(into: &outbox)
        say(.state(.disconnected(reason: reason)), peer, into: &outbox)
        if !hasCleared { say(.cleared, peer, into: &outbox) }
    }

    // MARK: Errors

    private mutating func refused(
        _ opcode: Opcode, _ status: HCIStatus, at now: Instant, into outbox: inout [Output]
    ) {
        switch (phase, opcode) {
        case (.scanning, Command.leSetScanEnable.opcode), (.scanning, Command.leSetScanParameters.opcode),
            (.scanning, Command.leSetExtendedScanEnable.opcode),
            (.scanning, Command.leSetExtendedScanParameters.opcode):
            say(.error("the controller does not scan: \(status)"), nil, into: &outbox)
            outbox.append(.command(.stopScanning))
            rest(at: now, into: &outbox)
        case (.ending(let ending), Command.disconnect.opcode): refused(ending, status, at: now, into: &outbox)
        default: break
        }
    }

    /// Retries the disconnection; after the last attempt only a restarted controller ends it.
    private mutating func refused(
        _ ending: Ending, _ status: HCIStatus, at now: Instant, into outbox: inout [Output]
    ) {
        var ending = ending
        ending.refusals += 1
        if ending.refusals == 1 {
            say(.error("the controller does not disconnect: \(status)"), ending.peer, into: &outbox)
        }
        guard !isStopping else {
            phase = .off
            return
        }
        guard ending.refusals > Ending.mostRefusals else {
            ending.asksAgainAt = now.advanced(by: .milliseconds(100 << (ending.refusals - 1)))
            outbox.append(.wake(at: ending.asksAgainAt))
            phase = .ending(ending)
            return
        }
        lost(status, into: &outbox)
        hostHasFailed = true
        rest(at: now, into: &outbox)
    }

    private mutating func hostFailed(_ failure: Host.Failure, at now: Instant, into outbox: inout [Output]) {
        guard !isIdle else { return }
        lost(.hardwareFailure, into: &outbox)
        switch phase {
        case .scanning, .choosing: outbox.append(.command(.stopScanning))  // else the host goes on when it has started
        default: break
        }
        say(.error("\(failure)"), nil, into: &outbox)
        hostHasFailed = true
        rest(at: now, into: &outbox)
    }

    private mutating func rest(at now: Instant, into outbox: inout [Output]) {
        guard settings.reconnects, !isStopping else {
            phase = .off
            return
        }
        let deadline = now.advanced(by: backOff.next())  // at once is not now: `.failed` may follow a disconnection
        phase = .resting(until: deadline)
        outbox.append(.wake(at: deadline))
    }

    private func say(_ content: Content, _ peer: Peer?, into outbox: inout [Output]) {
        outbox.append(.update(Update(content, of: peer)))
    }
}

extension SensorCollector.Settings.Choice {
    /// Whether this is the device that the settings ask for by address or name.
    func names(_ candidate: Candidates.Candidate) -> Bool {
        switch self {
        case .strongest, .nobody: false
        case .address(let address): address == candidate.address
        case .name(let name): name == candidate.name
        }
    }
}

extension Host.ConnectionFailure {
    fileprivate var words: String {
        switch self {
        case .status(let status): "\(status)"
        case .timedOut: "it was not heard in time"
        case .cancelled: "cancelled"
        case .notNow: "another connection is being made"
        case .outside(let why): why
        }
    }
}
