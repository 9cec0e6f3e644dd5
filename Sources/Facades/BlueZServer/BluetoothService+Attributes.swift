import ATT
import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import SystemBluetooth

extension BluetoothService {
    // MARK: Objects

    /// Adds the objects of services, depth first.
    func add(_ services: [DiscoveredService], to peer: DeviceAddress) {
        let device = path(of: peer)
        devices[peer]?.services += services.map(\.uuid)
        devices[peer]?.hasNewServices = true
        for service in services where isExported(service) {
            let path = Self.path(of: service, below: device)
            let included = service.included.map { ObjectPath(below: device, Self.name("service", $0.range.first)) }
            objects.register(
                .service,
                [
                    ("Handle", .uint16(service.range.first)), ("UUID", .string(service.uuid.fullText)),
                    ("Device", .path(device)),
                    ("Primary", .boolean(service.isPrimary)), ("Includes", .paths(included)),
                ], at: path)
            for characteristic in service.characteristics { add(characteristic, below: path, of: peer) }
        }
    }

    private func add(_ characteristic: DiscoveredCharacteristic, below service: ObjectPath, of peer: DeviceAddress) {
        let path = ObjectPath(below: service, Self.name("char", characteristic.range.first))
        var values: [(String, Value)] = [
            ("Handle", .uint16(characteristic.range.first)), ("UUID", .string(characteristic.uuid.fullText)),
            ("Service", .path(service)), ("Value", .octets([])),
            ("Flags", .strings(characteristic.flags)), ("MTU", .uint16(UInt16(devices[peer]?.mtu ?? 23))),
        ]
        if characteristic.configuration != nil { values.append(("Notifying", .boolean(notifying[path] != nil))) }
        if characteristic.properties.contains(.writeWithoutResponse) {
            values.append(("WriteAcquired", .boolean(false)))
        }
        if characteristic.properties.contains(.notify) { values.append(("NotifyAcquired", .boolean(false))) }
        objects.register(.characteristic, values, at: path)
        devices[peer]?.values[path] = AttributePlace(
            handle: characteristic.valueHandle, uuid: characteristic.uuid, characteristic: characteristic)
        for descriptor in characteristic.descriptors {
            let place = ObjectPath(below: path, Self.name("desc", descriptor.handle))
            let isKnown = descriptor.type == .characteristicExtendedProperties
            objects.register(
                .descriptor,
                [
                    ("Handle", .uint16(descriptor.handle)), ("UUID", .string(descriptor.type.fullText)),
                    ("Characteristic", .path(path)),
                    ("Value", .octets(isKnown ? characteristic.extendedProperties : [])),
                ], at: place)
            devices[peer]?.values[place] = AttributePlace(
                handle: descriptor.handle, uuid: descriptor.type, characteristic: nil)
        }
    }

    /// Removes the objects of services: descriptors before their characteristic, and characteristics before their service.
    func remove(_ services: [DiscoveredService], from peer: DeviceAddress) {
        for service in services {
            let path = Self.path(of: service, below: path(of: peer))
            let values = attributes(of: peer).filter { $0.isBelow(path) }
            removeObjects(values)
            for value in values { devices[peer]?.values[value] = nil }
            removeInclusions(of: path, from: peer)
            objects.unregister(.gattService, at: path)
            if let index = devices[peer]?.services.firstIndex(of: service.uuid) {
                devices[peer]?.services.remove(at: index)
            }
        }
        devices[peer]?.gone.formUnion(services.map(\.uuid.fullText))
        loop.call(at: loop.now) { [weak self] in
            self?.assumeIsolated { service in
                service.updateUUIDs(peer)
                service.scheduleFlush()
            }
        }
    }

    /// Whether programs see a service: bluetoothd uses Generic Access itself.
    private func isExported(_ service: DiscoveredService) -> Bool {
        service.uuid != .genericAccess || adapter.version.has(.exportsClaimedServices)
    }

    /// Whether an object belongs to a service that bluetoothd itself uses.
    private func isClaimed(_ path: ObjectPath) -> Bool {
        var above = path.parent
        while let path = above {
            if let uuid = objects.value("UUID", of: .gattService, at: path) {
                return uuid.string == UUID.genericAccess.fullText
            }
            above = path.parent
        }
        return false
    }

    /// A service that others include has gone.
    private func removeInclusions(of service: ObjectPath, from peer: DeviceAddress) {
        for path in Set(attributes(of: peer).compactMap(\.parent)).sorted() {
            guard let included = objects.value("Includes", of: .gattService, at: path)?.elements?.compactMap(\.path),
                included.contains(service)
            else { continue }
            objects.set("Includes", .paths(included.filter { $0 != service }), of: .gattService, at: path)
        }
    }

