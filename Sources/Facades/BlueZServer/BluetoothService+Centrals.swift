import ATT
import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import SystemBluetooth

// Programs answer the centrals that access their attributes: src/gatt-database.c.
extension BluetoothService {
    /// ATTRIBUTE_TIMEOUT in src/shared/gatt-db.c.
    private static let attributeTimeout = Duration.seconds(5)
    /// TemporaryTimeout in main.conf.
    private static let temporaryTimeout = Duration.seconds(30)

    func handle(_ event: PeripheralEvent, of program: ProgramID) {
        switch event {
        case .state(let state) where program == Self.observer: observe(.state(state))
        case .connected(let peer) where program == Self.observer: centralConnected(peer)
        case .exchangedMTU(let peer, let mtu) where program == Self.observer: devices[peer]?.mtu = mtu
        case .disconnected(let peer) where program == Self.observer: centralDisconnected(peer)
        case .state, .connected, .exchangedMTU, .disconnected: break
        case .added(let service, let failure): added(service, failure)
        case .advertising(let number, let failure): advertising(number, failure)
        case .subscribed(_, let id): subscribed(id)
        case .unsubscribed(_, let id): unsubscribed(id)
        case .requested(let peer, let accesses, let request):
            let accesses = accesses.joined()
            if accesses.first?.written == nil {
                read(accesses.first, by: peer, request, program)
            } else {
                write(accesses[...], by: peer, request, program)
            }
        case .confirmed(_, let id):
            if let (owner, place) = peripherals.place(of: id) {
                tell(owner, place.path, .gattCharacteristic, "Confirm")
            }
        case .updated: peripherals.waiting[program] = peripherals.waiting[program].map { $0 - 1 }
        }
    }

    // MARK: Devices

    private func centralConnected(_ peer: DeviceAddress) {
        let path = add(peer)
        peripherals.centrals.insert(peer)
        devices[peer]?.isConnected = true
        objects.set("Connected", .boolean(true), of: .device, at: path)
    }

    /// A central whose connection has ended is forgotten after a while, unless there is more to know about it.
    private func centralDisconnected(_ peer: DeviceAddress) {
        guard peripherals.centrals.remove(peer) != nil else { return }
        disconnected(peer, nil)
        loop.call(at: loop.now.advanced(by: Self.temporaryTimeout)) { [weak self] in
            self?.assumeIsolated { service in
                let path = service.path(of: peer)
                guard let device = service.devices[peer], !device.isConnected, device.values.isEmpty,
                    service.objects.value("Bonded", of: .device, at: path) != .boolean(true),
                    service.objects.value("RSSI", of: .device, at: path) == nil
                else { return }
                service.forget(peer)
                service.scheduleFlush()
            }
        }
    }

    /// Links with centrals end silently with the power.
    func endCentrals() {
        for peer in peripherals.centrals.sorted(by: { $0.number < $1.number }) { centralDisconnected(peer) }
    }

    // MARK: Subscriptions

    /// Each central that subscribes causes a call.
    private func subscribed(_ id: CharacteristicID) {
        guard let number = peripherals.application(with: id.service), let (owner, place) = peripherals.place(of: id)
        else { return }
        peripherals.applications[number]?.subscriptions[id, default: 0] += 1
        tell(owner, place.path, .gattCharacteristic, "StartNotify")
    }

    private func unsubscribed(_ id: CharacteristicID) {
        guard let number = peripherals.application(with: id.service), let (owner, place) = peripherals.place(of: id),
            let count = peripherals.applications[number]?.subscriptions[id]
        else { return }
        peripherals.applications[number]?.subscriptions[id] = count > 1 ? count - 1 : nil
        if count == 1 { tell(owner, place.path, .gattCharacteristic, "StopNotify") }
    }

    // MARK: Requests

    private func read(_ access: ValueAccess?, by peer: DeviceAddress, _ request: UInt32?, _ program: ProgramID) {
        guard let access, let target = target(of: access) else {
            return respond(request, .failure(.unlikelyError), program)
        }
        let arguments = [options(of: access, by: peer)]
        call(
            target.owner, target.path, target.interface, "ReadValue", arguments, reply: "ay",
            within: Self.attributeTimeout
        ) { service, result in
            let value = result.map { Array(($0.first?.octets ?? []).prefix(Self.maximumValue)) }
            service.respond(request, value.mapError { $0.attError(unlessPermitted: .readNotPermitted) }, program)
        }
    }

