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
        for service in services {
            let path = Self.path(of: service, below: device)
            let included = service.included.map { ObjectPath(below: device, Self.name("service", $0.range.first)) }
            objects.register(
                .service,
                [
                    ("UUID", .string(service.uuid.fullText)), ("Device", .path(device)),
                    ("Primary", .boolean(service.isPrimary)), ("Includes", .paths(included)),
                ], at: path)
            for characteristic in service.characteristics { add(characteristic, below: path, of: peer) }
        }
    }

    private func add(_ characteristic: DiscoveredCharacteristic, below service: ObjectPath, of peer: DeviceAddress) {
        let path = ObjectPath(below: service, Self.name("char", characteristic.range.first))
        var values: [(String, Value)] = [
            ("UUID", .string(characteristic.uuid.fullText)), ("Service", .path(service)), ("Value", .octets([])),
            ("Flags", .strings(characteristic.properties.flags)), ("MTU", .uint16(UInt16(devices[peer]?.mtu ?? 23))),
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
            objects.register(
                .descriptor,
                [
                    ("UUID", .string(descriptor.type.fullText)), ("Characteristic", .path(path)),
                    ("Value", .octets([])),
                ], at: place)
            devices[peer]?.values[place] = AttributePlace(
                handle: descriptor.handle, uuid: descriptor.type, characteristic: nil)
        }
    }

    /// Removes the objects of services: descriptors before their characteristic, and characteristics before their service.
    func remove(_ services: [DiscoveredService], from peer: DeviceAddress) {
        for service in services {
            let path = Self.path(of: service, below: path(of: peer))
            let values = devices[peer]?.values.keys.filter { $0.isBelow(path) } ?? []
            removeObjects(values)
            for value in values { devices[peer]?.values[value] = nil }
            objects.unregister(.gattService, at: path)
        }
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
            let offset = Int(call.arguments.first?["offset"]?.uint16 ?? 0)
            let handle = place.handle
            start(
                .procedure(offset == 0 ? .readLong(handle: handle) : .readRest(handle: handle, from: UInt16(offset))),
                on: peer,
                for: call, as: .read(call.path, interface, offset: offset))
        case "WriteValue": write(call, place, peer)
        case "StartNotify": notify(true, call, place, peer)
        default: notify(false, call, place, peer)
        }
    }

    private func write(_ call: ReceivedCall, _ place: AttributePlace, _ peer: DeviceAddress) {
        let value = call.arguments.first?.octets ?? []
        guard place.uuid != .clientCharacteristicConfiguration else {
            return fail(call, MethodError("org.bluez.Error.NotPermitted", "Write not permitted"))
        }
        let properties = place.characteristic?.properties ?? [.write]
        let wanted = call.arguments.last?["type"]?.string?.lowercased()
        let isCommand = wanted == "command" || wanted == nil && !properties.contains(.write)
        guard ["command", "request", "reliable", nil].contains(wanted),
            wanted != nil || !properties.isDisjoint(with: [.write, .writeWithoutResponse])
        else { return fail(call, .notSupported) }
        let isLong = value.count > (devices[peer]?.mtu ?? 23) - 3
        let operation: CentralOperation =
            if isCommand {
                .writeCommand(handle: place.handle, value)
            } else {
                .procedure(
                    isLong
                        ? .writeLong(handle: place.handle, value: value) : .write(handle: place.handle, value: value))
            }
        start(operation, on: peer, for: call, as: .write)
    }

    private func notify(_ isOn: Bool, _ call: ReceivedCall, _ place: AttributePlace, _ peer: DeviceAddress) {
        guard let characteristic = place.characteristic, let configuration = characteristic.configuration else {
            return fail(call, .notSupported)
        }
        start(
            .notify(isOn, value: place.handle, descriptors: characteristic.descriptorRange, configuration), on: peer,
            for: call, as: isOn ? .startNotify(call.path) : .stopNotify(call.path))
    }

    // MARK: Results

    func finished(
        _ id: UInt32, _ peer: DeviceAddress, _ result: Result<CentralOutcome, CentralFailure>, _ program: ProgramID
    ) {
        guard let waiting = waiting.removeValue(forKey: id) else { return finishedWrite(id) }
        let call = waiting.call
        switch (waiting.operation, result) {
        case (.acquireNotify, .failure(let failure)): finishAcquiring(call, failure)
        case (.acquireNotify, .success): finishAcquiring(call, nil)
        case (_, .failure(let failure)): fail(call, MethodError(failure))
        case (.read(let path, let interface, let offset), .success(.procedure(.value(let value)))):
            // The signal has the whole value, as far as it is known.
            let known = objects.value("Value", of: interface, at: path)?.octets ?? []
            objects.set("Value", .octets(known.prefix(offset) + value), of: interface, at: path, isEmitted: true)
            reply(to: call, [.octets(value)])
        case (.read, .success): fail(call, .failed("Operation failed"))
        case (.write, .success): reply(to: call)
        case (.startNotify(let path), .success):
            notifying[path, default: []].insert(program)
            objects.set("Notifying", .boolean(true), of: .gattCharacteristic, at: path)
            reply(to: call)
        case (.stopNotify(let path), .success):
            stopNotifying(path, program)
            reply(to: call)
        }
    }

    func stopNotifying(_ path: ObjectPath, _ program: ProgramID) {
        guard notifying[path]?.remove(program) != nil, notifying[path]?.isEmpty == true else { return }
        notifying[path] = nil
        objects.set("Notifying", .boolean(false), of: .gattCharacteristic, at: path)
    }

    /// A value was notified: each subscription announces it for itself.
    func received(_ value: [UInt8], _ handle: UInt16, _ peer: DeviceAddress, _ program: ProgramID) {
        guard let place = devices[peer]?.values.first(where: { $1.handle == handle }),
            !send(value, at: place.key, to: program)
        else { return }
        objects.set("Value", .octets(value), of: .gattCharacteristic, at: place.key, isEmitted: true)
        flush(place.key)
    }

    // MARK: The system's own values

    func received(_ value: [UInt8], of uuid: UUID, _ peer: DeviceAddress) {
        if let place = devices[peer]?.values.first(where: { $1.uuid == uuid && $1.characteristic != nil }) {
            objects.set("Value", .octets(value), of: .gattCharacteristic, at: place.key)
        }
        guard uuid == .batteryLevel, let percentage = value.first else { return }
        let path = path(of: peer)
        if objects.contains(path, .battery) {
            objects.set("Percentage", .byte(percentage), of: .battery, at: path)
        } else {
            objects.register(.battery, [("Percentage", .byte(percentage))], at: path)
        }
    }

    func removeBattery(_ peer: DeviceAddress) { objects.unregister(.battery, at: path(of: peer)) }
}

extension DiscoveredCharacteristic {
    /// The configuration for a subscription; nil if there is nothing to subscribe to.
    fileprivate var configuration: ClientConfiguration? {
        if properties.contains(.notify) { return .notification }
        return properties.contains(.indicate) ? .indication : nil
    }
}
