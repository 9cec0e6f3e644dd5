import Bluetooth
import DBus
import Simulation

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
        for handle in subscribed.sorted() { subscribed(handle, false) }
        onEvent(.lost)
    }

    func propertiesChanged(_ path: ObjectPath, _ arguments: [Value]) {
        guard arguments.count == 3, let adapter = adapter?.path else { return }
        switch arguments[0].string {
        case InterfaceName.device.text:
            guard path.isBelow(adapter), let device = devices[path] else { return }
            if let isConnected = arguments[1]["Connected"]?.boolean { connected(path, isConnected) }
            if arguments[1]["Paired"]?.boolean == true { onEvent(.paired(device.address)) }
        case InterfaceName.adapter.text: adapterChanged(path, arguments[1])
        default: break
        }
    }

    func interfacesAdded(_ arguments: [Value]) {
        guard arguments.count == 2, let path = arguments[0].path, let adapter = adapter?.path,
            path.isBelow(adapter),
            let properties = arguments[1][.device], var device = RemoteDevice(path, properties)
        else { return }
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
