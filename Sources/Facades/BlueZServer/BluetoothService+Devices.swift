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
    /// Whether bluetoothd keeps it in a file: it was connected, or paired.
    var isStored = false
    /// The services that were found.
    var services: [UUID] = []
    /// The UUIDs of services that have gone, until `UUIDs` is announced.
    var gone: Set<String> = []
    /// Whether it has paired, and that was not announced yet.
    var hasNewlyPaired = false
    /// Whether some of them are new since it is connected.
    var hasNewServices = false
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
        ObjectPath(below: adapter.path, "dev_" + peer.text.replacing(":", with: "_"))
    }

    /// The devices, in order.
    var peers: [DeviceAddress] { devices.keys.sorted { $0.number < $1.number } }

    /// The paths of a device's attributes, in order.
    func attributes(of peer: DeviceAddress) -> [ObjectPath] { (devices[peer]?.values ?? [:]).keys.sorted() }

    func peer(at path: ObjectPath) -> DeviceAddress? { devices.keys.first { path.isWithin(self.path(of: $0)) } }

    // MARK: Discovery

    func discover(_ peer: DeviceAddress, _ advertisement: Advertisement, _ rssi: Int8) {
        let path = add(peer)
        func set(_ name: String, _ value: Value?, isEmitted: Bool = false) {
            if let value { objects.set(name, value, of: .device, at: path, isEmitted: isEmitted) }
        }
        if let name = advertisement.name { rename(peer, name) }
        noteSignal(rssi, at: path)
        if let appearance = advertisement.appearance {
            set("Appearance", .uint16(appearance.number))
            set("Icon", appearance.icon.map { .string($0) })
        }
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
                ("Alias", .string(peer.alias)), ("Paired", no),
                ("Bonded", no), ("Trusted", no), ("Blocked", no), ("LegacyPairing", no), ("CablePairing", no),
                ("Connected", no),
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
        let isOwn = alias != former && alias?.string != peer.alias
        objects.set("Name", .string(name), of: .device, at: path)
        if !isOwn { objects.set("Alias", .string(name), of: .device, at: path) }
    }

    func forget(_ peer: DeviceAddress) {
        let path = path(of: peer)
        if let values = devices.removeValue(forKey: peer)?.values { removeObjects(values.keys) }
        forgetMonitored(peer)
        objects.unregister(.battery, at: path)
        objects.unregister(.device, at: path)
        for call in calls.removing.removeValue(forKey: peer) ?? [] { reply(to: call) }
    }

    // MARK: Connections

    func performDevice(_ method: String, _ call: ReceivedCall) {
        guard let peer = peer(at: call.path), let sender = call.sender else { return fail(call, .doesNotExist) }
        if !isPowered, ["Connect", "Pair"].contains(method) {
            return fail(call, method == "Pair" ? .authenticationFailed : .failed("Input/output error"))
        }
        let program = program(sender).id
        switch method {
        case "Connect":
            if devices[peer]?.isConnected == true { return reply(to: call) }
            calls.connecting[peer, default: []].append(call)
            request(program, .central(.connect(peer, ConnectionOptions())))
        case "Disconnect":
            guard devices[peer]?.isConnected == true else {
                request(program, .central(.cancel(peer)))
                return reply(to: call)
            }
            calls.disconnecting[peer, default: []].append(call)
            let isCentral = peripherals.centrals.contains(peer)
            request(program, isCentral ? .peripheral(.disconnect(peer)) : .central(.cancel(peer)))
        case "Pair":
            guard calls.pairing[peer] == nil else { return fail(call, .attributeInProgress) }
            guard objects.value("Pairable", of: .adapter, at: adapter.path) == .boolean(true) else {
                return connectWithoutBond(peer, call)
            }
            calls.pairing[peer] = call
            request(program, .central(.pair(peer)))
        case "CancelPairing":
            guard calls.pairing[peer] != nil else { return fail(call, .doesNotExist) }
            request(program, .central(.cancelPairing(peer)))
            reply(to: call)
        case "DisconnectProfile": fail(call, .invalidArguments)
        default: fail(call, .failed("br-connection-sdp-search"))
        }
    }

    /// The adapter stores no keys, because it has no agent: Pair only connects.
    private func connectWithoutBond(_ peer: DeviceAddress, _ call: ReceivedCall) {
        guard let sender = call.sender, devices[peer]?.isConnected != true else {
            return fail(call, .authenticationFailed)
        }
        calls.connecting[peer, default: []].append(call)
        request(program(sender).id, .central(.connect(peer, ConnectionOptions())))
    }

    func connected(_ peer: DeviceAddress, _ mtu: Int) {
        let path = add(peer)
        devices[peer]?.isConnected = true
        devices[peer]?.isStored = true
        exchanged(mtu, peer)
        objects.set("Connected", .boolean(true), of: .device, at: path)
        for call in calls.connecting.removeValue(forKey: peer) ?? [] {
            if call.member == "Pair" { fail(call, .authenticationFailed) } else { reply(to: call) }
        }
    }

    /// The MTU of a link, which nothing announces.
    func exchanged(_ mtu: Int, _ peer: DeviceAddress) {
        devices[peer]?.mtu = mtu
        setMTU(.uint16(UInt16(clamping: mtu)), peer)
    }

    private func setMTU(_ mtu: Value?, _ peer: DeviceAddress) {
        for path in attributes(of: peer) {
            objects.replace("MTU", mtu, of: .gattCharacteristic, at: path)
        }
    }

    func failedToConnect(_ peer: DeviceAddress, _ failure: CentralFailure, _ program: ProgramID) {
        guard let waiting = calls.connecting[peer] else { return }
        // Of several calls of one program, a later one is refused.
        let index =
            failure == .inProgress ? waiting.lastIndex { isOf($0, program) } : waiting.firstIndex { isOf($0, program) }
        guard let index else { return }
        let call = calls.connecting[peer]?.remove(at: index)
        if calls.connecting[peer]?.isEmpty == true { calls.connecting[peer] = nil }
        guard let call else { return }
        let path = path(of: peer)
        if failure == .aborted { objects.set("Connected", .boolean(true), of: .device, at: path) }
        fail(call, MethodError(ofConnect: failure, adapter.version))
        guard failure == .aborted else { return }
        // The kernel reports the end of the link afterwards: bleak waits for that.
        loop.call(at: loop.now.advanced(by: Self.endOfAbortedLink)) { [weak self] in
            self?.assumeIsolated { service in
                guard service.devices[peer]?.isConnected == false else { return }
                service.objects.set("Connected", .boolean(false), of: .device, at: path)
                service.scheduleFlush()
            }
        }
    }

    /// The order of magnitude that HCI events need.
    private static let endOfAbortedLink = Duration.milliseconds(10)

    private func isOf(_ call: ReceivedCall, _ program: ProgramID) -> Bool {
        call.sender.flatMap { programs[$0]?.id } == program
    }

    func disconnected(_ peer: DeviceAddress, _ failure: CentralFailure?) {
        let path = path(of: peer)
        guard devices[peer]?.isConnected == true else { return }
        devices[peer]?.isConnected = false
        devices[peer]?.hasNewServices = false
        setMTU(nil, peer)
        objects.set("ServicesResolved", .boolean(false), of: .device, at: path)
        for call in calls.disconnecting.removeValue(forKey: peer) ?? [] { reply(to: call) }
        for call in calls.removing.removeValue(forKey: peer) ?? [] { reply(to: call) }
        reportReason(failure, at: path)
        objects.set("Connected", .boolean(false), of: .device, at: path)
        if failure == nil { flush(path) }
        updateUUIDs(peer)
        for call in calls.connecting.removeValue(forKey: peer) ?? [] {
            fail(call, MethodError(ofConnect: .cancelled, adapter.version))
        }
        if let call = calls.paired.removeValue(forKey: peer) { fail(call, MethodError(ofPair: .disconnected)) }
        flush(path)
        // Calls that the end of the link interrupts are answered before the battery goes.
        loop.call(at: loop.now) { [weak self] in
            self?.assumeIsolated { service in
                if service.devices[peer]?.isConnected != true { service.removeBattery(peer) }
                service.scheduleFlush()
            }
        }
        release { $1.peer == peer }
    }

    /// Tells programs why a connection has ended: device_disconnected in src/device.c.
    private func reportReason(_ failure: CentralFailure?, at path: ObjectPath) {
        guard adapter.version.has(.reportsReason) else { return }
        flush(path)
        let (name, message) =
            switch failure {
            case nil: ("Local", "Connection terminated by local host")
            case .disconnectedByPeripheral: ("Remote", "Connection terminated by remote user")
            case .timedOut: ("Timeout", "Connection timeout")
            case .bondLost: ("Authentication", "Connection terminated due to authentication failure")
            default: ("Unknown", "Unspecified")
            }
        emit([Signal(path, .device, "Disconnected", [.string("org.bluez.Reason.\(name)"), .string(message)])])
    }

    func resolved(_ peer: DeviceAddress) {
        let path = path(of: peer)
        if let device = devices[peer], device.hasNewServices {
            let all = Set(device.services.map(\.fullText)).sorted()
            objects.set("UUIDs", .strings(all), of: .device, at: path, isEmitted: true)
            devices[peer]?.hasNewServices = false
        }
        confirmSubscriptions(peer)
        objects.set("ServicesResolved", .boolean(true), of: .device, at: path)
        if devices[peer]?.hasNewlyPaired == true {
            devices[peer]?.hasNewlyPaired = false
            objects.set("Paired", .boolean(true), of: .device, at: path, isEmitted: true)
        }
        if let call = calls.paired.removeValue(forKey: peer) { reply(to: call) }
    }

    // MARK: Pairing

    func bonded(_ peer: DeviceAddress, _ isBonded: Bool) {
        guard isBonded || devices[peer] != nil, calls.removing[peer] == nil else { return }
        if isBonded { devices[peer]?.isStored = true }
        let path = path(of: peer)
        objects.set("Bonded", .boolean(isBonded), of: .device, at: path)
        // device_set_paired in src/device.c: it is announced with the services.
        let isCentral = peripherals.centrals.contains(peer)
        if isBonded, !isCentral, objects.value("ServicesResolved", of: .device, at: path) == .boolean(false) {
            objects.replace("Paired", .boolean(true), of: .device, at: path)
            devices[peer]?.hasNewlyPaired = true
        } else {
            objects.set("Paired", .boolean(isBonded), of: .device, at: path)
        }
    }

    func paired(_ peer: DeviceAddress, _ failure: PairingFailure?, _ program: ProgramID) {
        guard let call = calls.pairing.removeValue(forKey: peer) else { return }
        if let failure { return fail(call, MethodError(ofPair: failure)) }
        // browse_request_complete in src/device.c: a device that has paired is answered for when its services are known.
        guard objects.value("ServicesResolved", of: .device, at: path(of: peer)) == .boolean(false) else {
            return reply(to: call)
        }
        calls.paired[peer] = call
    }
}

extension Appearance {
    /// The name of an icon: gap_appearance_to_icon in src/dbus-common.c.
    fileprivate var icon: String? {
        switch (number >> 6, number & 0x3F) {
        case (0x01, _): "phone"
        case (0x02, _): "computer"
        case (0x05, _): "video-display"
        case (0x0A, _): "multimedia-player"
        case (0x0B, _), (0x0F, 0x08): "scanner"
        case (0x0F, 0x01): "input-keyboard"
        case (0x0F, 0x02): "input-mouse"
        case (0x0F, 0x03), (0x0F, 0x04): "input-gaming"
        case (0x0F, 0x05): "input-tablet"
        default: nil
        }
    }
}

extension UUID {
    /// 128 bits, in lower case.
    var fullText: String {
        number == nil ? description : "0000\(description.lowercased())-0000-1000-8000-00805f9b34fb"
    }
}
