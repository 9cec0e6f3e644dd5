import Bluetooth
import DBus
import GATT

/// A device's attributes as objects that bluetoothd reads: what a GattManager1 registers.
///
///     /lubdub/device0                            ObjectManager
///     /lubdub/device0/service0                   GattService1
///     /lubdub/device0/service0/value0            GattCharacteristic1
///     /lubdub/device0/service0/value0/more0      GattDescriptor1
///
/// Generic Access and Generic Attribute are bluetoothd's own, and so are the descriptors that follow from properties.
struct Application: Sendable {
    /// Asked for values, on the loop's thread.
    struct Source: Sendable {
        let answer: @Sendable (PeripheralHost.Request) -> Result<[UInt8], ATTError>
        let subscribed: @Sendable (_ handle: UInt16, Bool) -> Void
        /// A client has confirmed an indication.
        let confirmed: @Sendable (_ handle: UInt16) -> Void
        /// The only one who may ask.
        let owner: Owner
    }

    let root: ObjectPath
    let objects: [ExportedObject]
    private let paths: [UInt16: ObjectPath]

    /// Those of a table; `number` tells several devices apart.
    init(_ table: AttributeTable, number: Int, _ source: Source) throws(InvalidArgument) {
        root = try ObjectPath("/lubdub/device\(number)")
        var (objects, paths): ([ExportedObject], [UInt16: ObjectPath]) = ([], [:])
        for (index, service) in table.services.enumerated()
        where service.isPresent && !Self.own.contains(service.uuid) {
            let path = try ObjectPath("\(root)/service\(index)")
            objects.append(ExportedObject(path, [Self.interface(of: service)]))
            for (place, characteristic) in service.characteristics.enumerated() {
                guard let handle = table.handle(ofValue: place, service: index) else { continue }
                let value = try ObjectPath("\(path)/value\(place)")
                paths[handle] = value
                objects.append(ExportedObject(value, [Self.interface(of: characteristic, handle, in: path, source)]))
                for (order, descriptor) in characteristic.descriptors.enumerated() {
                    guard let handle = table.handle(ofDescriptor: order, characteristic: place, service: index) else {
                        continue
                    }
                    let more = try ObjectPath("\(value)/more\(order)")
                    objects.append(ExportedObject(more, [Self.interface(of: descriptor, handle, below: value, source)]))
                }
            }
        }
        (self.objects, self.paths) = (objects, paths)
    }

    /// Where the value with a handle is.
    func path(of handle: UInt16) -> ObjectPath? { paths[handle] }

    private static let own: [UUID] = [UUID(0x1800), UUID(0x1801)]

    private static func interface(of service: ServiceDefinition) -> Interface {
        Interface(
            .gattService,
            properties: [
                Property("UUID", constant: .string(service.uuid.description)),
                Property("Primary", constant: .boolean(service.isPrimary)),
            ])
    }

    private static func interface(
        of descriptor: DescriptorDefinition, _ handle: UInt16, below value: ObjectPath, _ source: Source
    ) -> Interface {
        Interface(
            .gattDescriptor,
            methods: [read(handle, source), write(handle, source)].map(source.owner.only),
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
            call.answer()
        }
        let stop = Method("StopNotify") { call in
            source.subscribed(handle, false)
            call.answer()
        }
        let confirm = Method("Confirm") { call in
            source.confirmed(handle)
            call.answer()
        }
        return Interface(
            .gattCharacteristic,
            methods: [read(handle, source), write(handle, source), start, stop, confirm].map(source.owner.only),
            properties: [
                Property("UUID", constant: .string(characteristic.uuid.description)),
                Property("Service", constant: .path(service)),
                Property(
                    "Flags",
                    constant: .strings(
                        characteristic.properties.flags + characteristic.permissions.securityFlags
                            + characteristic.subscriptionFlags)),
            ])
    }

