import BlueZNames
import Bluetooth
import DBus
import GATT
import SystemBluetooth

/// The services of a program's objects, as GetManagedObjects lists them: src/gatt-database.c.
struct Application: Sendable {
    /// A characteristic, and where the program has it.
    struct Characteristic: Sendable {
        let path: ObjectPath
        let properties: CharacteristicProperties
        /// Of the published descriptors; nil: the service itself answers for one.
        var descriptors: [ObjectPath?] = []
    }

    struct Service: Sendable {
        let path: ObjectPath
        var definition: LocalService
        var characteristics: [Characteristic] = []
    }

    private(set) var services: [Service] = []
    /// The number of attributes, which is limited.
    private var size = 0
    /// The indices of services, and of services and their characteristics.
    private var servicePlaces: [ObjectPath: Int] = [:]
    private var characteristicPlaces: [ObjectPath: (service: Int, index: Int)] = [:]

    /// Reads the objects of a program; `first` is the number of its first service. Throws the answer to RegisterApplication.
    init(_ objects: Value?, numberedFrom first: UInt32) throws(MethodError) {
        guard let entries = objects?.entries, !entries.isEmpty else { throw .failed("No object received") }
        try add(entries, .gattService) { application, path, properties throws(MethodError) in
            try application.addService(path, properties, numberedFrom: first)
        }
        try add(entries, .gattCharacteristic) { application, path, properties throws(MethodError) in
            try application.addCharacteristic(path, properties)
        }
        try add(entries, .gattDescriptor) { application, path, properties throws(MethodError) in
            try application.addDescriptor(path, properties)
        }
        guard !services.isEmpty else { throw .noService }
    }

    private mutating func add(
        _ entries: [Value.Entry], _ interface: InterfaceName,
        _ add: (inout Self, ObjectPath, Value) throws(MethodError) -> Void
    ) throws(MethodError) {
        for entry in entries {
            guard let path = entry.key.path, let properties = entry.value[interface.text] else { continue }
            try add(&self, path, properties)
        }
    }

    // MARK: Objects

    /// Services of applications are looked up for each access.
    static let maximumServices = 256

    private mutating func addService(
        _ path: ObjectPath, _ properties: Value, numberedFrom first: UInt32
    ) throws(MethodError) {
        guard servicePlaces[path] == nil else { throw .noService }
        guard services.count < Self.maximumServices, let isPrimary = properties["Primary"]?.boolean else {
            throw .noEntry
        }
        var definition = LocalService(try Self.uuid(properties), isPrimary: isPrimary)
        if let includes = properties["Includes"] {
            guard case .array(of: .path, let paths) = includes else { throw .noEntry }
            // Those that come later are left out, as bluetoothd does.
            let places = paths.compactMap { $0.path.flatMap { servicePlaces[$0] } }
            definition.includes = places.map { first + UInt32($0) }
        }
        try count(1 + definition.includes.count)
        servicePlaces[path] = services.count
        services.append(Service(path: path, definition: definition))
    }

    private mutating func addCharacteristic(_ path: ObjectPath, _ properties: Value) throws(MethodError) {
        guard let parent = properties["Service"]?.path, let service = servicePlaces[parent],
            let flags = AttributeFlags(properties["Flags"], AttributeFlags.ofCharacteristic)
        else { throw .noService }
        var definition = LocalCharacteristic(try Self.uuid(properties), flags.properties)
        (definition.reading, definition.writing) = (flags.reading, flags.writing)
        definition.subscribing = flags.subscribing
        var characteristic = Characteristic(path: path, properties: flags.properties)
        if flags.extended != 0 {
            definition.descriptors = [LocalDescriptor(.characteristicExtendedProperties, [flags.extended, 0])]
            characteristic.descriptors = [nil]
        }
        try count(4)
        let index = services[service].characteristics.count
        services[service].definition.characteristics.append(definition)
        services[service].characteristics.append(characteristic)
        characteristicPlaces[path] = (service, index)
    }

    private mutating func addDescriptor(_ path: ObjectPath, _ properties: Value) throws(MethodError) {
        guard let parent = properties["Characteristic"]?.path, let (service, index) = characteristicPlaces[parent],
            let flags = AttributeFlags(properties["Flags"], AttributeFlags.ofDescriptor)
        else { throw .noService }
        var definition = LocalDescriptor(try Self.uuid(properties), nil)
        (definition.reading, definition.writing) = (flags.reading, flags.writing)
        try count(1)
        services[service].definition.characteristics[index].descriptors.append(definition)
        services[service].characteristics[index].descriptors.append(path)
    }

