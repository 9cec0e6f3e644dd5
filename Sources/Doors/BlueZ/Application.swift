import BlueZNames
import Bluetooth
import DBus
import GATT

/// A device's attributes as objects for bluetoothd, to be registered with GattManager1.
///
///     /lubdub/device0                            ObjectManager
///     /lubdub/device0/service0                   GattService1
///     /lubdub/device0/service0/value0            GattCharacteristic1
///     /lubdub/device0/service0/value0/more0      GattDescriptor1
///
/// Generic Access, Generic Attribute, Client Characteristic Configurations and handles belong to bluetoothd.
struct Application: Sendable {
    /// Handlers for requests, called on the loop's thread.
    struct Source: Sendable {
        let respond: @Sendable (PeripheralHost.Request) -> Result<[UInt8], ATTError>
        let subscribed: @Sendable (_ handle: UInt16, Bool) -> Void
        /// Called when a client confirmed an indication.
        let confirmed: @Sendable (_ handle: UInt16) -> Void
        /// The only permitted caller.
        let owner: BlueZOwner
    }

    let root: ObjectPath
    let objects: [ExportedObject]
    private let paths: [UInt16: ObjectPath]

    /// The objects of an attribute table; `number` distinguishes several devices.
    init(_ table: AttributeTable, number: Int, _ source: Source) throws(InvalidArgument) {
        root = try ObjectPath("/lubdub/device\(number)")
        var (objects, paths): ([ExportedObject], [UInt16: ObjectPath]) = ([], [:])
        for (index, service) in table.services.enumerated()
        where service.isPresent && !Self.own.contains(service.uuid) {
            let path = try ObjectPath("\(root)/service\(index)")
            var includes: [ObjectPath] = []
            for included in service.includes where table.services[included].isPresent {
                includes.append(try ObjectPath("\(root)/service\(included)"))
            }
            objects.append(ExportedObject(path, [Self.interface(of: service, including: includes)]))
            for (order, characteristic) in service.characteristics.enumerated() {
                guard let handle = table.handle(ofValue: order, service: index) else { continue }
                let value = try ObjectPath("\(path)/value\(order)")
                paths[handle] = value
                objects.append(ExportedObject(value, [Self.interface(of: characteristic, handle, in: path, source)]))
                for (number, descriptor) in characteristic.descriptors.enumerated() where !descriptor.isConfiguration {
                    guard let handle = table.handle(ofDescriptor: number, characteristic: order, service: index) else {
                        continue
                    }
                    let more = try ObjectPath("\(value)/more\(number)")
                    objects.append(ExportedObject(more, [Self.interface(of: descriptor, handle, below: value, source)]))
                }
            }
        }
        (self.objects, self.paths) = (objects, paths)
    }

    func path(of handle: UInt16) -> ObjectPath? { paths[handle] }

    private static let own: [UUID] = [UUID(0x1800), UUID(0x1801)]

    private static func interface(of service: ServiceDefinition, including includes: [ObjectPath]) -> Interface {
        var properties = [
            Property("UUID", constant: .string(service.uuid.description)),
            Property("Primary", constant: .boolean(service.isPrimary)),
        ]
        if !includes.isEmpty { properties.append(Property("Includes", constant: .paths(includes))) }
        return Interface(.gattService, properties: properties)
    }

    private static func interface(
        of descriptor: DescriptorDefinition, _ handle: UInt16, below value: ObjectPath, _ source: Source
    ) -> Interface {
        Interface(
            .gattDescriptor,
            methods: [read(handle, source), write(handle, source)].map(source.owner.restricted),
            properties: [
                Property("UUID", constant: .string(descriptor.uuid.description)),
                Property("Characteristic", constant: .path(value)),
                Property("Flags", constant: .strings(descriptor.permissions.flags)),
            ])
    }

    private static func interface(
        of characteristic: CharacteristicDefinition, _ handle: UInt16, in service: ObjectPath, _ source: Source
    ) -> Interface {
        let start = Method("StartNotify") { call in
            source.subscribed(handle, true)
            call.reply()
        }
        let stop = Method("StopNotify") { call in
            source.subscribed(handle, false)
            call.reply()
        }
        let confirm = Method("Confirm") { call in
            source.confirmed(handle)
            call.reply()
        }
        return Interface(
            .gattCharacteristic,
            methods: [read(handle, source), write(handle, source), start, stop, confirm].map(source.owner.restricted),
            properties: [
                Property("UUID", constant: .string(characteristic.uuid.description)),
                Property("Service", constant: .path(service)),
                Property(
                    "Flags",
                    constant: .strings(characteristic.flags)),
            ])
    }

    private static func read(_ handle: UInt16, _ source: Source) -> Method {
        Method("ReadValue", arguments: Parameters("a{sv}", "options"), results: Parameters("ay", "value")) { call in
            let options = call.arguments.first
            guard let offset = Self.offset(options) else { return call.fail(with: .invalidOffset) }
            respond(to: call, .read(offset: offset), handle, options, source) { [.octets($0)] }
        }
    }

