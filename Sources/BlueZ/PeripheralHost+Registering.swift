import DBus
import Simulation

// What is asked of bluetoothd, one thing after the other.
extension PeripheralHost {
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

    func register(_ round: Int) async {
        do {
            try await handOver(round)
        } catch {
            if round == rounds, !isStopped { fail(error) }
        }
    }

    func handOver(_ round: Int) async throws(HostFailure) {
        guard let application else { return }
        let (chosen, known) = try await choose(round)
        guard round == rounds, let path = chosen.path else { return }
        adapter = chosen
        // Who was connected before is not a client of ours.
        devices = Dictionary(known.map { ($0.path, $0) }) { first, _ in first }
        for path in devices.keys { devices[path]?.isConnected = false }
        if former == nil { former = chosen }
        if !chosen.isPowered {
            try await call(
                path, .properties, "Set", Self.setting("Powered", .boolean(true)), or: HostFailure.cannotSwitchOn)
        }
        try await call(
            path, .properties, "Set", Self.setting("Alias", .string(definition.advertisement.name)),
            or: HostFailure.refused)
        try await call(
            path, .properties, "Set", Self.setting("Pairable", .boolean(definition.isPairable)),
            or: HostFailure.refused)
        isAsked.application = true
        try await call(
            path, .gattManager, "RegisterApplication", [.path(application.root), .options([])], or: HostFailure.refused)
        guard round == rounds, !isStopped else { return }
        isRegistered = true
        tell(.registered(chosen))
        if wantsToAdvertise { try await registerAdvertisement(round) }
    }

    /// The adapter, and the devices that it knows; one that bluetoothd has not found yet is waited for.
    func choose(_ round: Int) async throws(HostFailure) -> (Adapter, [Objects.Device]) {
        // One that was served before comes back: bluetoothd has only just begun.
        try await again(round, for: former == nil ? Self.patience : Self.longPatience) { host throws(HostFailure) in
            try await host.find()
        }
    }

    /// Tries until it goes well, for so long, or until nobody wants it any more; throws what went wrong last, or at
    /// once what does not pass.
    private func again<Answer, Failure: Error>(
        _ round: Int, for patience: Duration, while mayPass: (Failure) -> Bool = { _ in true },
        _ attempt: (isolated PeripheralHost) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let deadline = loop.now.advanced(by: patience)
        while true {
            do throws(Failure) { return try await attempt(self) } catch {
                guard mayPass(error), round == rounds, !isStopped, loop.now < deadline else { throw error }
            }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(100)))
        }
    }

    func find() async throws(HostFailure) -> (Adapter, [Objects.Device]) {
        let objects: Objects
        do { objects = try await Objects.all(connection, within: limit) } catch { throw .bus("\(error)") }
        let named = objects.adapters.filter { definition.adapter == nil || $0.name == definition.adapter }
        guard let adapter = named.first(where: { $0.servesAttributes && $0.freeAdvertisements != nil }) ?? named.first
        else { throw .noAdapter(wanted: definition.adapter, there: objects.adapters.map(\.name)) }
        guard adapter.servesAttributes || !adapter.isPowered else { throw .cannotServe(adapter.name) }
        return (adapter, objects.devices.filter { device in adapter.path.map(device.path.isBelow) ?? false })
    }

    func registerAdvertisement(_ round: Int) async throws(HostFailure) {
        guard isRegistered, !isAdvertising, let path = adapter?.path, let advertisementPath else { return }
        let object = definition.advertisement.object(at: advertisementPath, for: owner) { [weak self] in
            self?.assumeIsolated { $0.released() }
        }
        isInterrupted = false
        do { try await connection.export(object) } catch { throw .bus("\(error)") }
        isAsked.advertisement = true
        try await call(
            path, .advertisingManager, "RegisterAdvertisement", [.path(advertisementPath), .options([])],
            or: HostFailure.refused)
        guard round == rounds, !isStopped else { return }
        isAdvertising = true
        tell(.advertising(true))
        if !wantsToAdvertise { await withdrawAdvertisement() }
    }

    func withdrawAdvertisement() async {
        guard isAdvertising, let path = adapter?.path, let advertisementPath else { return }
        (isAdvertising, isAsked.advertisement) = (false, false)
        await quietly(path, .advertisingManager, "UnregisterAdvertisement", [.path(advertisementPath)])
        await connection.withdraw(advertisementPath)
        tell(.advertising(false))
    }

    func released() {
        guard isAdvertising else { return }
        isAdvertising = false
        tell(.advertising(false))
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

    func fail(_ failure: HostFailure) {
        rounds += 1
        (isAdvertising, isRegistered) = (false, false)
        tell(.failed(failure))
    }
}

extension CallFailure {
    /// Whether the same call may go well a moment later.
    fileprivate var mayPass: Bool {
        guard case .remote(let error) = self else { return false }
        return ["org.bluez.Error.Failed", "org.bluez.Error.NotReady", "org.bluez.Error.Busy"].contains(error.name)
    }
}
