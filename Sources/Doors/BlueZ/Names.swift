import DBus

// BlueZ, `doc/adapter-api.txt`, `gatt-api.txt`, `advertising-api.txt`, `agent-api.txt`, `device-api.txt`.

extension BusName {
    static let bluez: BusName = "org.bluez"
}

extension ObjectPath {
    static let root: ObjectPath = "/"
    static let bluez: ObjectPath = "/org/bluez"
}

extension InterfaceName {
    static let adapter: InterfaceName = "org.bluez.Adapter1"
    static let device: InterfaceName = "org.bluez.Device1"
    static let gattManager: InterfaceName = "org.bluez.GattManager1"
    static let gattService: InterfaceName = "org.bluez.GattService1"
    static let gattCharacteristic: InterfaceName = "org.bluez.GattCharacteristic1"
    static let gattDescriptor: InterfaceName = "org.bluez.GattDescriptor1"
    static let advertisingManager: InterfaceName = "org.bluez.LEAdvertisingManager1"
    static let advertisement: InterfaceName = "org.bluez.LEAdvertisement1"
    static let agentManager: InterfaceName = "org.bluez.AgentManager1"
    static let agent: InterfaceName = "org.bluez.Agent1"
}

extension Adapter {
    /// The arguments of `Set` for a property of an adapter.
    static func setting(_ name: String, _ value: Value) -> [Value] {
        [.string(InterfaceName.adapter.text), .string(name), .variant(value)]
    }
}

extension Value {
    /// The name `org.bluez` as an argument.
    static let bluez = Value.string(BusName.bluez.text)

    /// The properties of an interface in `a{sa{sv}}`.
    subscript(interface: InterfaceName) -> Value? { entries?.first { $0.key.string == interface.text }?.value }
}
