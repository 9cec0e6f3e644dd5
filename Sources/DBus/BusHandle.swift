import CDBus

/// A private connection of libdbus's, closed when it goes.  Nothing here waits for the other side.
///
/// Not by `dbus_bus_get`: that lets libdbus end the process when the bus goes away.  Nothing is dispatched by libdbus
/// either: answers and signals are found by their own numbers and names, so that no callback comes from C.
@safe
struct BusHandle: ~Copyable {
    /// What one message, and all that wait to be sent, may have in octets.
    static let longestMessage = 16 << 20

    private let raw: OpaquePointer

    /// Opens a stream to a D-Bus address (`unix:path=…`); who we are is told later.
    init(address: String) throws(RemoteError) {
        guard !address.utf8.contains(0) else {
            throw RemoteError(name: "org.freedesktop.DBus.Error.BadAddress", message: "the address has a NUL")
        }
        var error = unsafe DBusError()
        unsafe dbus_error_init(&error)
        defer { unsafe dbus_error_free(&error) }
        guard let opened = unsafe dbus_connection_open_private(address, &error) else {
            throw unsafe RemoteError(name: String(cString: error.name), message: String(cString: error.message))
        }
        unsafe dbus_connection_set_exit_on_disconnect(opened, 0)
        unsafe dbus_connection_set_max_message_size(opened, Self.longestMessage)
        unsafe raw = opened
    }

    deinit {
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_unref(raw)
    }

    /// To be watched; nil when it is closed.
    var descriptor: CInt? {
        var descriptor: CInt = -1
        return unsafe dbus_connection_get_unix_fd(raw, &descriptor) != 0 ? descriptor : nil
    }

    /// Whether neither side has closed it.
    var isOpen: Bool { unsafe dbus_connection_get_is_connected(raw) != 0 }

    /// Whether messages wait until the stream takes them; never before the bus has let us in.
    var wantsToWrite: Bool {
        unsafe dbus_connection_get_is_authenticated(raw) != 0 && dbus_connection_has_messages_to_send(raw) != 0
    }

    /// How many octets wait to be sent.
    var waiting: Int { unsafe dbus_connection_get_outgoing_size(raw) }

    /// Queues a message, sends what the stream takes, and returns the number that an answer will name.
    func send(_ message: borrowing Message) -> UInt32 {
        var serial: UInt32 = 0
        let isQueued = unsafe dbus_connection_send(raw, message.raw, &serial)
        precondition(isQueued != 0, "no memory is left for a message")
        return serial
    }

    /// Reads and writes what is possible at once.
    ///
    /// Until the bus has let us in, libdbus takes one step of that conversation at a time, and does not say whether it
    /// wants to write: the steps between two answers are fewer than eight.
    func readAndWrite() {
        let turns = unsafe dbus_connection_get_is_authenticated(raw) != 0 ? 1 : 8
        for _ in 0..<turns { unsafe dbus_connection_read_write(raw, 0) }
        // Takes what came in one read with the end of that conversation.
        unsafe dbus_connection_get_dispatch_status(raw)
    }

    /// The next message that has come.
    func next() -> Message? {
        guard let message = unsafe dbus_connection_pop_message(raw) else { return nil }
        return unsafe Message(adopting: message)
    }

    /// The number of this installation of the system, as `org.freedesktop.DBus.Peer` tells it; nil without one.
    static func machineID() -> String? {
        var error = unsafe DBusError()
        unsafe dbus_error_init(&error)
        defer { unsafe dbus_error_free(&error) }
        guard let id = unsafe dbus_try_get_local_machine_id(&error) else { return nil }
        defer { unsafe dbus_free(id) }
        return unsafe String(cString: id)
    }
}
