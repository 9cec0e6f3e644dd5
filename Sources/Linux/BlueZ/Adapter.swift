public import Bluetooth
import DBus

/// A Bluetooth adapter of this machine, as bluetoothd describes it.
public struct Adapter: Hashable, Sendable {
    /// `hci0`.
    public let name: String
    /// Its address; nil when it is not readable.
    public let address: DeviceAddress?
    /// What it says that it is called.
    public let alias: String
    /// Whether it is switched on.
    public let isPowered: Bool
    /// Whether others may pair with it, and have it keep keys.
    public let isPairable: Bool
    /// Whether bluetoothd lets programs serve attributes with it.
    public let servesAttributes: Bool
    /// How many more programs can advertise with it; nil when it cannot advertise.
    public let freeAdvertisements: Int?
    /// What it can be: `central`, `peripheral` and `central-peripheral`; empty before BlueZ 5.55.
    public let roles: [String]

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

/// What bluetoothd knows: adapters, and devices that are or were near.
struct Objects {
    /// The interfaces of each object, with their properties: `a{oa{sa{sv}}}`.
    private(set) var all: [(path: ObjectPath, interfaces: Value)] = []
    private(set) var adapters: [Adapter] = []
    private(set) var devices: [RemoteDevice] = []

    /// Asks for all of them.
    static func all(_ connection: Connection, within limit: Duration) async throws(CallFailure) -> Objects {
        let call = Call(
            .bluez, .root, .objectManager, "GetManagedObjects", answer: "a{oa{sa{sv}}}",
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
