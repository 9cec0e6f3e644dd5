import BlueZNames
import DBus

// The interfaces of bluetoothd: doc/org.bluez.*.rst, and the tables in src and src/gatt-client.c, whose order properties have.

extension ServedInterface {
    static let introspectable = ServedInterface(
        name: "org.freedesktop.DBus.Introspectable", methods: [Method("Introspect", returns: ["xml": "s"])])

    static let properties = ServedInterface(
        name: .properties,
        methods: [
            Method("Get", ["interface": "s", "name": "s"], returns: ["value": "v"]),
            Method("Set", ["interface": "s", "name": "s", "value": "v"]),
            Method("GetAll", ["interface": "s"], returns: ["properties": "a{sv}"]),
        ],
        signals: [
            Method(
                "PropertiesChanged",
                ["interface": "s", "changed_properties": "a{sv}", "invalidated_properties": "as"])
        ])

    static let objectManager = ServedInterface(
        name: .objectManager,
        methods: [Method("GetManagedObjects", returns: ["objects": "a{oa{sa{sv}}}"])],
        signals: [
            Method("InterfacesAdded", ["object": "o", "interfaces": "a{sa{sv}}"]),
            Method("InterfacesRemoved", ["object": "o", "interfaces": "as"]),
        ])

    /// Whether each object has it.
    var isStandard: Bool { name == Self.introspectable.name || name == Self.properties.name }

    static let adapter = ServedInterface(
        name: .adapter,
        methods: [
            Method("StartDiscovery"), Method("SetDiscoveryFilter", ["properties": "a{sv}"]), Method("StopDiscovery"),
            Method("RemoveDevice", ["device": "o"]), Method("GetDiscoveryFilters", returns: ["filters": "as"]),
        ],
        properties: [
            Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
            Property("Alias", "s", isWritable: true), Property("Class", "u"),
            Property("Connectable", "b", isWritable: true, since: 79), Property("Powered", "b", isWritable: true),
            Property("PowerState", "s", since: 73), Property("Discoverable", "b", isWritable: true),
            Property("DiscoverableTimeout", "u", isWritable: true), Property("Pairable", "b", isWritable: true),
            Property("PairableTimeout", "u", isWritable: true), Property("Discovering", "b"), Property("UUIDs", "as"),
            Property("Modalias", "s"), Property("Roles", "as"), Property("ExperimentalFeatures", "as", since: 62),
            Property("Manufacturer", "q", since: 71), Property("Version", "y", since: 71),
        ])

    static let gattManager = ServedInterface(
        name: .gattManager,
        methods: [
            Method("RegisterApplication", ["application": "o", "options": "a{sv}"]),
            Method("UnregisterApplication", ["application": "o"]),
        ])

    static let advertisingManager = ServedInterface(
        name: .advertisingManager,
        methods: [
            Method("RegisterAdvertisement", ["advertisement": "o", "options": "a{sv}"]),
            Method("UnregisterAdvertisement", ["service": "o"]),
        ],
        properties: [
            Property("ActiveInstances", "y"), Property("SupportedInstances", "y"), Property("SupportedIncludes", "as"),
            // Not of virtual controllers, which advertise on the primary channels only.
            Property("SupportedSecondaryChannels", "as"),
        ])

    static let device = ServedInterface(
        name: .device,
        methods: [
            Method("Disconnect"), Method("Connect"), Method("ConnectProfile", ["UUID": "s"]),
            Method("DisconnectProfile", ["UUID": "s"]), Method("Pair"), Method("CancelPairing"),
        ],
        properties: [
            Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
            Property("Alias", "s", isWritable: true), Property("Class", "u"), Property("Appearance", "q"),
            Property("Icon", "s"), Property("Paired", "b"), Property("Bonded", "b", since: 65),
            Property("Trusted", "b", isWritable: true), Property("Blocked", "b", isWritable: true),
            Property("LegacyPairing", "b"), Property("CablePairing", "b", since: 83), Property("RSSI", "n"),
            Property("Connected", "b"), Property("UUIDs", "as"),
            Property("Modalias", "s"), Property("Adapter", "o"), Property("ManufacturerData", "a{qv}"),
            Property("ServiceData", "a{sv}"), Property("TxPower", "n"), Property("ServicesResolved", "b"),
            Property("WakeAllowed", "b", isWritable: true), Property("Sets", "a{oa{sv}}", since: 67),
            Property("PreferredBearer", "s", isWritable: true, since: 80),
        ],
        signals: [
            Method("Disconnected", ["name": "s", "message": "s"], since: BlueZVersion.Trait.reportsReason.rawValue)
        ])