    private static func read(_ handle: UInt16, _ source: Source) -> Method {
        Method("ReadValue", takes: Parameters("a{sv}", "options"), gives: Parameters("ay", "value")) { call in
            let options = call.arguments.first
            guard let offset = Self.offset(options) else { return call.refuse(.invalidOffset) }
            answer(call, .read(offset: offset), handle, options, source) { [.octets($0)] }
        }
    }

    private static func write(_ handle: UInt16, _ source: Source) -> Method {
        Method("WriteValue", takes: Parameters("aya{sv}", "value", "options")) { call in
            guard call.arguments.count == 2, let value = call.arguments[0].octets else {
                return call.refuse(.invalidValueLength)
            }
            let options = call.arguments[1]
            // A long write comes whole, in pieces that each have an offset: BlueZ before 5.44 only.
            guard Self.offset(options) == 0 else { return call.refuse(.invalidOffset) }
            let isCommand = options["type"]?.string == "command"
            answer(call, .write(value, isCommand: isCommand), handle, options, source) { _ in [] }
        }
    }

    /// Where a read or a write begins, 0 unless it is said; nil when that is no number that an offset can be.
    private static func offset(_ options: Value?) -> Int? {
        guard let offset = options?["offset"] else { return 0 }
        return offset.uint16.map(Int.init)
    }

    private static func answer(
        _ call: Invocation, _ kind: PeripheralHost.Request.Kind, _ handle: UInt16, _ options: Value?,
        _ source: Source, _ results: ([UInt8]) -> [Value]
    ) {
        let request = PeripheralHost.Request(
            kind: kind, handle: handle, device: options?["device"]?.path, mtu: options?["mtu"]?.uint16.map(Int.init))
        switch source.answer(request) {
        case .success(let value): call.answer(results(value))
        case .failure(let error): call.refuse(Refusal(error))
        }
    }
}

extension CharacteristicProperties {
    /// BlueZ's names.
    private static let names: [(CharacteristicProperties, String)] = [
        (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
        (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
        (.authenticatedSignedWrites, "authenticated-signed-writes"), (.extendedProperties, "extended-properties"),
    ]

    /// Those that are served: extended ones follow from the flags for them.
    fileprivate var flags: [String] {
        Self.names.filter { subtracting(.extendedProperties).contains($0.0) }.map(\.1)
    }

    /// Those that are named; names that a declaration has no bit for are left out.
    init(flags: [String]) {
        self = Self.names.reduce([]) { flags.contains($1.1) ? $0.union($1.0) : $0 }
    }
}

extension CharacteristicDefinition {
    /// How secure a link has to be for subscribing, by BlueZ's names, since 5.62: as for anything else of the value.
    fileprivate var subscriptionFlags: [String] {
        let security = permissions.securityToRead.union(permissions.securityToWrite)
        guard !security.isDisjoint(with: [.encrypted, .authenticated]) else { return [] }
        let kind = security.contains(.authenticated) ? "encrypt-authenticated-" : "encrypt-"
        let names: [(CharacteristicProperties, String)] = [(.notify, "notify"), (.indicate, "indicate")]
        return names.filter { properties.contains($0.0) }.map { kind + $0.1 }
    }
}

extension AttributePermissions {
    /// By BlueZ's names, as they are of a descriptor.
    fileprivate var flags: [String] {
        (contains(.readable) ? ["read"] : []) + (contains(.writeable) ? ["write"] : []) + securityFlags
    }

    /// How secure bluetoothd keeps the link: it refuses what the link does not have.
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

extension Refusal {
    /// The client asks for octets behind the end.
    fileprivate static let invalidOffset = Refusal(ATTError.invalidOffset)
    /// The value is no array of octets.
    fileprivate static let invalidValueLength = Refusal(ATTError.invalidAttributeValueLength)

    /// The error that bluetoothd makes `error` of: `src/gatt-database.c`, `dbus_error_to_att_ecode`.
    ///
    /// It has no name for any other error, and makes Unlikely Error (0x0E) of them, but of 0x80 to 0x9F, which are
    /// written as a number; before BlueZ 5.66, of 0x80 alone.
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
