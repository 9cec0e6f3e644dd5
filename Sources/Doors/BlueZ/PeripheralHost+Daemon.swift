import Basics
import BlueZNames
import Bluetooth
import DBus

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
        devices = Dictionary(known.prefix(Self.maximumDevices).map { ($0.path, $0) }) { first, _ in first }
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

    /// Advertises other content from now on.
    ///
    /// bluetoothd takes changed properties of a registered advertisement: properties_changed in its src/advertising.c.
    package func changeAdvertisement(_ change: (inout Advertisement) -> Void) {
        let former = definition.advertisement.values
        change(&definition.advertisement)
        guard isAdvertising, let advertisementPath else { return }
        let changed = definition.advertisement.values.filter { name, value in
            !former.contains { $0.name == name && $0.value == value }
        }
        let missing = former.filter { name, _ in !definition.advertisement.values.contains { $0.name == name } }
        connection.assumeIsolated {
            try? $0.emitPropertiesChanged(
                of: .advertisement, at: advertisementPath, changed, invalidated: missing.map(\.name))
        }
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

// Signals of bluetoothd.
extension PeripheralHost {
    func ownerChanged(to owner: BusName?) {
        guard !isStopped, owner != self.owner.current else { return }
        let wasRunning = self.owner.current != nil
        suspectedFailure = nil
        self.owner.current = owner
        generation += 1
        if wasRunning { didLoseDaemon() }
        guard owner != nil else { return }
        let round = generation
        enqueue { await $0.register(round) }
    }

    private func didLoseDaemon() {
        (isAdvertising, isRegistered, mustUnregister) = (false, false, (false, false))
        for device in devices.values.sorted(by: { $0.path < $1.path }) where device.isConnected {
            onEvent(.disconnected(device.address))
        }
        devices.removeAll()
        clients.removeAll()
        for handle in subscribed.sorted() { subscribed(handle, false) }
        onEvent(.lost)
    }

    func propertiesChanged(_ path: ObjectPath, _ arguments: [Value]) {
        guard arguments.count == 3, let adapter = adapter?.path else { return }
        switch arguments[0].string {
        case InterfaceName.device.text:
            guard path.isBelow(adapter), let device = devices[path] else { return }
            if let isConnected = arguments[1]["Connected"]?.boolean { connected(path, isConnected) }
            if let isPaired = arguments[1]["Paired"]?.boolean { paired(path, isPaired, device.address) }
        case InterfaceName.adapter.text: adapterChanged(path, arguments[1])
        default: break
        }
    }

    private func paired(_ path: ObjectPath, _ isPaired: Bool, _ peer: DeviceAddress) {
        devices[path]?.isPaired = isPaired
        guard isPaired else { return }
        clients.insert(path)
        onEvent(.paired(peer))
    }

    func interfacesAdded(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path, let adapter = adapter?.path,
            path.isBelow(adapter),
            let properties = arguments[1][.device], var device = RemoteDevice(path, properties)
        else { return }
        guard devices[path] != nil || devices.count < Self.maximumDevices else { return }
        let isConnected = device.isConnected
        device.isConnected = false
        devices[path] = device
        connected(path, isConnected)
    }

    func interfacesRemoved(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path,
            let interfaces = arguments[1].elements?.compactMap(\.string)
        else { return }
        if interfaces.contains(InterfaceName.device.text) {
            connected(path, false)
            devices[path] = nil
            clients.remove(path)
        }
        adapterRemoved(path, interfaces)
    }

    func connected(_ path: ObjectPath, _ isConnected: Bool) {
        guard let device = devices[path], device.isConnected != isConnected else { return }
        devices[path]?.isConnected = isConnected
        isInterrupted = isConnected
        onEvent(isConnected ? .connected(device.address) : .disconnected(device.address))
    }

    func subscribed(_ handle: UInt16, _ isOn: Bool) {
        let isChange = isOn ? subscribed.insert(handle).inserted : subscribed.remove(handle) != nil
        guard isChange else { return }
        onEvent(.subscribed(handle: handle, isOn))
    }
}