    private mutating func count(_ attributes: Int) throws(MethodError) {
        size += attributes
        guard size <= Int(UInt16.max) else { throw .noEntry }
    }

    /// GAP and GATT are bluetoothd's own.
    private static func uuid(_ properties: Value) throws(MethodError) -> UUID {
        guard let text = properties["UUID"]?.string, let uuid = UUID(inBlueZ: text), uuid != .genericAccess,
            uuid != .genericAttribute
        else { throw .noEntry }
        return uuid
    }
}

/// What the flags of a characteristic or of a descriptor permit: parse_chrc_flags and parse_desc_flags.
private struct AttributeFlags {
    enum Access { case reading, writing, subscribing }

    struct Meaning: Sendable {
        var properties: CharacteristicProperties = []
        /// Of the Characteristic Extended Properties.
        var extended: UInt8 = 0
        var access: Access?
        var security: LinkSecurity = []
    }

    var properties: CharacteristicProperties = []
    var extended: UInt8 = 0
    var reading: LinkSecurity?
    var writing: LinkSecurity?
    var subscribing: LinkSecurity = []

    /// Nil if there are none, or one has no meaning.
    init?(_ flags: Value?, _ meanings: [String: Meaning]) {
        guard case .array(of: .string, let names)? = flags, !names.isEmpty else { return nil }
        for name in names {
            guard let meaning = name.string.flatMap({ meanings[$0] }) else { return nil }
            properties.formUnion(meaning.properties)
            extended |= meaning.extended
            switch meaning.access {
            case .reading: reading = (reading ?? []).union(meaning.security)
            case .writing: writing = (writing ?? []).union(meaning.security)
            case .subscribing: subscribing.formUnion(meaning.security)
            case nil: break
            }
        }
        if extended != 0 { properties.insert(.extendedProperties) }
        // An attribute without any permission is not checked: check_permissions in src/shared/gatt-server.c.
        if reading == nil, writing == nil { (reading, writing) = ([], []) }
    }

    static let ofCharacteristic: [String: Meaning] = {
        var meanings: [String: Meaning] = [
            "broadcast": Meaning(properties: .broadcast),
            "extended-properties": Meaning(properties: .extendedProperties),
            "read": Meaning(properties: .read, access: .reading),
            "write": Meaning(properties: .write, access: .writing),
            "write-without-response": Meaning(properties: .writeWithoutResponse, access: .writing),
            "notify": Meaning(properties: .notify, access: .subscribing),
            "indicate": Meaning(properties: .indicate, access: .subscribing),
            "authenticated-signed-writes": Meaning(properties: .authenticatedSignedWrites, access: .writing),
            "reliable-write": Meaning(extended: 1, access: .writing), "writable-auxiliaries": Meaning(extended: 2),
            "authorize": Meaning(),
        ]
        for (prefix, security) in levels {
            meanings["\(prefix)read"] = Meaning(properties: .read, access: .reading, security: security)
            meanings["\(prefix)write"] = Meaning(properties: .write, access: .writing, security: security)
            meanings["\(prefix)notify"] = Meaning(properties: .notify, access: .subscribing, security: security)
            meanings["\(prefix)indicate"] = Meaning(properties: .indicate, access: .subscribing, security: security)
        }
        return meanings
    }()

    static let ofDescriptor: [String: Meaning] = {
        var meanings = ["read": Meaning(access: .reading), "write": Meaning(access: .writing), "authorize": Meaning()]
        for (prefix, security) in levels {
            meanings["\(prefix)read"] = Meaning(access: .reading, security: security)
            meanings["\(prefix)write"] = Meaning(access: .writing, security: security)
        }
        return meanings
    }()

    private static let levels: [(String, LinkSecurity)] = [
        ("encrypt-", .encrypted), ("encrypt-authenticated-", [.encrypted, .authenticated]),
        ("secure-", [.encrypted, .authenticated, .secureConnections, .fullKeySize]),
    ]
}

extension UUID {
    /// The forms that bt_string_to_uuid reads: `180d`, `0x180d`, and all 128 bits.
    init?(inBlueZ text: String) { self.init(text.hasPrefix("0x") ? text.dropFirst(2) : text[...]) }
}

extension MethodError {
    fileprivate static let noService = failed("No valid service object found")
    static let noEntry = failed("Failed to create entry in database")
}
