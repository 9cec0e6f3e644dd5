import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import SystemBluetooth

/// A peripheral that the service knows.
struct Device {
    /// Of the link, in octets.
    var mtu = 23
    var isConnected = false
    /// The paths of its attributes' objects, and their handles.
    var values: [ObjectPath: AttributePlace] = [:]
}

/// Where an object's value is.
struct AttributePlace {
    let handle: UInt16
    let uuid: UUID
    /// Of a characteristic; nil: a descriptor.
    let characteristic: DiscoveredCharacteristic?
}

extension BluetoothService {
    func path(of peer: DeviceAddress) -> ObjectPath {
        ObjectPath(below: adapter.path, "dev_" + peer.text.split(separator: ":").joined(separator: "_"))
    }

    func peer(at path: ObjectPath) -> DeviceAddress? { devices.keys.first { path.isWithin(self.path(of: $0)) } }

    // MARK: Discovery

    func discover(_ peer: DeviceAddress, _ advertisement: Advertisement, _ rssi: Int8) {
        let path = add(peer)
        func set(_ name: String, _ value: Value?, isEmitted: Bool = false) {
            if let value { objects.set(name, value, of: .device, at: path, isEmitted: isEmitted) }
        }
        if let name = advertisement.name { rename(peer, name) }
        noteSignal(rssi, at: path)
        if let power = advertisement.txPower { set("TxPower", .int16(Int16(power))) }
        let repeats = programs.values.contains { $0.isDiscovering && $0.filter?.allowsDuplicates == true }
        if let data = advertisement.manufacturerData, data.count >= 2 {
            let company = UInt16(data[0]) | UInt16(data[1]) << 8
            let entry = Value.Entry(.uint16(company), .variant(.octets(Array(data.dropFirst(2)))))
            set("ManufacturerData", .dictionary(key: .uint16, value: .variant, [entry]), isEmitted: repeats)
        }
        if !advertisement.serviceData.isEmpty {
            let data = advertisement.serviceData.map { ($0.service.fullText, Value.octets($0.octets)) }
            set("ServiceData", .options(data.map { (name: $0.0, value: $0.1) }), isEmitted: repeats)
        }
        let known = objects.value("UUIDs", of: .device, at: path)?.strings ?? []
        let uuids = Set(known + advertisement.services.map(\.fullText)).sorted()
        set("UUIDs", .strings(uuids))
    }

    /// Adds the object of a peripheral, unless there is one.
    func add(_ peer: DeviceAddress) -> ObjectPath {
        let path = path(of: peer)
        guard devices[peer] == nil else { return path }
        devices[peer] = Device()
        let no = Value.boolean(false)
        objects.register(
            .device,
            [
                ("Address", .string(peer.text)), ("AddressType", .string(peer.kind == .public ? "public" : "random")),
                ("Alias", .string(peer.text.split(separator: ":").joined(separator: "-"))), ("Paired", no),
                ("Bonded", no), ("Trusted", no), ("Blocked", no), ("LegacyPairing", no), ("Connected", no),
                ("UUIDs", .strings([])), ("Adapter", .path(adapter.path)), ("ServicesResolved", no),
            ], at: path)
        return path
    }

    /// With a filter, each report is announced; else a difference of 8 dB: RSSI_THRESHOLD in src/adapter.c.
    private func noteSignal(_ rssi: Int8, at path: ObjectPath) {
        let isFiltered = programs.values.contains { $0.isDiscovering && $0.filter != nil }
        if !isFiltered, case .int16(let last)? = objects.value("RSSI", of: .device, at: path),
            abs(Int(last) - Int(rssi)) < 8
        {
            return
        }
        objects.set("RSSI", .int16(Int16(rssi)), of: .device, at: path, isEmitted: isFiltered)
    }

    func rename(_ peer: DeviceAddress, _ name: String) {
        let path = path(of: peer)
        let former = objects.value("Name", of: .device, at: path)
        let alias = objects.value("Alias", of: .device, at: path)
        let isOwn = alias != former && alias?.string != peer.text.split(separator: ":").joined(separator: "-")
        objects.set("Name", .string(name), of: .device, at: path)
        if !isOwn { objects.set("Alias", .string(name), of: .device, at: path) }
    }

    func forget(_ peer: DeviceAddress) {
        let path = path(of: peer)
        if let values = devices.removeValue(forKey: peer)?.values { removeObjects(values.keys) }
        objects.unregister(.battery, at: path)
        objects.unregister(.device, at: path)
        for call in removing.removeValue(forKey: peer) ?? [] { reply(to: call) }
    }

