import DBus
import Simulation

/// Who asks bluetoothd for things, one after the other, as long as it is there; it may come and go.
///
/// What it tells of adapters and devices is handed to `changed`, `added` and `removed`.
protocol DaemonClient: Actor {
    typealias Step = @Sendable (isolated Self) async -> Void

    nonisolated var loop: EventLoop { get }
    nonisolated var connection: Connection { get }
    /// How long bluetoothd may think about one question.
    nonisolated var limit: Duration { get }
    var adapter: Adapter? { get }
    /// What is still to be asked of bluetoothd, one thing after the other.
    var steps: [Step] { get set }
    /// Asks it, as long as there is something to ask.
    var work: Task<Void, any Error>? { get set }
    /// Counts what makes answers to older questions mean nothing.
    var rounds: Int { get }
    var isStopped: Bool { get }
    /// Whether bluetoothd left a question of the end without an answer: others are not waited for.
    var isMute: Bool { get set }
    /// What seems to have happened to the adapter.
    var doubts: HostFailure? { get set }
    /// Whether something is lost if the adapter is.
    var isInUse: Bool { get }

    /// The properties of an object have changed: `sa{sv}as`.
    func changed(_ path: ObjectPath, _ arguments: [Value])
    /// An object is there: `oa{sa{sv}}`.
    func added(_ arguments: [Value])
    /// Interfaces of an object are not there any more: `oas`.
    func removed(_ arguments: [Value])
    /// Somebody else has the name `org.bluez`, or nobody.
    func belongs(to owner: BusName?)
    /// It cannot be done; nothing more happens.
    func fail(_ failure: HostFailure)
}

extension DaemonClient {
    static var patience: Duration { .seconds(2) }
    static var longPatience: Duration { .seconds(10) }

    // MARK: One thing after the other

    func enqueue(_ step: @escaping Step) {
        guard !isStopped else { return }
        steps.append(step)
        if work == nil { work = loop.start { await self.takeSteps() } }
    }

    private func takeSteps() async {
        while !steps.isEmpty {
            let step = steps.removeFirst()
            await step(self)
        }
        work = nil
    }

    /// Gives up what is being asked, and all that was to be asked behind it.
    func dropSteps() async {
        steps.removeAll()
        work?.cancel()
        _ = try? await work?.value
    }

    /// Tries until it goes well, for so long, or until nobody wants it any more; throws what went wrong last, or at
    /// once what does not pass.
    func again<Answer, Failure: Error>(
        _ round: Int, for patience: Duration, while mayPass: (Failure) -> Bool = { _ in true },
        _ attempt: (isolated Self) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let deadline = loop.now.advanced(by: patience)
        while true {
            do throws(Failure) { return try await attempt(self) } catch {
                guard mayPass(error), round == rounds, !isStopped, loop.now < deadline else { throw error }
            }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(100)))
        }
    }

    func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value],
        or failure: (_ adapter: String, _ what: String, _ why: String) -> HostFailure
    ) async throws(HostFailure) {
        let call = Call(.bluez, path, interface, member, arguments, within: limit)
        do throws(CallFailure) {
            // An adapter that has just been switched on, or found, may not be ready.
            _ = try await again(rounds, for: Self.patience, while: \.mayPass) { host throws(CallFailure) in
                try await host.connection.call(call)
            }
        } catch { throw failure(adapter?.name ?? "", member.text, "\(error)") }
    }

    /// Calls bluetoothd, whatever it answers, and does not wait long for it: it heeds a call also when it comes to it
    /// after our end.
    @discardableResult
    func quietly(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = []
    ) async -> CallFailure? {
        let limit: Duration = isMute ? .zero : .seconds(2)
        do throws(CallFailure) {
            _ = try await connection.call(Call(.bluez, path, interface, member, arguments, within: limit))
            return nil
        } catch {
            if case .timedOut = error { isMute = isStopped }
            return error
        }
    }

    // MARK: What it tells

    func listen() async throws(CallFailure) -> [Connection.Subscription] {
        let changes = MatchRule(
            sender: .bluez, namespace: .bluez, interface: .properties, member: "PropertiesChanged")
        let additions = MatchRule(sender: .bluez, interface: .objectManager, member: "InterfacesAdded")
        let removals = MatchRule(sender: .bluez, interface: .objectManager, member: "InterfacesRemoved")
        return [
            try await connection.subscribe(changes) { [weak self] signal in
                self?.assumeIsolated { $0.changed(signal.path, signal.arguments) }
            },
            try await connection.subscribe(additions) { [weak self] signal in
                self?.assumeIsolated { $0.added(signal.arguments) }
            },
            try await connection.subscribe(removals) { [weak self] signal in
                self?.assumeIsolated { $0.removed(signal.arguments) }
            },
            try await connection.watch(.bluez) { [weak self] owner in
                self?.assumeIsolated { $0.belongs(to: owner) }
            },
        ]
    }

    /// Notes what a signal says of our adapter.
    func adapterChanged(_ path: ObjectPath, _ properties: Value) {
        guard let adapter, path == adapter.path, let isPowered = properties["Powered"]?.boolean else { return }
        doubts = isPowered ? nil : .switchedOff(adapter.name)
        settleDoubts()
    }

    /// Notes that our adapter is gone, if these interfaces are its.
    func adapterRemoved(_ path: ObjectPath, _ interfaces: [String]) {
        guard let adapter, path == adapter.path, interfaces.contains(InterfaceName.adapter.text), !isStopped else {
            return
        }
        doubts = .unplugged(adapter.name)
        settleDoubts()
    }

    /// bluetoothd takes everything away before it ends: only if it stays has somebody else done it.
    func settleDoubts() {
        guard doubts != nil, isInUse, !isStopped else { return }
        let round = rounds
        loop.call(at: loop.now.advanced(by: Self.patience)) { [weak self] in
            self?.assumeIsolated { host in
                if round == host.rounds, !host.isStopped, let failure = host.doubts { host.fail(failure) }
            }
        }
    }
}

extension CallFailure {
    /// Whether the same call may go well a moment later.
    fileprivate var mayPass: Bool {
        guard case .remote(let error) = self else { return false }
        return ["Failed", "NotReady", "Busy", "InProgress"].contains { error.name == "org.bluez.Error.\($0)" }
    }
}