    /// The peripheral has no services with the UUIDs of services that have gone, unless there are others.
    func updateUUIDs(_ peer: DeviceAddress) {
        guard let device = devices[peer], !device.gone.isEmpty else { return }
        let path = path(of: peer)
        let known = objects.value("UUIDs", of: .device, at: path)?.strings ?? []
        let gone = device.gone.subtracting(device.services.map(\.fullText))
        objects.set("UUIDs", .strings(known.filter { !gone.contains($0) }), of: .device, at: path)
        devices[peer]?.gone.removeAll()
    }

    /// Removes the objects of values, and of their services.
    func removeObjects(_ paths: some Sequence<ObjectPath>) {
        let paths = paths.sorted(by: >)
        for path in paths {
            objects.unregister(.gattDescriptor, at: path)
            objects.unregister(.gattCharacteristic, at: path)
            notifying[path] = nil
        }
        release { path, _ in paths.contains(path) }
        for service in Set(paths.compactMap(\.parent)).sorted(by: >) { objects.unregister(.gattService, at: service) }
    }

    private static func path(of service: DiscoveredService, below device: ObjectPath) -> ObjectPath {
        ObjectPath(below: device, name("service", service.range.first))
    }

    /// `service000e`: the handle of the declaration, in four digits.
    private static func name(_ prefix: String, _ handle: UInt16) -> String {
        prefix + handle.zeroPadded(to: 4, radix: 16).lowercased()
    }

    // MARK: Calls

    func performAttribute(_ method: String, _ interface: InterfaceName, _ call: ReceivedCall) {
        guard let peer = peer(at: call.path), let place = devices[peer]?.values[call.path] else {
            return fail(call, .doesNotExist)
        }
        guard !performAcquisition(method, call, place, peer) else { return }
        switch method {
        case "ReadValue":
            guard let options = AccessOptions(call.arguments.first) else { return fail(call, .invalidArguments) }
            let (handle, offset) = (place.handle, options.offset)
            start(
                .procedure(offset == 0 ? .readLong(handle: handle) : .readRest(handle: handle, from: offset)), on: peer,
                for: call, as: .read(call.path, interface, offset: Int(offset)))
        case "WriteValue": write(call, place, peer)
        case "StartNotify": notify(true, call, place, peer)
        default: notify(false, call, place, peer)
        }
    }

    private func write(_ call: ReceivedCall, _ place: AttributePlace, _ peer: DeviceAddress) {
        let value = call.arguments.first?.octets ?? []
        guard !isClaimed(call.path) else {
            return fail(call, MethodError(CentralFailure.refused(.insufficientAuthorization)))
        }
        guard place.uuid != .clientCharacteristicConfiguration else {
            return fail(call, MethodError(CentralFailure.refused(.writeNotPermitted)))
        }
        guard let options = AccessOptions(call.arguments.last) else { return fail(call, .invalidArguments) }
        guard
            let type = options.type ?? place.characteristic?.writeType
                ?? (place.characteristic == nil ? "request" : nil)
        else { return fail(call, .notSupported) }
        let (handle, offset) = (place.handle, options.offset)
        let isLong = offset > 0 || value.count > (devices[peer]?.mtu ?? 23) - 3
        let operation: CentralOperation
        switch type {
        case "command" where value.count > (devices[peer]?.mtu ?? 23) - 3:
            return fail(call, .failed("Failed to initiate write"))
        case "command": operation = .writeCommand(handle: handle, value)
        case "reliable": operation = .procedure(.writeReliably([AttributeData(handle, value)]))
        case "request" where isLong:
            operation = .procedure(.writeRest(handle: handle, from: offset, value: value))
        case "request": operation = .procedure(.write(handle: handle, value: value))
        default: return fail(call, .notSupported)
        }
        start(operation, on: peer, for: call, as: .write)
    }

    private func notify(_ isOn: Bool, _ call: ReceivedCall, _ place: AttributePlace, _ peer: DeviceAddress) {
        if isOn, calls.disconnecting[peer] != nil { return fail(call, .notConnected) }
        guard let characteristic = place.characteristic, let configuration = characteristic.configuration else {
            return fail(call, isOn ? .notSupported : MethodError(CentralFailure.notSubscribed))
        }
        start(
            .notify(isOn, value: place.handle, descriptors: characteristic.descriptorRange, configuration), on: peer,
            for: call, as: isOn ? .startNotify(call.path) : .stopNotify(call.path))
    }

    // MARK: Results

    func finished(
        _ id: UInt32, _ peer: DeviceAddress, _ result: Result<CentralOutcome, CentralFailure>, _ program: ProgramID
    ) {
        guard let waiting = calls.operations.removeValue(forKey: id) else { return finishedWrite(id) }
        if case .read(let path, let interface, let offset) = waiting.kind,
            case .success(.procedure(.value(let value))) = result
        {
            // The signal has the whole value, as far as it is known.
            let known = objects.value("Value", of: interface, at: path)?.octets ?? []
            objects.set("Value", .octets(known.prefix(offset) + value), of: interface, at: path, isEmitted: true)
        }
        for call in waiting.calls { finished(waiting.kind, call, result, program) }
    }

