import BlueZNames
package import Bluetooth
import DBus
import HCI

/// A Bluetooth adapter of this machine, as bluetoothd describes it.
package struct Adapter: Hashable, Sendable {
    /// The name: `hci0`.
    package let name: String
    /// The address; nil if it is not readable.
    package let address: DeviceAddress?
    /// The name under which other devices see it.
    package let alias: String
    package let isPowered: Bool
    /// Whether other devices can pair with it.
    package let isPairable: Bool
    /// Whether programs can serve attributes with it.
    package let servesAttributes: Bool
    /// How many more advertisements it can send; nil if it cannot advertise.
    package let freeAdvertisements: Int?
    /// Its roles: `central`, `peripheral` and `central-peripheral`; empty before BlueZ 5.55.
    package let roles: [String]

    var path: ObjectPath? { try? ObjectPath("/org/bluez/\(name)") }

    init?(_ path: ObjectPath, _ interfaces: Value) {
        let prefix = "/org/bluez/"
        guard path.text.hasPrefix(prefix), let adapter = interfaces[.adapter] else { return nil }
        name = String(path.text.dropFirst(prefix.count))
        address = adapter["Address"]?.string.flatMap { DeviceAddress($0) }
        alias = adapter["Alias"]?.string ?? ""
        isPowered = adapter["Powered"]?.boolean ?? false
        isPairable = adapter["Pairable"]?.boolean ?? false
        roles = adapter["Roles"]?.elements?.compactMap(\.string) ?? []
        servesAttributes = interfaces[.gattManager] != nil
        freeAdvertisements = interfaces[.advertisingManager].map { Int($0["SupportedInstances"]?.byte ?? 0) }
    }
}

/// The objects of bluetoothd: adapters and devices.
struct Objects {
    /// The interfaces of each object, with their properties: `a{oa{sa{sv}}}`.
    private(set) var all: [(path: ObjectPath, interfaces: Value)] = []
    private(set) var adapters: [Adapter] = []
    private(set) var devices: [RemoteDevice] = []

    static func all(_ connection: Connection, within limit: Duration) async throws(CallFailure) -> Objects {
        let call = Call(
            .bluez, .root, .objectManager, "GetManagedObjects", reply: "a{oa{sa{sv}}}",
            within: limit)
        var objects = Objects()
        for entry in try await connection.call(call).first?.entries ?? [] {
            guard let path = entry.key.path else { continue }
            objects.all.append((path, entry.value))
            if let adapter = Adapter(path, entry.value) { objects.adapters.append(adapter) }
            if let device = entry.value[.device].flatMap({ RemoteDevice(path, $0) }) { objects.devices.append(device) }
        }
        objects.adapters.sort { $0.name < $1.name }
        return objects
    }
}

/// A device known to bluetoothd, with the properties of its Device1. BlueZ, `doc/device-api.txt`.
///
/// The properties are not from a single packet: a name or service may come from an old packet, or from attributes read
/// during a connection.
struct RemoteDevice: Hashable {
    let path: ObjectPath
    let address: DeviceAddress
    var isConnected = false
    /// Whether its attributes are known in the current connection.
    var isResolved = false
    /// Whether this machine has keys for it.
    var isPaired = false
    /// Signal strength in dBm; nil if the device was not received in the current discovery.
    private(set) var rssi: Int8?
    private(set) var name: String?
    private(set) var services: [UUID] = []
    private(set) var serviceData: [UUID: [UInt8]] = [:]
    private(set) var manufacturerData: [UInt16: [UInt8]] = [:]

    private static let maximumEntries = 64
    private static let maximumDataLength = 254

    /// Nil if the properties contain no address.
    init?(_ path: ObjectPath, _ properties: Value) {
        let kind: DeviceAddress.Kind = properties["AddressType"]?.string == "random" ? .random : .public
        guard let number = properties["Address"]?.string.flatMap({ DeviceAddress($0)?.number }) else { return nil }
        (self.path, address) = (path, DeviceAddress(number, kind))
        update(with: properties)
    }

    /// Updates the properties that are present and have the right type.
    mutating func update(with properties: Value) {
        if let isConnected = properties["Connected"]?.boolean { self.isConnected = isConnected }
        if let isResolved = properties["ServicesResolved"]?.boolean { self.isResolved = isResolved }
        if !isConnected { isResolved = false }
        if let isPaired = properties["Paired"]?.boolean { self.isPaired = isPaired }
        if let rssi = properties["RSSI"]?.int16 { self.rssi = Int8(clamping: rssi) }
        if let name = properties["Name"]?.string { self.name = String(name.prefix(Self.maximumDataLength)) }
        if let texts = properties["UUIDs"]?.strings {
            services = texts.prefix(Self.maximumEntries).compactMap { UUID($0) }
        }
        if let entries = properties["ServiceData"]?.entries {
            serviceData = Self.octets(of: entries) { $0.string.flatMap { UUID($0) } }
        }
        if let entries = properties["ManufacturerData"]?.entries {
            manufacturerData = Self.octets(of: entries, \.uint16)
        }
    }

    /// Removes the properties with these names, as far as they can disappear.
    mutating func invalidate(_ names: [String]) {
        if names.contains("RSSI") { rssi = nil }
    }

    private static func octets<Key: Hashable>(
        of entries: [Value.Entry], _ key: (Value) -> Key?
    ) -> [Key: [UInt8]] {
        var octets: [Key: [UInt8]] = [:]
        for entry in entries.prefix(maximumEntries) {
            guard let key = key(entry.key), let data = (entry.value.variant ?? entry.value).octets else { continue }
            octets[key] = data
        }
        return octets
    }

    /// Whether a change of these properties, during discovery, means that a packet was received.
    static func isReceived(_ properties: Value) -> Bool {
        ["RSSI", "ManufacturerData", "ServiceData", "Name", "UUIDs"].contains { properties[$0] != nil }
    }

    /// The report of a controller for this device; it is connectable, since bluetoothd does not report that. Data that
    /// does not fit into an AD structure is omitted.
    func report(isReceived: Bool = true) -> AdvertisingReport {
        var data = AdvertisingData(limit: .extended)
        func add(_ size: Int, _ append: (inout AdvertisingData) throws -> Void) {
            if size <= Self.maximumDataLength { try? append(&data) }
        }
        let assigned = services.filter { $0.number != nil }
        let others = services.filter { $0.number == nil }.prefix(Self.maximumDataLength / 16)
        add(2 * assigned.count) { try $0.append(services: assigned + others) }
        if let name { add(name.utf8.count) { try $0.append(localName: name) } }
        for (service, octets) in serviceData.sorted(by: { $0.key.description < $1.key.description }) {
            add(16 + octets.count) { try $0.append(serviceData: octets, of: service) }
        }
        for (company, octets) in manufacturerData.sorted(by: { $0.key < $1.key }) {
            add(2 + octets.count) { try $0.append(manufacturerSpecificData: octets, company: company) }
        }
        return AdvertisingReport(
            kind: .undirected, address: address, data: data.octets, rssi: isReceived ? rssi ?? 127 : 127)
    }
}
