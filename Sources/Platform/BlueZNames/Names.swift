package import DBus

// BlueZ, `doc/adapter-api.txt`, `gatt-api.txt`, `advertising-api.txt`, `agent-api.txt`, `device-api.txt`.

extension BusName {
    package static let bluez: BusName = "org.bluez"
}

extension ObjectPath {
    package static let root: ObjectPath = "/"
    package static let bluez: ObjectPath = "/org/bluez"
}

extension InterfaceName {
    package static let adapter: InterfaceName = "org.bluez.Adapter1"
    package static let device: InterfaceName = "org.bluez.Device1"
    package static let gattManager: InterfaceName = "org.bluez.GattManager1"
    package static let gattService: InterfaceName = "org.bluez.GattService1"
    package static let gattCharacteristic: InterfaceName = "org.bluez.GattCharacteristic1"
    package static let gattDescriptor: InterfaceName = "org.bluez.GattDescriptor1"
    package static let advertisingManager: InterfaceName = "org.bluez.LEAdvertisingManager1"
    package static let advertisement: InterfaceName = "org.bluez.LEAdvertisement1"
    package static let advertisementMonitorManager: InterfaceName = "org.bluez.AdvertisementMonitorManager1"
    package static let advertisementMonitor: InterfaceName = "org.bluez.AdvertisementMonitor1"
    package static let battery: InterfaceName = "org.bluez.Battery1"
    package static let agentManager: InterfaceName = "org.bluez.AgentManager1"
    package static let agent: InterfaceName = "org.bluez.Agent1"
}
