import Basics
import Bluetooth
import CVirtualTime
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
        var world: World
        /// The app's phone is the first.
        var phones: [Phone]
        let limit: Instant
        var isJudged: Bool
    }

    /// A phone: its Bluetooth service and its controller.
    private struct Phone: Sendable {
        var stack: SystemHost
        let controller: Int
        var wakes: [Instant] = []
        var outputs: [SystemHost.Output] = []

        mutating func step(_ input: SystemHost.Input, at now: Instant) {
            stack.step(input, at: now, into: &outputs)
        }
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
        world.journal = EventJournal(sink: { chunk in log.chunks.withLock { $0.append(chunk) } })
        if let terms { world.judgeExpectations(on: terms) }
        let controller = world.addGuest(at: .start)
        let bonds = world.bondDevices(withClientAt: World.bondedClient)
        var user = PairingUser()
        user.passkey = scenario.devices.compactMap { $0.security?.passkey }.first.flatMap { UInt32(exactly: $0) }
        self.user = user
        let secrets = RandomStream(seed: seed).stream("secrets of the app")
        let stack = SystemHost(
            .iPhone, World.bondedClient, bonds: bonds, secrets: .stream(secrets), user: user)
        world.start()
        let phone = Phone(stack: stack, controller: controller)
        state = Mutex(
            State(
                world: world, phones: [phone], limit: .start.advanced(by: scenario.limit),
                isJudged: terms == nil))
    }

    var now: Instant { state.withLock { $0.world.now } }

    var warnings: [String] { misuses.withLock { $0 } }

    var events: String {
        let wording = state.withLock { state in
            state.world.journal.flush()
            return state.world.wording
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
            let number = state.phones.count
            let secrets = RandomStream(seed: seed).stream("secrets of phone \(number)")
            let address = DeviceAddress(World.bondedClient.number + UInt64(number), .random)
            let stack = SystemHost(.iPhone, address, secrets: .stream(secrets), user: user)
            let controller = state.world.addGuest(at: state.world.now)
            state.phones.append(Phone(stack: stack, controller: controller))
            return number
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
            if let (_, reason) = state.world.ineffectiveReason(for: rule.action) { return reason }
            _ = state.world.act(rule, as: name, at: state.world.now)
            virtual_time_set(state.world.now.nanoseconds)
            settle(&state)
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
                let (timer, limit) = (virtual_time_next(), state.withLock { max($0.limit, $0.world.now) })
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
                case .line(let text): state.world.clientReported(ShownLine(text))
                case .request(let manager, let request, let phone):
                    if phone == 0, let line = StateLine.text(for: request) {
                        state.world.clientReported(ShownLine(line))
                    }
                    step(.request(manager, request), phone, &state)
                }
                settle(&state)
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
        let (event, wake) = (state.world.nextDue ?? .never, state.phones.lazy.flatMap(\.wakes).min() ?? .never)
        let timer = Instant(nanoseconds: virtual_time_next())
        let next = min(event, wake, timer)
        judge(&state, until: min(next, target))
        virtual_time_set(min(next, target).nanoseconds)
        guard next <= target else {
            state.world.run(until: target)
            settle(&state)
            return nil
        }
        if event == next {
            _ = state.world.runNext(until: next)
        } else if wake == next {
            state.world.run(until: next)
            for phone in state.phones.indices where state.phones[phone].wakes.contains(where: { $0 <= next }) {
                state.phones[phone].wakes.removeAll { $0 <= next }
                step(.timePassed, phone, &state)
            }
        } else {
            state.world.run(until: next)
        }
        settle(&state)
        state.world.report(.timePassed)
        return min(event, wake) == next ? .event : .timer
    }

    /// Ends judging when time passes the scenario's limit.
    private func judge(_ state: inout State, until next: Instant) {
        guard !state.isJudged, next > state.limit else { return }
        state.world.run(until: state.limit)
        settle(&state)
        state.world.report(.ended)
        state.isJudged = true
    }

    private func step(_ input: SystemHost.Input, _ phone: Int, _ state: inout State) {
        let now = state.world.now
        state.phones[phone].step(input, at: now)
    }

    /// Passes packets between the phones and the world, and events to the app, until there are none.
    private func settle(_ state: inout State) {
        repeat {
            for phone in state.phones.indices { settle(phone, &state) }
            while let output = state.world.outbox.takeFirst() {
                guard case .toGuest(let controller, let kind, let packet) = output else { continue }
                let octets = state.world.pool.octets(of: packet)
                state.world.pool.release(packet)
                guard let phone = state.phones.firstIndex(where: { $0.controller == controller }) else { continue }
                step(.received(kind, octets), phone, &state)
            }
        } while state.phones.contains { !$0.outputs.isEmpty }
    }

    private func settle(_ phone: Int, _ state: inout State) {
        let outputs = state.phones[phone].outputs
        state.phones[phone].outputs.removeAll(keepingCapacity: true)
        for output in outputs {
            switch output {
            case .send(let kind, let octets):
                let controller = state.phones[phone].controller
                state.world.receive(kind, octets[...], fromGuest: controller, at: state.world.now)
            case .wake(let due): state.phones[phone].wakes.append(due)
            case .event(let manager, let event):
                if phone == 0, let line = StateLine.text(for: event) { state.world.clientReported(ShownLine(line)) }
                Managers.deliver(event, to: manager)
            }
        }
    }

    // MARK: Verdicts

    /// The instant at which the case ends: when all expectations are decided, or at the scenario's limit.
    var end: Instant? { state.withLock { $0.isJudged || $0.world.isDecided ? nil : $0.limit } }

    /// The expectations that did not pass, with the scenario they are of.
    func finish() -> [Judge.Ruling] {
        state.withLock { state in
            if !state.isJudged { state.world.report(.ended) }
            state.isJudged = true
            return state.world.rulings.sorted { $0.expectation < $1.expectation }
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