    private static func write(_ handle: UInt16, _ source: Source) -> Method {
        Method("WriteValue", arguments: Parameters("aya{sv}", "value", "options")) { call in
            guard call.arguments.count == 2, let value = call.arguments[0].octets else {
                return call.fail(with: .invalidValueLength)
            }
            let options = call.arguments[1]
            // Only BlueZ before 5.44 splits a long write into parts with offsets.
            guard Self.offset(options) == 0 else { return call.fail(with: .invalidOffset) }
            let isCommand = options["type"]?.string == "command"
            respond(to: call, .write(value, isCommand: isCommand), handle, options, source) { _ in [] }
        }
    }

    /// The offset of a read or write, 0 by default; nil if it has a wrong type.
    private static func offset(_ options: Value?) -> Int? {
        guard let offset = options?["offset"] else { return 0 }
        return offset.uint16.map(Int.init)
    }

    private static func respond(
        to call: Invocation, _ kind: ValueRequest, _ handle: UInt16, _ options: Value?,
        _ source: Source, _ results: ([UInt8]) -> [Value]
    ) {
        let request = PeripheralHost.Request(
            kind: kind, handle: handle, device: options?["device"]?.path, mtu: options?["mtu"]?.uint16.map(Int.init))
        switch source.respond(request) {
        case .success(let value): call.reply(results(value))
        case .failure(let error): call.fail(with: MethodError(error))
        }
    }
}

extension CharacteristicDefinition {
    /// BlueZ's names of properties and of the security that they need; bluetoothd derives the permissions.
    fileprivate var flags: [String] {
        // The flags of a security declare the property too.
        let declared = permissions.needing(only: AttributePermissions(properties))
        return properties.flags + declared.securityFlags + subscriptionFlags
    }

    /// BlueZ's names, since 5.62, for the security that subscribing requires: the same as for the value.
    fileprivate var subscriptionFlags: [String] {
        let security = permissions.securityToRead.union(permissions.securityToWrite)
        guard !security.isDisjoint(with: [.encrypted, .authenticated]) else { return [] }
        let kind = security.contains(.authenticated) ? "encrypt-authenticated-" : "encrypt-"
        let names: [(CharacteristicProperties, String)] = [(.notify, "notify"), (.indicate, "indicate")]
        return names.filter { properties.contains($0.0) }.map { kind + $0.1 }
    }
}

extension AttributePermissions {
    /// Without the security of the directions that `declared` lacks.
    fileprivate func needing(only declared: AttributePermissions) -> AttributePermissions {
        intersection([
            declared.contains(.readable) ? .readable(needing: .full) : [],
            declared.contains(.writeable) ? .writeable(needing: .full) : [],
        ])
    }

    /// BlueZ's names of a descriptor's permissions.
    fileprivate var flags: [String] {
        (contains(.readable) ? ["read"] : []) + (contains(.writeable) ? ["write"] : []) + securityFlags
    }

    /// BlueZ's names for the required security; bluetoothd rejects requests over links that do not have it.
    fileprivate var securityFlags: [String] {
        let needs: [(Bool, String)] = [
            (securityToRead.contains(.encrypted), "encrypt-read"),
            (securityToRead.contains(.authenticated), "encrypt-authenticated-read"),
            (securityToWrite.contains(.encrypted), "encrypt-write"),
            (securityToWrite.contains(.authenticated), "encrypt-authenticated-write"),
            (securityToRead.union(securityToWrite).contains(.authorized), "authorize"),
        ]
        return needs.filter(\.0).map(\.1)
    }
}

extension ErrorName {
    fileprivate static let invalidOffset: ErrorName = "org.bluez.Error.InvalidOffset"
    fileprivate static let invalidValueLength: ErrorName = "org.bluez.Error.InvalidValueLength"
}

extension MethodError {
    /// The offset is past the end of the value, or invalid.
    fileprivate static let invalidOffset = MethodError(ATTError.invalidOffset)
    /// The value is not an array of octets.
    fileprivate static let invalidValueLength = MethodError(ATTError.invalidAttributeValueLength)

    /// The D-Bus error that bluetoothd converts back to `error`: `src/gatt-database.c`, `dbus_error_to_att_ecode`.
    ///
    /// Other errors have no name and become Unlikely Error (0x0E), except 0x80 to 0x9F, which are sent as a number;
    /// before BlueZ 5.66 only 0x80.
    init(_ error: ATTError) {
        switch error {
        case .readNotPermitted, .writeNotPermitted: self.init("org.bluez.Error.NotPermitted", "\(error)")
        case .requestNotSupported: self.init("org.bluez.Error.NotSupported", "\(error)")
        case .invalidOffset: self.init(.invalidOffset, "\(error)")
        case .insufficientAuthorization: self.init("org.bluez.Error.NotAuthorized", "\(error)")
        case .invalidAttributeValueLength: self.init(.invalidValueLength, "\(error)")
        case .procedureAlreadyInProgress: self.init("org.bluez.Error.InProgress", "\(error)")
        default: self.init("org.bluez.Error.Failed", "0x" + String(error.rawValue, radix: 16))
        }
    }
}
