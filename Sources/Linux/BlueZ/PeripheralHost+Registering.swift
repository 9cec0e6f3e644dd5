import DBus
import Simulation

// What is asked of bluetoothd, one thing after the other.
extension PeripheralHost {
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
                path, .properties, "Set", Adapter.setting("Powered", .boolean(true)), or: HostFailure.cannotSwitchOn)
        }
        try await call(
            path, .properties, "Set", Adapter.setting("Alias", .string(definition.advertisement.name)),
            or: HostFailure.refused)
        try await call(
            path, .properties, "Set", Adapter.setting("Pairable", .boolean(definition.isPairable)),
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
    func choose(_ round: Int) async throws(HostFailure) -> (Adapter, [RemoteDevice]) {
        // One that was served before comes back: bluetoothd has only just begun.
        try await again(round, for: former == nil ? Self.patience : Self.longPatience) { host throws(HostFailure) in
            try await host.find()
        }
    }

    func find() async throws(HostFailure) -> (Adapter, [RemoteDevice]) {
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

    func fail(_ failure: HostFailure) {
        rounds += 1
        (isAdvertising, isRegistered) = (false, false)
        tell(.failed(failure))
    }
}
