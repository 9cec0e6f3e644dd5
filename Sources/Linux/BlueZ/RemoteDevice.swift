import Bluetooth
import DBus
import HCI

/// A device that bluetoothd knows, by the properties of its Device1.  BlueZ, `doc/device-api.txt`.
///
/// What it has heard of the device at any time is told together: a name or a service may be of a packet of long ago, or of
/// the attributes that were read when it was connected.
struct RemoteDevice: Hashable {
    let path: ObjectPath
    let address: DeviceAddress
    var isConnected = false
    /// Whether its attributes are known, in the connection that there is.
    var isResolved = false
    /// Whether there are keys for it.
    private(set) var isPaired = false
    /// How strong it was heard, in dBm, in the discovery that is under way; nil when it was not.
    private(set) var rssi: Int8?
    private(set) var name: String?
    private(set) var services: [UUID] = []
    private(set) var serviceData: [UUID: [UInt8]] = [:]
    private(set) var manufacturerData: [UInt16: [UInt8]] = [:]

    /// Of each kind so many are kept.
    private static let most = 64
    /// What an AD structure has room for.
    private static let longest = 254

    /// Nil when there is no address among the properties.
    init?(_ path: ObjectPath, _ properties: Value) {
        let kind: DeviceAddress.Kind = properties["AddressType"]?.string == "random" ? .random : .public
        guard let number = properties["Address"]?.string.flatMap({ DeviceAddress($0)?.number }) else { return nil }
        (self.path, address) = (path, DeviceAddress(number, kind))
        take(properties)
    }

    /// Takes what there is of the right type; the rest stays what it was.
    mutating func take(_ properties: Value) {
        if let isConnected = properties["Connected"]?.boolean { self.isConnected = isConnected }
        if let isResolved = properties["ServicesResolved"]?.boolean { self.isResolved = isResolved }
        if !isConnected { isResolved = false }
        if let isPaired = properties["Paired"]?.boolean { self.isPaired = isPaired }
        if let rssi = properties["RSSI"]?.int16 { self.rssi = Int8(clamping: rssi) }
        if let name = properties["Name"]?.string { self.name = String(name.prefix(Self.longest)) }
        if let texts = properties["UUIDs"]?.strings { services = texts.prefix(Self.most).compactMap { UUID($0) } }
        if let entries = properties["ServiceData"]?.entries {
            serviceData = Self.octets(of: entries) { $0.string.flatMap { UUID($0) } }
        }
        if let entries = properties["ManufacturerData"]?.entries {
            manufacturerData = Self.octets(of: entries, \.uint16)
        }
    }

    /// Forgets what has no value any more.
    mutating func forget(_ names: [String]) {
        if names.contains("RSSI") { rssi = nil }
    }

    private static func octets<Key: Hashable>(
        of entries: [Value.Entry], _ key: (Value) -> Key?
    ) -> [Key: [UInt8]] {
        var octets: [Key: [UInt8]] = [:]
        for entry in entries.prefix(most) {
            guard let key = key(entry.key), let data = (entry.value.variant ?? entry.value).octets else { continue }
            octets[key] = data
        }
        return octets
    }

    /// Whether these properties tell that it was heard, while a discovery is under way.
    static func isHeard(by properties: Value) -> Bool {
        ["RSSI", "ManufacturerData", "ServiceData", "Name", "UUIDs"].contains { properties[$0] != nil }
    }

    /// As a controller would have reported it.  Whether it can be connected to bluetoothd does not tell: it is taken for so.
    /// What an AD structure has no room for is left out.
    func report(isHeard: Bool = true) -> AdvertisingReport {
        var data = AdvertisingData(limit: .extended)
        func add(_ size: Int, _ append: (inout AdvertisingData) throws -> Void) {
            if size <= Self.longest { try? append(&data) }
        }
        let assigned = services.filter { $0.number != nil }
        let others = services.filter { $0.number == nil }.prefix(Self.longest / 16)
        add(2 * assigned.count) { try $0.append(services: assigned + others) }
        if let name { add(name.utf8.count) { try $0.append(localName: name) } }
        for (service, octets) in serviceData.sorted(by: { $0.key.description < $1.key.description }) {
            add(16 + octets.count) { try $0.append(serviceData: octets, of: service) }
        }
        for (company, octets) in manufacturerData.sorted(by: { $0.key < $1.key }) {
            add(2 + octets.count) { try $0.append(manufacturerSpecificData: octets, company: company) }
        }
        return AdvertisingReport(
            kind: .undirected, address: address, data: data.octets, rssi: isHeard ? rssi ?? 127 : 127)
    }
}
