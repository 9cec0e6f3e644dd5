import Bluetooth
import DBus
import HCI

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
    private(set) var isPaired = false
    /// Signal strength in dBm; nil if the device was not received in the current discovery.
    private(set) var rssi: Int8?
    private(set) var name: String?
    private(set) var services: [UUID] = []
    private(set) var serviceData: [UUID: [UInt8]] = [:]
    private(set) var manufacturerData: [UInt16: [UInt8]] = [:]

    private static let maximumEntries = 64
    /// Maximum length of the data of an AD structure.
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

    /// The report of a controller for this device. bluetoothd does not tell whether a device is connectable: the report
    /// says it is. Data that does not fit into an AD structure is omitted.
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