    private func finished(
        _ operation: WaitingOperation.Kind, _ call: ReceivedCall, _ result: Result<CentralOutcome, CentralFailure>,
        _ program: ProgramID
    ) {
        switch (operation, result) {
        case (.acquireNotify, .failure(let failure)): finishAcquiring(call, failure)
        case (.acquireNotify, .success): finishAcquiring(call, nil)
        case (_, .failure(let failure)): fail(call, MethodError(failure))
        case (.read, .success(.procedure(.value(let value)))): reply(to: call, [.octets(value)])
        case (.read, .success): fail(call, .failed("Operation failed"))
        case (.write, .success): reply(to: call)
        case (.startNotify(let path), .success):
            notifying[path, default: []].insert(program)
            if isConnected(path) { objects.set("Notifying", .boolean(true), of: .gattCharacteristic, at: path) }
            reply(to: call)
        case (.stopNotify(let path), .success):
            stopNotifying(path, program)
            reply(to: call)
        }
    }

    /// Without a connection, the first program that stops ends what is announced; the others' subscriptions begin anew with
    /// the next one: notify_client_disconnect in src/gatt-client.c.
    func stopNotifying(_ path: ObjectPath, _ program: ProgramID) {
        guard notifying[path]?.remove(program) != nil else { return }
        let isLast = notifying[path]?.isEmpty == true
        if isLast { notifying[path] = nil }
        guard isLast || !isConnected(path) else { return }
        objects.set("Notifying", .boolean(false), of: .gattCharacteristic, at: path)
    }

    private func isConnected(_ path: ObjectPath) -> Bool { peer(at: path).flatMap { devices[$0]?.isConnected } == true }

    /// The subscriptions that were kept have begun anew.
    func confirmSubscriptions(_ peer: DeviceAddress) {
        for path in attributes(of: peer) where notifying[path] != nil {
            objects.set("Notifying", .boolean(true), of: .gattCharacteristic, at: path)
        }
    }

    /// A value was notified: each subscription announces it for itself.
    func received(_ value: [UInt8], _ handle: UInt16, _ peer: DeviceAddress, _ program: ProgramID) {
        guard let place = devices[peer]?.values.first(where: { $1.handle == handle }),
            !send(value, at: place.key, to: program)
        else { return }
        objects.set("Notifying", .boolean(true), of: .gattCharacteristic, at: place.key)
        flush(place.key)
        objects.set("Value", .octets(value), of: .gattCharacteristic, at: place.key, isEmitted: true)
        flush(place.key)
    }

    // MARK: The system's own values

    func received(_ value: [UInt8], of uuid: UUID, _ peer: DeviceAddress) {
        guard uuid == .batteryLevel, let percentage = value.first else {
            let places = devices[peer]?.values.filter { $1.uuid == uuid && $1.characteristic != nil }
            guard let path = places?.keys.min() else { return }
            return objects.replace("Value", .octets(value), of: .gattCharacteristic, at: path)
        }
        let path = path(of: peer)
        if objects.contains(path, .battery) {
            objects.set("Percentage", .byte(percentage), of: .battery, at: path)
        } else {
            objects.register(.battery, [("Percentage", .byte(percentage))], at: path)
        }
    }

    func removeBattery(_ peer: DeviceAddress) { objects.unregister(.battery, at: path(of: peer)) }
}

/// The options of ReadValue and WriteValue: parse_options in src/gatt-client.c.
private struct AccessOptions {
    var offset: UInt16 = 0
    /// In lower case.
    var type: String?

    /// Nil if an option has the wrong type; unknown ones are ignored.
    init?(_ dictionary: Value?) {
        if let given = dictionary?["offset"] {
            guard let offset = given.uint16 else { return nil }
            self.offset = offset
        }
        guard let given = dictionary?["type"] else { return }
        guard let type = given.string else { return nil }
        self.type = type.lowercased()
    }
}

extension DiscoveredCharacteristic {
    /// Its properties, and then the extended ones.  Core 6.0, Vol 3, Part G, section 3.3.3.1.
    fileprivate var flags: [String] {
        properties.flags + (isExtended(by: 1) ? ["reliable-write"] : [])
            + (isExtended(by: 2) ? ["writable-auxiliaries"] : [])
    }

    private func isExtended(by bit: UInt8) -> Bool { (extendedProperties.first ?? 0) & bit != 0 }

    /// How a value is written if the program does not choose: characteristic_write_value in src/gatt-client.c.
    fileprivate var writeType: String? {
        if isExtended(by: 1) { return "reliable" }
        if properties.contains(.write) { return "request" }
        return properties.contains(.writeWithoutResponse) ? "command" : nil
    }

    /// The configuration for a subscription; nil if there is nothing to subscribe to.
    fileprivate var configuration: ClientConfiguration? {
        if properties.contains(.notify) { return .notification }
        return properties.contains(.indicate) ? .indication : nil
    }
}
