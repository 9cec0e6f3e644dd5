import ATT
import BlueZNames
import Bluetooth
import DBus
import GATT

/// The attributes of a peer as objects of bluetoothd. BlueZ, `doc/gatt-api.txt`; `src/gatt-client.c`.
///
///     /org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a                      declared at handle 0x000A
///     /org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000b             declared at 0x000B, value at 0x000C
///     /org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000b/desc000d    at 0x000D
///
/// Handles are taken from the paths. A range ends with the last listed attribute, because bluetoothd does not tell its
/// real end; Generic Access and Generic Attribute are not listed. Objects without a valid handle in the right order are
/// ignored.
struct RemoteAttributes {
    /// The object and interface of an attribute.
    struct AttributeLocation: Hashable {
        let path: ObjectPath
        let interface: InterfaceName
    }

    /// There are more than `Client.maximumDiscovered` objects.
    struct TooMany: Error {}

    private(set) var services: [DiscoveredService] = []
    private var locations: [UInt16: AttributeLocation] = [:]
    private var values: [ObjectPath: UInt16] = [:]

    init() {}

    init(_ objects: [(path: ObjectPath, interfaces: Value)], of device: ObjectPath) throws(TooMany) {
        let objects = objects.filter { $0.path.isBelow(device) }
        guard objects.count <= Client.maximumDiscovered else { throw TooMany() }
        let descriptors = Self.listed(objects, .gattDescriptor, "desc", owner: "Characteristic")
        let characteristics = Self.listed(objects, .gattCharacteristic, "char", owner: "Service")
        for found in Self.listed(objects, .gattService, "service", owner: nil) {
            var service = DiscoveredService(
                uuid: found.uuid, range: HandleRange(found.handle, found.handle),
                isPrimary: found.properties["Primary"]?.boolean ?? true)
            for part in characteristics
            where part.owner == found.path && part.handle > service.range.last && part.handle < UInt16.max {
                let characteristic = add(part, descriptors.filter { $0.owner == part.path })
                service.characteristics.append(characteristic)
                service.range.last = characteristic.range.last
            }
            services.append(service)
        }
    }

    private mutating func add(_ found: Listed, _ descriptors: [Listed]) -> DiscoveredCharacteristic {
        let value = found.handle + 1
        var characteristic = DiscoveredCharacteristic(
            uuid: found.uuid, range: HandleRange(found.handle, value),
            properties: CharacteristicProperties(flags: found.properties["Flags"]?.strings ?? []), valueHandle: value)
        locations[value] = AttributeLocation(path: found.path, interface: .gattCharacteristic)
        values[found.path] = value
        for descriptor in descriptors where descriptor.handle > characteristic.range.last {
            locations[descriptor.handle] = AttributeLocation(path: descriptor.path, interface: .gattDescriptor)
            characteristic.descriptors.append(AttributeType(descriptor.handle, descriptor.uuid))
            characteristic.range.last = descriptor.handle
        }
        return characteristic
    }

    // MARK: Lookup

    func location(of handle: UInt16) -> AttributeLocation? { locations[handle] }

    func handle(ofValueAt path: ObjectPath) -> UInt16? { values[path] }

    func characteristic(ofValue handle: UInt16) -> DiscoveredCharacteristic? {
        characteristic { $0.valueHandle == handle }
    }

    /// The characteristic whose Client Characteristic Configuration has this handle.
    func characteristic(ofConfiguration handle: UInt16) -> DiscoveredCharacteristic? {
        characteristic { $0.configurationHandle == handle }
    }

    private func characteristic(where matches: (DiscoveredCharacteristic) -> Bool) -> DiscoveredCharacteristic? {
        for service in services {
            if let found = service.characteristics.first(where: matches) { return found }
        }
        return nil
    }
}

extension RemoteAttributes {
    /// An object and its properties.
    private struct Listed {
        let path: ObjectPath
        let handle: UInt16
        let uuid: UUID
        let owner: ObjectPath?
        let properties: Value
    }

    /// The objects with an interface, a handle in their path, a UUID and, if requested, an owner; sorted by handle.
    private static func listed(
        _ objects: [(path: ObjectPath, interfaces: Value)], _ interface: InterfaceName, _ prefix: String, owner: String?
    ) -> [Listed] {
        let listed = objects.compactMap { path, interfaces -> Listed? in
            guard let properties = interfaces[interface], let handle = handle(in: path, after: prefix),
                let uuid = properties["UUID"]?.string.flatMap({ UUID($0) })
            else { return nil }
            let above = owner.flatMap { properties[$0]?.path }
            guard owner == nil || above != nil else { return nil }
            return Listed(path: path, handle: handle, uuid: uuid, owner: above, properties: properties)
        }
        return listed.sorted { ($0.handle, $0.path) < ($1.handle, $1.path) }
    }

    /// The handle in the last element of a path, as in `…/char000b`; nil for 0.
    private static func handle(in path: ObjectPath, after prefix: String) -> UInt16? {
        guard let last = path.text.split(separator: "/").last, last.hasPrefix(prefix) else { return nil }
        let digits = last.dropFirst(prefix.count)
        guard digits.utf8.count == 4, let handle = UInt16(digits, radix: 16), handle > 0 else { return nil }
        return handle
    }
}

extension CallFailure {
    /// The failure of a procedure: `src/gatt-client.c`, `create_gatt_dbus_error`.
    ///
    /// bluetoothd reports errors without a D-Bus name by their number, and `Not paired` for three errors, which become
    /// Insufficient Authentication (0x05).
    func procedureFailure(for handle: UInt16) -> Procedure.Failure {
        switch self {
        case .remote(let error):
            if let code = error.attError { return .refused(code, handle: handle) }
            let isGone = error.name == "org.bluez.Error.NotConnected" || error.message == "Not connected"
            return isGone ? .disconnected : .unavailable("bluetoothd: \(self)")
        case .timedOut: return .bearerLost
        case .disconnected, .cancelled: return .disconnected
        case .malformedReply, .invalidArgument: return .unavailable("bluetoothd: \(self)")
        }
    }
}

extension RemoteError {
    /// The server's error, if it can be determined.
    var attError: ATTError? {
        let text = message.lowercased()
        switch name {
        case "org.bluez.Error.Failed":
            let prefix = "operation failed with att error: 0x"
            guard text.hasPrefix(prefix) else { return nil }
            let digits = text.dropFirst(prefix.count).prefix { $0.isHexDigit }
            return UInt8(digits, radix: 16).flatMap { $0 == 0 ? nil : ATTError(rawValue: $0) }
        case "org.bluez.Error.NotPermitted":
            let codes: [String: ATTError] = [
                "read not permitted": .readNotPermitted, "write not permitted": .writeNotPermitted,
                "not paired": .insufficientAuthentication,
            ]
            return codes[text]
        case "org.bluez.Error.InvalidArguments":
            return ["invalid offset": .invalidOffset, "invalid length": .invalidAttributeValueLength][text]
        case "org.bluez.Error.NotAuthorized": return .insufficientAuthorization
        case "org.bluez.Error.NotSupported": return .requestNotSupported
        case "org.bluez.Error.InvalidOffset": return .invalidOffset
        case "org.bluez.Error.InvalidValueLength": return .invalidAttributeValueLength
        default: return nil
        }
    }
}
