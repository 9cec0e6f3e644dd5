import Basics
import Bluetooth
import CVirtualTime
import Causes
import Clients
import CoreBluetooth
import Devices
import Expectations
import Foundation
import HCI
import LEHost
import ScenarioModel
import SecurityManager
import Synchronization
import SystemBluetooth
import VirtualWorld

/// The radio of managers in a simulated world, and its clock.
///
/// Requests of the app wait in an inbox until the app has nothing to do; a thread of `run` then handles them, and lets time
/// pass.  So all that decides the order of events happens on one thread at a time.
final class WorldSimulation: Radio, Sendable {
    /// An act of the app or the test; handled in order, at the present instant.
    enum Entry: Sendable {
        case request(ProgramID, ProgramRequest, phone: Int)
        /// A line of the client.
        case line(String)
    }

    private struct State: Sendable {
        var session: Session<AttachedSystemHosts>
        let limit: Instant
        var isJudged: Bool
        /// The number of verdicts whose surroundings are kept for the report.
        var marked = 0
    }

    /// The chunks of the event log.
    private final class EventText: Sendable {
        let chunks = Mutex<[EventChunk]>([])
    }

    let identifiers: PeripheralIdentifiers
    let peripherals = KnownPeripherals()
    private let state: Mutex<State>
    private let inbox = Mutex<[Entry]>([])
    private let misuses = Mutex<[String]>([])
    private let log: EventText
    /// Nil if nothing is judged.
    private let traceContext: TraceContext?
    private let user: PairingUser
    private let seed: UInt64
    /// Held by the thread that lets time pass.
    private let driving = NSLock()
    private let hasStopped = DispatchSemaphore(value: 0)

    /// A world with the devices of a scenario, which are switched on.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - seed: The seed of all random numbers.
    ///   - terms: How its expectations are judged; nil: they are not.
    /// - Throws: An error if the attributes of a device need too many handles.
    init(_ scenario: Scenario, seed: UInt64, judging terms: Judge.Terms?) throws {
        (identifiers, self.seed) = (PeripheralIdentifiers(seed: seed), seed)
        let log = EventText()
        self.log = log
        var world = try World(scenario, seed: seed)
        let traceContext = terms == nil ? nil : TraceContext(world)
        self.traceContext = traceContext
        world.journal = EventJournal(sink: { chunk in
            log.chunks.withLock { $0.append(chunk) }
            traceContext?.take(chunk)
        })
        if let terms {
            world.packets = PacketLog { traceContext?.take($0) }
            world.judgeExpectations(on: terms)
        }
        let bonds = world.bondDevices(withClientAt: World.bondedClient)
        var user = PairingUser()
        user.passkey = scenario.devices.compactMap { $0.security?.passkey }.first.flatMap { UInt32(exactly: $0) }
        self.user = user
        let secrets = RandomStream(seed: seed).stream("secrets of the app")
        let stack = SystemHost(
            .iPhone, World.bondedClient, bonds: bonds, secrets: .stream(secrets), user: user)
        var phones = AttachedSystemHosts()
        _ = phones.add(stack, to: &world) { manager, event, world in
            if let line = StateLine.text(for: event) { world.clientReported(ShownLine(line)) }
            Managers.deliver(event, to: manager)
        }
        var session = Session(world, phones)
        session.begin()
        state = Mutex(
            State(session: session, limit: .start.advanced(by: scenario.limit), isJudged: terms == nil))
    }

    var now: Instant { state.withLock { $0.session.world.now } }

    var warnings: [String] { misuses.withLock { $0 } }

    var events: String {
        let wording = state.withLock { state in
            state.session.world.journal.flush()
            return state.session.world.wording
        }
        var text = JSONText()
        for chunk in log.chunks.withLock({ $0 }) { chunk.write(in: wording, to: &text) }
        return text.string
    }

    // MARK: The app

    func submit(_ request: ProgramRequest, of manager: ProgramID) { add(.request(manager, request, phone: 0)) }

    /// Adds a phone without bonds; returns its number.
    func addPhone() -> Int {
        state.withLock { state in
            let number = state.session.attached.count
            let secrets = RandomStream(seed: seed).stream("secrets of phone \(number)")
            let address = DeviceAddress(World.bondedClient.number + UInt64(number), .random)
            let stack = SystemHost(.iPhone, address, secrets: .stream(secrets), user: user)
            return state.session.add(stack) { manager, event, _ in
                Managers.deliver(event, to: manager)
            }
        }
    }

    func add(_ entry: Entry) {
        inbox.withLock { $0.append(entry) }
        guard case .request(_, let request, _) = entry, request.needsRadio,
            let present = Managers.present as? WorldSimulation, present !== self
        else { return }
        present.warn(
            "API MISUSE: a manager of a scenario that has ended is still used: create managers in each scenario")
    }

    func warn(_ misuse: String) {
        misuses.withLock { $0.append(misuse) }
        FileHandle.standardError.write(Data("[CoreBluetooth] \(misuse)\n".utf8))
    }

    /// Performs an action now; returns why it has no effect, or nil.
    func act(_ rule: Rule, as name: String) -> String? {
        state.withLock { state in
            if let (_, reason) = state.session.world.ineffectiveReason(for: rule.action) { return reason }
            _ = state.session.world.act(rule, as: name, at: state.session.world.now)
            virtual_time_set(state.session.world.now.nanoseconds)
            state.session.settle()
            return nil
        }
    }

    // MARK: Time

    /// When `run` ends before its target.
    enum Stop {
        case never
        /// When the app has done something.
        case afterWork
        /// When all expectations are decided.
        case whenDecided
    }

