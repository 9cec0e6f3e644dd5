import DBus
import Simulation

// Registering at bluetoothd.
extension PeripheralHost {
    func register(_ round: Int) async {
        do {
            try await registerAll(round)
        } catch {
            if round == generation, !isStopped { fail(error) }
        }
    }

    private func registerAll(_ round: Int) async throws(HostFailure) {
        guard let application else { return }
        let (chosen, known) = try await findAdapter(
            round, definition.adapter, wasUsed: original != nil,
            preferring: { $0.servesAttributes && $0.freeAdvertisements != nil },
            failure: { $0.servesAttributes || !$0.isPowered ? nil : .cannotServe($0.name) })
        guard round == generation, let path = chosen.path else { return }
        adapter = chosen
        // Devices that are connected already are not our clients.
        devices = Dictionary(known.map { ($0.path, $0) }) { first, _ in first }
        for path in devices.keys { devices[path]?.isConnected = false }
        if original == nil { original = chosen }
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
        mustUnregister.application = true
        try await call(
            path, .gattManager, "RegisterApplication", [.path(application.root), .options([])], or: HostFailure.refused)
        guard round == generation, !isStopped else { return }
        isRegistered = true
        onEvent(.registered(chosen))
        if wantsToAdvertise { try await registerAdvertisement(round) }
    }

    func registerAdvertisement(_ round: Int) async throws(HostFailure) {
        guard isRegistered, !isAdvertising, let path = adapter?.path, let advertisementPath else { return }
        let object = definition.advertisement.object(at: advertisementPath, for: owner) { [weak self] in
            self?.assumeIsolated { $0.released() }
        }
        isInterrupted = false
        do { try await connection.export(object) } catch { throw .bus("\(error)") }
        mustUnregister.advertisement = true
        try await call(
            path, .advertisingManager, "RegisterAdvertisement", [.path(advertisementPath), .options([])],
            or: HostFailure.refused)
        guard round == generation, !isStopped else { return }
        isAdvertising = true
        onEvent(.advertising(true))
        if !wantsToAdvertise { await withdrawAdvertisement() }
    }

    func withdrawAdvertisement() async {
        guard isAdvertising, let path = adapter?.path, let advertisementPath else { return }
        (isAdvertising, mustUnregister.advertisement) = (false, false)
        await callIgnoringErrors(path, .advertisingManager, "UnregisterAdvertisement", [.path(advertisementPath)])
        await connection.unexport(advertisementPath)
        onEvent(.advertising(false))
    }

    func released() {
        guard isAdvertising else { return }
        isAdvertising = false
        onEvent(.advertising(false))
    }

    func fail(_ failure: HostFailure) {
        generation += 1
        (isAdvertising, isRegistered) = (false, false)
        onEvent(.failed(failure))
    }
}
