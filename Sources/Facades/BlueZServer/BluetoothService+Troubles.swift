import BlueZNames
import Bluetooth
import DBus
import SystemBluetooth

/// A device that is known without having been received: bluetoothd has stored it in a file.
struct StoredDevice {
    let peer: DeviceAddress
    /// The properties that are stored.
    let properties: [(name: String, value: Value)]
}

/// The bad days of bluetoothd.
extension BluetoothService {
    /// A reason not to be on the bus.
    enum Absence {
        case service, bus
    }

    /// What happens to it.
    struct Troubles {
        /// Why it is not on the bus; empty: it is.
        var absences: Set<Absence> = []
        /// How often it has left the bus.
        var departures = 0
        /// The devices that it has when it, or the adapter, is back.
        var stored: [StoredDevice] = []
        var isUnplugged = false
        var isDiscoveryStuck = false
        var hasOtherScan = false
        /// How late its replies are; nil: they come at once.
        var delay: Duration?
    }

    /// A program of the machine that uses Bluetooth, and has no connection to the bus.
    private static let other: BusName = ":0.0"

    /// Something begins or ends that happens to the service.
    func meet(_ trouble: SystemTrouble, isOn: Bool) {
        switch trouble {
        // The first adapter's service leaves and comes back for all.
        case .serviceAway(let isAbrupt): if isFirst { isOn ? leave(.service, isAbrupt: isAbrupt) : join(.service) }
        case .busAway: if isFirst { isOn ? leave(.bus, isAbrupt: true) : join(.bus) }
        case .radioUnplugged:
            troubles.isUnplugged = isOn
            isOn ? removeAdapter() : addAdapter()
        case .discoveryStuck: troubles.isDiscoveryStuck = isOn
        case .otherScan:
            troubles.hasOtherScan = isOn
            updateOtherScan()
        case .lateReplies(let delay): troubles.delay = isOn ? delay : nil
        // The host carries them out.
        case .radioOff, .forgetting, .aborting, .resolving, .stale, .connecting: break
        }
    }

    // MARK: Away from the bus

    /// The service ends, and what programs have done with it.
    private func leave(_ absence: Absence, isAbrupt: Bool) {
        for sibling in siblings { sibling.assumeIsolated { $0.leave(absence, isAbrupt: isAbrupt) } }
        let isNew = troubles.absences.isEmpty
        if isNew, !isAbrupt { removeAdapter() }
        troubles.absences.insert(absence)
        troubles.departures += 1
        if isNew {
            if isFirst { take(.turned(.service, isOn: false)) }
            if isAbrupt, !troubles.isUnplugged { troubles.stored = devicesToStore }
            forgetPrograms()
            objects = ObjectServer(version: adapter.version)
            if isFirst { leaveBus(atOnce: isAbrupt) }
        }
        if absence == .bus, isFirst { Task(executorPreference: loop) { [bus] in await bus.turn(false) } }
    }

    /// Closes the connection, after what was sent has arrived unless it is `atOnce`.
    private func leaveBus(atOnce: Bool) {
        let connection = connection
        let close: @Sendable () -> Void = { connection.assumeIsolated { $0.close() } }
        guard !atOnce else { return close() }
        let isSent = connection.assumeIsolated { connection in
            let release = Call.bus("ReleaseName", [.string("org.bluez")], reply: "u")
            return (try? connection.call(release) { _ in close() }) != nil
        }
        if !isSent { close() }
    }

    private func forgetPrograms() {
        release { _, _ in true }
        for program in programsInOrder {
            request(program.id, .central(.close))
            leavePeripherals(program.id)
            endMonitoring(of: program.id)
        }
        (programs, names, devices, notifying) = ([:], [:], [:], [:])
        (calls, defaultAgents, isDiscoverableForProgram) = (WaitingCalls(), [], false)
    }

    /// A reason to be away has gone: the service begins again, if it was the last one.
    private func join(_ absence: Absence) {
        guard troubles.absences.contains(absence) else { return }
        let departure = troubles.departures
        Task(executorPreference: loop) { await self.join(absence, after: departure) }
    }

    private func join(_ absence: Absence, after departure: Int) async {
        if absence == .bus { await bus.turn(true) }
        guard departure == troubles.departures else { return }
        troubles.absences.remove(absence)
        guard troubles.absences.isEmpty, let fresh = try? await bus.connect() else { return }
        guard troubles.absences.isEmpty, departure == troubles.departures else { return await fresh.close() }
        connection = fresh
        addRoots()
        _ = objects.takeSignals()
        try? await serve()
        take(.turned(.service, isOn: true))
        addAdapter()
        updateOtherScan()
        bringBackSiblings()
    }

    // MARK: Adapter

    private func removeAdapter() {
        guard objects.contains(adapter.path, .adapter) else { return }
        troubles.stored = devicesToStore
        for peer in peers { forget(peer) }
        for name in programs.keys { programs[name]?.isDiscovering = false }
        endCentrals()
        for program in programsInOrder { leavePeripherals(program.id) }
        endMonitoring()
        for interface in [
            ServedInterface.advertisementMonitorManager, .advertisingManager, .gattManager, .adapter,
        ] {
            objects.unregister(interface.name, at: adapter.path)
        }
        flush()
    }

    func addAdapter() {
        guard troubles.absences.isEmpty, !troubles.isUnplugged, !objects.contains(adapter.path, .adapter) else {
            return
        }
        addAdapterObject()
        addStoredDevices()
        scheduleFlush()
    }

    private static let storedProperties = ["Name", "Alias", "Paired", "Bonded", "Trusted", "Blocked", "UUIDs"]

    private var devicesToStore: [StoredDevice] {
        peers.filter { devices[$0]?.isStored == true }.map { peer in
            let path = path(of: peer)
            let properties = Self.storedProperties.compactMap { name in
                objects.value(name, of: .device, at: path).map { (name: name, value: $0) }
            }
            return StoredDevice(peer: peer, properties: properties)
        }
    }

    private func addStoredDevices() {
        for device in troubles.stored {
            let path = add(device.peer)
            devices[device.peer]?.isStored = true
            for (name, value) in device.properties { objects.set(name, value, of: .device, at: path) }
        }
        troubles.stored = []
    }

    // MARK: Another program

    /// Lets another program of the machine scan, or stops that.
    func updateOtherScan() {
        let isScanning = programs[Self.other] != nil
        let scans = troubles.hasOtherScan && isPowered
        guard scans != (programs[Self.other]?.isDiscovering ?? false) else { return }
        guard scans else {
            guard let program = programs.removeValue(forKey: Self.other) else { return }
            return endDiscovery(of: program)
        }
        let program = Program(id: .stranger, isDiscovering: true)
        if !isScanning { request(program.id, .central(.open)) }
        programs[Self.other] = program
        scan(program)
        objects.set("Discovering", .boolean(true), of: .adapter, at: adapter.path)
    }
}
