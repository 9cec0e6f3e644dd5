package import Bluetooth
import DBus

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
