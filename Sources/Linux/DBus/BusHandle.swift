import CDBus

/// A private connection of libdbus's, closed when it goes.  Nothing here waits for the other side.
///
/// Not by `dbus_bus_get`: that lets libdbus end the process when the bus goes away.  Nothing is dispatched by libdbus
/// either: answers and signals are found by their own numbers and names, so that no message comes by a callback from C.
@safe
struct BusHandle: ~Copyable {
    /// What one message, and all that wait to be sent, may have in octets.
    static let longestMessage = 16 << 20

    private let raw: OpaquePointer
    private let writing: UnsafeMutablePointer<OpaquePointer?>  // libdbus's own note of whether it wants to write

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
        let writing = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)
        unsafe writing.initialize(to: nil)
        unsafe Self.noteWriting(of: opened, in: writing)
        unsafe self.writing = writing
        unsafe raw = opened
    }

    /// Only who has watch functions learns, while the bus lets us in, whether it is our turn to speak.
    private static func noteWriting(of raw: OpaquePointer, in writing: UnsafeMutablePointer<OpaquePointer?>) {
        let isSet = unsafe dbus_connection_set_watch_functions(
            raw,
            { watch, note in
                if unsafe dbus_watch_get_flags(watch) & DBUS_WATCH_WRITABLE.rawValue != 0 {
                    unsafe note?.assumingMemoryBound(to: OpaquePointer?.self).pointee = watch
                }
                return 1
            },
            { watch, note in
                let note = unsafe note?.assumingMemoryBound(to: OpaquePointer?.self)
                if unsafe note?.pointee == watch { unsafe note?.pointee = nil }
            },
            nil, writing, nil)
        precondition(isSet != 0, "no memory is left for a connection")
    }

    deinit {
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_unref(raw)
        unsafe writing.deallocate()
    }

    /// To be watched; nil when it is closed.
    var descriptor: CInt? {
        var descriptor: CInt = -1
        return unsafe dbus_connection_get_unix_fd(raw, &descriptor) != 0 ? descriptor : nil
    }

    /// Whether neither side has closed it.
    var isOpen: Bool { unsafe dbus_connection_get_is_connected(raw) != 0 }

    /// Whether something waits until the stream takes it.
    var wantsToWrite: Bool { unsafe writing.pointee.map { unsafe dbus_watch_get_enabled($0) != 0 } ?? false }

    /// How many octets wait to be sent.
    var waiting: Int { unsafe dbus_connection_get_outgoing_size(raw) }

    /// Queues a message, sends what the stream takes, and returns the number that an answer will name.
    func send(_ message: borrowing Message) -> UInt32 {
        var serial: UInt32 = 0
        let isQueued = unsafe dbus_connection_send(raw, message.raw, &serial)
        precondition(isQueued != 0, "no memory is left for a message")
        return serial
    }

    /// Reads or writes what is possible at once.
    func readAndWrite() {
        unsafe dbus_connection_read_write(raw, 0)
        // Takes what came in one read with the end of the conversation by which the bus lets us in.
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
