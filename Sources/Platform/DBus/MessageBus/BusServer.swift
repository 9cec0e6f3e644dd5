import CLubdubDBus

/// A libdbus server: accepts the connections of programs. Nothing here blocks.
@safe
struct BusServer: ~Copyable {
    /// The connections and watches that libdbus hands over.
    @safe
    private final class Received {
        var connections: [BusHandle.Accepted] = []
        var watches: [OpaquePointer] = unsafe []
    }

    private let raw: OpaquePointer
    private let received: Received

    /// Listens at a D-Bus address (`unix:path=…`).
    init(address: String) throws(RemoteError) {
        guard !address.utf8.contains(0) else {
            throw RemoteError(name: "org.freedesktop.DBus.Error.BadAddress", message: "the address contains NUL")
        }
        var error = unsafe DBusError()
        unsafe dbus_error_init(&error)
        defer { unsafe dbus_error_free(&error) }
        guard let opened = unsafe dbus_server_listen(address, &error) else {
            throw unsafe RemoteError(name: String(cString: error.name), message: String(cString: error.message))
        }
        let received = Received()
        unsafe Self.collect(into: received, from: opened)
        unsafe raw = opened
        self.received = received
    }

    private static func collect(into received: Received, from raw: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(received).toOpaque()
        unsafe dbus_server_set_new_connection_function(
            raw,
            { _, connection, context in
                guard let connection = unsafe connection, let context = unsafe context else { return }
                let received = unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
                unsafe received.connections.append(BusHandle.Accepted(connection))
            }, context, nil)
        let isSet = unsafe dbus_server_set_watch_functions(
            raw,
            { watch, context in
                guard let watch = unsafe watch, let context = unsafe context else { return 0 }
                unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue().watches.append(watch)
                return 1
            },
            { watch, context in
                guard let context = unsafe context else { return }
                let received = unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
                unsafe received.watches.removeAll { unsafe $0 == watch }
            }, nil, context, nil)
        precondition(isSet != 0, "out of memory for a server")
    }

    deinit {
        unsafe dbus_server_disconnect(raw)
        unsafe dbus_server_unref(raw)
    }

    /// The address at which programs find it, with its identifier.
    var address: String { unsafe taking(dbus_server_get_address(raw)) }

    /// Its identifier: 32 hexadecimal digits.
    var identifier: String { unsafe taking(dbus_server_get_id(raw)) }

    private func taking(_ text: UnsafeMutablePointer<CChar>?) -> String {
        guard let text = unsafe text else { preconditionFailure("out of memory for a text") }
        defer { unsafe dbus_free(text) }
        return unsafe String(cString: text)
    }

    /// The descriptors to watch for reading.
    var descriptors: [CInt] { unsafe received.watches.map { unsafe dbus_watch_get_unix_fd($0) } }

    /// Accepts the connections that are waiting at a descriptor.
    func accept(at descriptor: CInt) -> [BusHandle.Accepted] {
        let index = unsafe received.watches.firstIndex { unsafe dbus_watch_get_unix_fd($0) == descriptor }
        if let index { unsafe dbus_watch_handle(received.watches[index], DBUS_WATCH_READABLE.rawValue) }
        defer { received.connections.removeAll() }
        return received.connections
    }
}