    static let service = ServedInterface(
        name: .gattService,
        properties: [
            Property("Handle", "q", since: 69), Property("UUID", "s"), Property("Device", "o"),
            Property("Primary", "b"), Property("Includes", "ao"),
        ])

    static let characteristic = ServedInterface(
        name: .gattCharacteristic,
        methods: [
            Method("ReadValue", ["options": "a{sv}"], returns: ["value": "ay"]),
            Method("WriteValue", ["value": "ay", "options": "a{sv}"]),
            Method("AcquireWrite", ["options": "a{sv}"], returns: ["fd": "h", "mtu": "q"]),
            Method("AcquireNotify", ["options": "a{sv}"], returns: ["fd": "h", "mtu": "q"]), Method("StartNotify"),
            Method("StopNotify"),
        ],
        properties: [
            Property("Handle", "q", since: 69), Property("UUID", "s"), Property("Service", "o"),
            Property("Value", "ay"), Property("Notifying", "b"), Property("Flags", "as"),
            Property("WriteAcquired", "b"), Property("NotifyAcquired", "b"), Property("MTU", "q", since: 62),
        ])

    static let descriptor = ServedInterface(
        name: .gattDescriptor,
        methods: [
            Method("ReadValue", ["options": "a{sv}"], returns: ["value": "ay"]),
            Method("WriteValue", ["value": "ay", "options": "a{sv}"]),
        ],
        properties: [
            Property("Handle", "q", since: 69), Property("UUID", "s"), Property("Characteristic", "o"),
            Property("Value", "ay"),
        ])

    static let battery = ServedInterface(name: .battery, properties: [Property("Percentage", "y")])

    static let agentManager = ServedInterface(
        name: .agentManager,
        methods: [
            Method("RegisterAgent", ["agent": "o", "capability": "s"]), Method("UnregisterAgent", ["agent": "o"]),
            Method("RequestDefaultAgent", ["agent": "o"]),
        ])
}

extension ObjectPath {
    /// The object above; nil for the root.
    var parent: ObjectPath? {
        guard text != "/", let slash = text.lastIndex(of: "/") else { return nil }
        return slash == text.startIndex ? .root : try? ObjectPath(String(text[..<slash]))
    }
}

extension ErrorName {
    static let invalidSignature: ErrorName = "org.freedesktop.DBus.Error.InvalidSignature"
}

extension MethodError {
    // The errors of src/error.c, with their texts.
    static let inProgress = MethodError("org.bluez.Error.InProgress", "Operation already in progress")
    static let attributeInProgress = MethodError("org.bluez.Error.InProgress", "In Progress")
    static let notReady = MethodError("org.bluez.Error.NotReady", "Resource Not Ready")
    static let invalidArguments = MethodError(
        "org.bluez.Error.InvalidArguments", "Invalid arguments in method call")
    static let doesNotExist = MethodError("org.bluez.Error.DoesNotExist", "Does Not Exist")
    static let alreadyExists = MethodError("org.bluez.Error.AlreadyExists", "Already Exists")
    static let authenticationFailed = MethodError(
        "org.bluez.Error.AuthenticationFailed", "Authentication Failed")
    static let notConnected = MethodError("org.bluez.Error.NotConnected", "Not Connected")
    static let notSupported = MethodError("org.bluez.Error.NotSupported", "Operation is not supported")

    static func failed(_ text: String) -> MethodError { MethodError("org.bluez.Error.Failed", text) }
}
