import Basics
import DBus

/// The paths of bluetoothd's adapters, `/org/bluez/hci0` for example, and whether each is powered.
public func adapters(
    on bus: BusAddress = .system, _ loop: EventLoop
) async throws -> [(path: ObjectPath, isPowered: Bool)] {
    let connection = try await Connection.open(bus, on: loop)
    let reply = try await connection.call(
        Call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", reply: "a{oa{sa{sv}}}"))
    await connection.close()
    return (reply.first?.entries ?? []).compactMap { object in
        guard let path = object.key.path, let adapter = object.value["org.bluez.Adapter1"] else { return nil }
        return (path, adapter["Powered"]?.boolean ?? false)
    }
}