    // MARK: Connections

    func performDevice(_ method: String, _ call: ReceivedCall) {
        guard let peer = peer(at: call.path), let sender = call.sender else { return fail(call, .doesNotExist) }
        guard isPowered || !["Connect", "Pair"].contains(method) else { return fail(call, .notReady) }
        let program = program(sender).id
        switch method {
        case "Connect":
            if devices[peer]?.isConnected == true { return reply(to: call) }
            connecting[peer, default: []].append(call)
            request(program, .central(.connect(peer, ConnectionOptions())))
        case "Disconnect":
            guard devices[peer]?.isConnected == true else {
                request(program, .central(.cancel(peer)))
                return reply(to: call)
            }
            disconnecting[peer, default: []].append(call)
            let isCentral = peripherals.centrals.contains(peer)
            request(program, isCentral ? .peripheral(.disconnect(peer)) : .central(.cancel(peer)))
        case "Pair":
            guard pairing[peer] == nil else { return fail(call, .inProgress) }
            pairing[peer] = call
            request(program, .central(.pair(peer)))
        case "CancelPairing":
            guard pairing[peer] != nil else { return fail(call, .doesNotExist) }
            request(program, .central(.cancelPairing(peer)))
            reply(to: call)
        default: fail(call, .failed("br-connection-sdp-search"))
        }
    }

    func connected(_ peer: DeviceAddress, _ mtu: Int) {
        let path = add(peer)
        devices[peer]?.isConnected = true
        devices[peer]?.mtu = mtu
        objects.set("Connected", .boolean(true), of: .device, at: path)
        for call in connecting.removeValue(forKey: peer) ?? [] { reply(to: call) }
    }

    func failedToConnect(_ peer: DeviceAddress, _ failure: CentralFailure, _ program: ProgramID) {
        guard let calls = connecting[peer] else { return }
        // Of several calls of one program, a later one is refused.
        let index =
            failure == .inProgress ? calls.lastIndex { isOf($0, program) } : calls.firstIndex { isOf($0, program) }
        guard let index else { return }
        let call = connecting[peer]?.remove(at: index)
        if connecting[peer]?.isEmpty == true { connecting[peer] = nil }
        if let call { fail(call, MethodError(ofConnect: failure)) }
    }

    private func isOf(_ call: ReceivedCall, _ program: ProgramID) -> Bool {
        call.sender.flatMap { programs[$0]?.id } == program
    }

    func disconnected(_ peer: DeviceAddress, isWanted: Bool) {
        let path = path(of: peer)
        guard devices[peer]?.isConnected == true else { return }
        devices[peer]?.isConnected = false
        objects.set("ServicesResolved", .boolean(false), of: .device, at: path)
        for call in disconnecting.removeValue(forKey: peer) ?? [] { reply(to: call) }
        objects.set("Connected", .boolean(false), of: .device, at: path)
        for call in connecting.removeValue(forKey: peer) ?? [] { fail(call, .failed("br-connection-canceled")) }
        flush(path)
        removeBattery(peer)
        release { $1.peer == peer }
    }

    func resolved(_ peer: DeviceAddress) {
        let path = path(of: peer)
        let services = devices[peer]?.values.keys.compactMap { path in
            path.parent.flatMap { objects.value("UUID", of: .gattService, at: $0)?.string }
        }
        let known = objects.value("UUIDs", of: .device, at: path)?.strings ?? []
        objects.set("UUIDs", .strings(Set(known + (services ?? [])).sorted()), of: .device, at: path)
        objects.set("ServicesResolved", .boolean(true), of: .device, at: path)
    }

    // MARK: Pairing

    func bonded(_ peer: DeviceAddress, _ isBonded: Bool) {
        for name in ["Bonded", "Paired"] { objects.set(name, .boolean(isBonded), of: .device, at: path(of: peer)) }
    }

    func paired(_ peer: DeviceAddress, _ failure: PairingFailure?, _ program: ProgramID) {
        guard let call = pairing.removeValue(forKey: peer) else { return }
        if let failure { fail(call, MethodError(ofPair: failure)) } else { reply(to: call) }
    }
}

extension UUID {
    /// 128 bits, in lower case.
    var fullText: String {
        number == nil ? description : "0000\(description.lowercased())-0000-1000-8000-00805f9b34fb"
    }
}