    /// Lets time pass until an instant, or until it has to stop; false at the instant.
    func run(until target: Instant, stopping stop: Stop) async -> Bool {
        virtual_time_hold()
        return await withCheckedContinuation { continuation in
            VirtualTime.detach { [self] in
                continuation.resume(returning: play(until: target, stopping: stop))
                virtual_time_release()
            }
        }
    }

    /// Lets time pass whenever the test waits for something else than `run`, such as a sleep or an event of the app: until the
    /// app or the test does something, and at most to the scenario's limit or the next timer.
    func watch() {
        VirtualTime.detach { [self] in
            var seen: UInt64 = 0
            while true {
                let count = virtual_time_wait_for_sleep(seen)
                guard count != 0 else { break }
                let (timer, limit) = (virtual_time_next(), state.withLock { max($0.limit, $0.session.world.now) })
                let target = timer == .max ? limit : max(limit, Instant(nanoseconds: timer))
                let hasPlayed = play(until: target, stopping: .afterWork)
                let isStuck = !hasPlayed && virtual_time_follows() && virtual_time_next() == .max
                if isStuck { warn("the test waits for something that has not happened by \(target) s") }
                seen = isStuck ? count : 0
            }
            hasStopped.signal()
        }
    }

    /// Ends what `watch` has begun, after the end of virtual time.
    func close() { hasStopped.wait() }

    private func play(until target: Instant, stopping stop: Stop) -> Bool {
        driving.lock()
        defer { driving.unlock() }
        var seen = virtual_time_wait()
        while true {
            let done = virtual_time_wait()
            guard virtual_time_follows() else { return false }
            if handleInbox() { continue }
            if done > seen, stop == .afterWork || stop == .whenDecided && end == nil { return true }
            seen = done
            switch state.withLock({ advance(&$0, until: target) }) {
            case .event: break
            case .timer: _ = virtual_time_fire()
            case nil: return false
            }
        }
    }

    /// Handles what the app has requested; false if there is nothing.
    private func handleInbox() -> Bool {
        let entries = inbox.withLock { entries in
            defer { entries.removeAll() }
            return entries
        }
        state.withLock { state in
            for entry in entries {
                switch entry {
                case .line(let text): state.session.world.clientReported(ShownLine(text))
                case .request(let manager, let request, let phone):
                    if phone == 0, let line = StateLine.text(for: request) {
                        state.session.world.clientReported(ShownLine(line))
                    }
                    state.session.request(request, of: manager, phone)
                }
                state.session.settle()
            }
        }
        return !entries.isEmpty
    }

    /// The destination of a jump in time: an event of the devices or phones, which has happened, or a timer of the app, which is
    /// due.
    private enum Next {
        case event, timer
    }

    /// Lets time jump to the next event, and plays it; nil if there is none until `target`, which is then the present.
    private func advance(_ state: inout State, until target: Instant) -> Next? {
        let (event, timer) = (state.session.deadline, Instant(nanoseconds: virtual_time_next()))
        let next = min(event, timer)
        judge(&state, until: min(next, target))
        mark(&state)
        virtual_time_set(min(next, target).nanoseconds)
        let hasEvent = event <= min(timer, target) && state.session.advance(until: event)
        if !hasEvent { state.session.world.run(until: min(next, target)) }
        state.session.settle()
        guard next <= target else { return nil }
        state.session.world.report(.timePassed)
        return hasEvent ? .event : .timer
    }

    /// Ends judging when time passes the scenario's limit.
    private func judge(_ state: inout State, until next: Instant) {
        guard !state.isJudged, next > state.limit else { return }
        state.session.world.run(until: state.limit)
        state.session.settle()
        state.session.world.report(.ended)
        state.isJudged = true
    }

    // MARK: Verdicts

    /// The instant at which the case ends: when all expectations are decided, or at the scenario's limit.
    var end: Instant? { state.withLock { $0.isJudged || $0.session.world.isDecided ? nil : $0.limit } }

    /// Keeps what surrounds new failures.
    private func mark(_ state: inout State) {
        let rulings = state.session.world.rulings
        guard let traceContext, rulings.count > state.marked else { return }
        traceContext.mark(Array(rulings[state.marked...]))
        state.marked = rulings.count
    }

    /// Ends judging; the verdicts, in the scenario's order, and what explains them.
    func finish() -> (rulings: [Judge.Ruling], explainer: Explainer) {
        state.withLock { state in
            if !state.isJudged { state.session.world.report(.ended) }
            state.isJudged = true
            state.session.world.packets.flush()
            state.session.world.journal.flush()
            mark(&state)
            let rulings = state.session.world.rulings.sorted { $0.expectation < $1.expectation }
            return (rulings, Explainer(state.session.world, traceContext))
        }
    }
}

extension ProgramRequest {
    /// Whether an app is waiting for what it causes.
    fileprivate var needsRadio: Bool {
        switch self {
        case .central(.scan), .central(.connect), .central(.start), .peripheral(.add), .peripheral(.advertise): true
        default: false
        }
    }
}

/// A line of the contract of clients as it is, or other text as a JSON string.
private struct ShownLine: ClientReport {
    private let line: String

    init(_ line: String) { self.line = line }

    func write(to text: inout JSONText) {
        if Datum(json: line.utf8) != nil { text.append(text: line) } else { text.append(quoted: line) }
    }
}

/// The radio of another phone in the same world.
final class OtherPhone: Radio {
    let peripherals = KnownPeripherals()
    private let simulation: WorldSimulation
    private let number: Int

    init(in simulation: WorldSimulation) { (self.simulation, number) = (simulation, simulation.addPhone()) }

    var identifiers: PeripheralIdentifiers { simulation.identifiers }

    func submit(_ request: ProgramRequest, of manager: ProgramID) {
        simulation.add(.request(manager, request, phone: number))
    }

    func warn(_ misuse: String) { simulation.warn(misuse) }
}
