import Basics
import BlueZNames
import DBus

/// A client of bluetoothd, which may stop and start again. It makes its calls one after the other, and receives signals
/// about adapters and devices.
protocol DaemonClient: LoopActor {
    typealias Step = @Sendable (isolated Self) async -> Void

    nonisolated var connection: Connection { get }
    /// How long bluetoothd has to reply to a call.
    nonisolated var limit: Duration { get }
    var adapter: Adapter? { get }
    /// What remains to be done.
    var steps: [Step] { get set }
    var stepTask: Task<Void, any Error>? { get set }
    /// Incremented whenever the results of earlier steps become obsolete.
    var generation: Int { get }
    var isStopped: Bool { get }
    /// Whether bluetoothd did not reply to a call of `stop`: further calls do not wait.
    var isUnresponsive: Bool { get set }
    /// The probable failure of the adapter, unless bluetoothd is stopping.
    var suspectedFailure: HostFailure? { get set }
    /// Whether losing the adapter is a failure.
    var isInUse: Bool { get }

    /// An object's properties changed: `sa{sv}as`.
    func propertiesChanged(_ path: ObjectPath, _ arguments: [Value])
    /// Interfaces were added to an object: `oa{sa{sv}}`.
    func interfacesAdded(_ arguments: [Value])
    /// Interfaces were removed from an object: `oas`.
    func interfacesRemoved(_ arguments: [Value])
    /// The owner of `org.bluez` changed; nil if it has none.
    func ownerChanged(to owner: BusName?)
    /// A permanent failure: nothing more happens.
    func fail(_ failure: HostFailure)
}

extension DaemonClient {
    static var retryTimeout: Duration { .seconds(2) }
    static var restartTimeout: Duration { .seconds(10) }
    /// The maximum number of devices that are remembered; others are ignored.
    static var maximumDevices: Int { 4096 }

    // MARK: Steps

    func enqueue(_ step: @escaping Step) {
        guard !isStopped else { return }
        steps.append(step)
        if stepTask == nil { stepTask = loop.start { await self.runSteps() } }
    }

    private func runSteps() async {
        while !steps.isEmpty {
            let step = steps.removeFirst()
            await step(self)
        }
        stepTask = nil
    }

    /// Cancels the current step and all further ones.
    func cancelSteps() async {
        steps.removeAll()
        stepTask?.cancel()
        _ = try? await stepTask?.value
    }

    /// Repeats an attempt until it succeeds, the time is over or `round` is obsolete; throws its last error, or at once
    /// one that `isTransient` excludes.
    func retry<Result, Failure: Error>(
        _ round: Int, for timeout: Duration, while isTransient: (Failure) -> Bool = { _ in true },
        _ attempt: (isolated Self) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let deadline = loop.now.advanced(by: timeout)
        while true {
            do throws(Failure) { return try await attempt(self) } catch {
                guard isTransient(error), round == generation, !isStopped, loop.now < deadline else { throw error }
            }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(100)))
        }
    }

    /// Finds an adapter, by name if it is given, and its devices. Waits while there is none or `failure` rejects it; an
    /// adapter that was used before returns a while after bluetoothd has started again.
    func findAdapter(
        _ round: Int, _ name: String?, wasUsed: Bool,
        preferring isPreferred: @Sendable (Adapter) -> Bool = { _ in true },
        failure: @Sendable (Adapter) -> HostFailure? = { _ in nil }
    ) async throws(HostFailure) -> (Adapter, [RemoteDevice]) {
        try await retry(round, for: wasUsed ? Self.restartTimeout : Self.retryTimeout) { host throws(HostFailure) in
            let objects: Objects
            do { objects = try await Objects.all(host.connection, within: host.limit) } catch { throw .bus("\(error)") }
            let named = objects.adapters.filter { name == nil || $0.name == name }
            guard let adapter = named.first(where: isPreferred) ?? named.first else {
                throw .noAdapter(wanted: name, there: objects.adapters.map(\.name))
            }
            if let failure = failure(adapter) { throw failure }
            return (adapter, objects.devices.filter { device in adapter.path.map(device.path.isBelow) ?? false })
        }
    }

    func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value],
        or failure: (_ adapter: String, _ what: String, _ why: String) -> HostFailure
    ) async throws(HostFailure) {
        let call = Call(.bluez, path, interface, member, arguments, within: limit)
        do throws(CallFailure) {
            // An adapter that was just switched on or found may not be ready.
            _ = try await retry(generation, for: Self.retryTimeout, while: \.isTransient) { host throws(CallFailure) in
                try await host.connection.call(call)
            }
        } catch { throw failure(adapter?.name ?? "", member.text, "\(error)") }
    }

    /// Calls bluetoothd, ignores errors and does not wait long: bluetoothd processes the call even after this program
    /// ended.
    @discardableResult
    func callIgnoringErrors(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = [],
        within limit: Duration = .seconds(2)
    ) async -> CallFailure? {
        let limit: Duration = isUnresponsive ? .zero : limit
        do throws(CallFailure) {
            _ = try await connection.call(Call(.bluez, path, interface, member, arguments, within: limit))
            return nil
        } catch {
            if case .timedOut = error { isUnresponsive = isStopped }
            return error
        }
    }

    // MARK: Signals

    func subscribeToSignals() async throws(CallFailure) -> [Connection.Subscription] {
        let changes = MatchRule(
            sender: .bluez, namespace: .bluez, interface: .properties, member: "PropertiesChanged")
        let additions = MatchRule(sender: .bluez, interface: .objectManager, member: "InterfacesAdded")
        let removals = MatchRule(sender: .bluez, interface: .objectManager, member: "InterfacesRemoved")
        return [
            try await connection.subscribe(changes) { [weak self] signal in
                self?.assumeIsolated { $0.propertiesChanged(signal.path, signal.arguments) }
            },
            try await connection.subscribe(additions) { [weak self] signal in
                self?.assumeIsolated { $0.interfacesAdded(signal.arguments) }
            },
            try await connection.subscribe(removals) { [weak self] signal in
                self?.assumeIsolated { $0.interfacesRemoved(signal.arguments) }
            },
            try await connection.watchOwner(of: .bluez) { [weak self] owner in
                self?.assumeIsolated { $0.ownerChanged(to: owner) }
            },
        ]
    }

    func adapterChanged(_ path: ObjectPath, _ properties: Value) {
        guard let adapter, path == adapter.path, let isPowered = properties["Powered"]?.boolean else { return }
        suspectedFailure = isPowered ? nil : .switchedOff(adapter.name)
        confirmSuspectedFailure()
    }

    func adapterRemoved(_ path: ObjectPath, _ interfaces: [String]) {
        guard let adapter, path == adapter.path, interfaces.contains(InterfaceName.adapter.text), !isStopped else {
            return
        }
        suspectedFailure = .unplugged(adapter.name)
        confirmSuspectedFailure()
    }

    /// bluetoothd removes everything before it stops. Only if it is still running after a while has the adapter failed.
    func confirmSuspectedFailure() {
        guard suspectedFailure != nil, isInUse, !isStopped else { return }
        let round = generation
        loop.call(at: loop.now.advanced(by: Self.retryTimeout)) { [weak self] in
            self?.assumeIsolated { host in
                if round == host.generation, !host.isStopped, let failure = host.suspectedFailure { host.fail(failure) }
            }
        }
    }
}

extension CallFailure {
    /// Whether the same call may succeed a moment later.
    fileprivate var isTransient: Bool {
        guard case .remote(let error) = self else { return false }
        return ["Failed", "NotReady", "Busy", "InProgress"].contains { error.name == "org.bluez.Error.\($0)" }
    }
}