    /// Writes values one after another, until the program refuses one.
    private func write(
        _ accesses: ArraySlice<ValueAccess>, by peer: DeviceAddress, _ request: UInt32?, _ program: ProgramID
    ) {
        guard let access = accesses.first else { return respond(request, .success([]), program) }
        guard let target = target(of: access) else { return respond(request, .failure(.unlikelyError), program) }
        let arguments = [.octets(access.written ?? []), options(of: access, by: peer)]
        let others = accesses.dropFirst()
        guard request != nil, !target.isUnanswered else {
            tell(target.owner, target.path, target.interface, "WriteValue", arguments)
            return write(others, by: peer, request, program)
        }
        call(
            target.owner, target.path, target.interface, "WriteValue", arguments, within: Self.attributeTimeout
        ) { service, result in
            switch result {
            case .success: service.write(others, by: peer, request, program)
            case .failure(let failure):
                service.respond(
                    request, .failure(failure.attError(unlessPermitted: .writeNotPermitted)), program)
            }
        }
    }

    private func respond(_ request: UInt32?, _ result: Result<[UInt8], ATTError>, _ program: ProgramID) {
        guard let request else { return }
        self.request(program, .peripheral(.respond(request: request, result)))
    }

    /// An object of a program that an access concerns.
    private struct Target {
        let owner: BusName
        let path: ObjectPath
        let interface: InterfaceName
        /// Whether writes succeed before the program has answered: for each value that can be written without response.
        let isUnanswered: Bool
    }

    private func target(of access: ValueAccess) -> Target? {
        guard let (owner, place) = peripherals.place(of: access.characteristic) else { return nil }
        guard let descriptor = access.descriptor else {
            return Target(
                owner: owner, path: place.path, interface: .gattCharacteristic,
                isUnanswered: place.properties.contains(.writeWithoutResponse))
        }
        guard place.descriptors.indices.contains(descriptor), let path = place.descriptors[descriptor] else {
            return nil
        }
        return Target(owner: owner, path: path, interface: .gattDescriptor, isUnanswered: false)
    }

    private func options(of access: ValueAccess, by peer: DeviceAddress) -> Value {
        var options: [(name: String, value: Value)] = [("device", .path(path(of: peer)))]
        if access.offset > 0 { options.append(("offset", .uint16(UInt16(clamping: access.offset)))) }
        options.append(("link", .string("LE")))
        options.append(("mtu", .uint16(UInt16(clamping: devices[peer]?.mtu ?? 23))))
        return .options(options)
    }
}

extension [ValueAccess] {
    /// Prepared writes of one value that follow each other are one write.
    fileprivate func joined() -> [ValueAccess] {
        reduce(into: []) { result, access in
            guard let last = result.last, let before = last.written, let written = access.written,
                last.characteristic == access.characteristic, last.descriptor == access.descriptor,
                access.offset == last.offset + before.count
            else { return result.append(access) }
            result[result.count - 1] = last.writing(before + written)
        }
    }
}

extension CallFailure {
    /// The error for a central: dbus_error_to_att_ecode.
    fileprivate func attError(unlessPermitted: ATTError) -> ATTError {
        switch self {
        case .malformedReply: return .requestNotSupported
        case .remote(let error):
            switch error.name {
            case "org.bluez.Error.Failed": return ATTError(failureText: error.message)
            case "org.bluez.Error.NotSupported": return .requestNotSupported
            case "org.bluez.Error.NotAuthorized": return .insufficientAuthorization
            case "org.bluez.Error.InvalidValueLength": return .invalidAttributeValueLength
            case "org.bluez.Error.InvalidOffset": return .invalidOffset
            case "org.bluez.Error.InProgress": return .procedureAlreadyInProgress
            case "org.bluez.Error.NotPermitted": return unlessPermitted
            default: return .unlikelyError
            }
        case .timedOut, .disconnected, .invalidArgument, .cancelled: return .unlikelyError
        }
    }
}

extension ATTError {
    /// The error of a text of org.bluez.Error.Failed: a number as strtol reads it with base 0, or any other text.
    fileprivate init(failureText text: String) {
        let digits = text.drop { $0 == " " || $0 == "\t" || $0 == "\n" }
        let isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        let number =
            if isHex {
                Int(digits.dropFirst(2), radix: 16)
            } else {
                digits.hasPrefix("0") ? Int(digits, radix: 8) : Int(digits)
            }
        guard !text.isEmpty else {  // strtol reads nothing, to the end
            self = .unlikelyError
            return
        }
        guard let number else {
            self.init(rawValue: 0x80)
            return
        }
        self = (0x80...0x9F).contains(number) ? ATTError(rawValue: UInt8(number)) : .unlikelyError
    }
}
