import CLubdubDBus
import Glibc

/// A private libdbus connection, to a bus or to a program, closed on deinitialization. Nothing here blocks.
///
/// `dbus_bus_get` is not used, because it lets libdbus end the process when the bus disappears. libdbus dispatches
/// nothing: replies and signals are matched by serial and name, so that no message arrives through a C callback.
@safe
struct BusHandle: ~Copyable {
    /// Maximum length, in octets, of one message and of all messages waiting to be sent.
    static let maximumMessageLength = 16 << 20
    /// Maximum number of file descriptors in one message: libdbus closes a connection that receives more.
    static let maximumDescriptors = 16

    private let raw: OpaquePointer
    private let writing: UnsafeMutablePointer<OpaquePointer?>  // the watch by which libdbus requests writing

    /// Connects to a D-Bus address (`unix:path=…`); authentication follows as the connection is used.
    init(address: String) throws(RemoteError) {
        guard !address.utf8.contains(0) else {
            throw RemoteError(name: "org.freedesktop.DBus.Error.BadAddress", message: "the address contains NUL")
        }
        var error = unsafe DBusError()
        unsafe dbus_error_init(&error)
        defer { unsafe dbus_error_free(&error) }
        guard let opened = unsafe dbus_connection_open_private(address, &error) else {
            throw unsafe RemoteError(name: String(cString: error.name), message: String(cString: error.message))
        }
        unsafe self.init(owning: opened)
    }

    private init(owning opened: OpaquePointer) {
        unsafe dbus_connection_set_exit_on_disconnect(opened, 0)
        unsafe dbus_connection_set_max_message_size(opened, Self.maximumMessageLength)
        unsafe dbus_connection_set_max_message_unix_fds(opened, Self.maximumDescriptors)
        let writing = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 1)
        unsafe writing.initialize(to: nil)
        unsafe Self.trackWriting(of: opened, in: writing)
        unsafe self.writing = writing
        unsafe raw = opened
    }

    /// A connection that a server has accepted, and that is not used yet.
    @safe
    struct Accepted {
        fileprivate let raw: OpaquePointer

        /// Refers to a connection, until `BusHandle.init` or `reject`.
        init(_ raw: OpaquePointer) { unsafe self.raw = unsafe dbus_connection_ref(raw) }

        /// Closes it.
        func reject() {
            unsafe dbus_connection_close(raw)
            unsafe dbus_connection_unref(raw)
        }
    }

    /// Takes over a connection of a program of any user: who can open the socket is decided by its file. Authentication
    /// follows as the connection is used.
    init(_ accepted: Accepted) {
        unsafe dbus_connection_set_unix_user_function(accepted.raw, { _, _, _ in 1 }, nil, nil)
        unsafe self.init(owning: accepted.raw)
    }

    /// Whether the other side has authenticated.
    var isAuthenticated: Bool { unsafe dbus_connection_get_is_authenticated(raw) != 0 }

    /// Whether messages with descriptors can be sent.
    var takesDescriptors: Bool { unsafe dbus_connection_can_send_type(raw, SHIM_TYPE_UNIX_FD) != 0 }

    /// The user and this process.
    static var ownCredentials: (user: UInt32?, process: UInt32?) { (geteuid(), UInt32(getpid())) }

    /// The user and the process of the other side, if the system tells.
    var credentials: (user: UInt32?, process: UInt32?) {
        var (user, process): (CUnsignedLong, CUnsignedLong) = (0, 0)
        let hasUser = unsafe dbus_connection_get_unix_user(raw, &user) != 0
        let hasProcess = unsafe dbus_connection_get_unix_process_id(raw, &process) != 0
        return (hasUser ? UInt32(exactly: user) : nil, hasProcess ? UInt32(exactly: process) : nil)
    }

    /// Installs watch functions: during authentication only they show whether libdbus has something to write.
    private static func trackWriting(of raw: OpaquePointer, in writing: UnsafeMutablePointer<OpaquePointer?>) {
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
        precondition(isSet != 0, "out of memory for a connection")
    }

    deinit {
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_unref(raw)
        unsafe writing.deallocate()
    }

    /// The descriptor to watch; nil if the connection is closed.
    var descriptor: CInt? {
        var descriptor: CInt = -1
        return unsafe dbus_connection_get_unix_fd(raw, &descriptor) != 0 ? descriptor : nil
    }

    /// Whether the connection is open.
    var isOpen: Bool { unsafe dbus_connection_get_is_connected(raw) != 0 }

    /// Whether something is waiting to be written.
    var needsWriting: Bool { unsafe writing.pointee.map { unsafe dbus_watch_get_enabled($0) != 0 } ?? false }

    /// Number of octets waiting to be sent.
    var waiting: Int { unsafe dbus_connection_get_outgoing_size(raw) }

    /// Number of file descriptors waiting to be sent.
    var waitingDescriptors: Int { unsafe dbus_connection_get_outgoing_unix_fds(raw) }

    /// Queues a message, writes what the stream accepts, and returns the serial that a reply will refer to.
    func send(_ message: borrowing Message) -> UInt32 {
        var serial: UInt32 = 0
        let isQueued = unsafe dbus_connection_send(raw, message.raw, &serial)
        precondition(isQueued != 0, "out of memory for a message")
        return serial
    }

    /// Reads and writes as much as possible without blocking.
    func readAndWrite() {
        unsafe dbus_connection_read_write(raw, 0)
        // Parses messages that arrived together with the end of the authentication.
        unsafe dbus_connection_get_dispatch_status(raw)
    }

    /// The next received message.
    func next() -> Message? {
        guard let message = unsafe dbus_connection_pop_message(raw) else { return nil }
        return unsafe Message(adopting: message)
    }

    /// The machine's id, for `org.freedesktop.DBus.Peer`; nil if the machine has none.
    static func machineID() -> String? {
        var error = unsafe DBusError()
        unsafe dbus_error_init(&error)
        defer { unsafe dbus_error_free(&error) }
        guard let id = unsafe dbus_try_get_local_machine_id(&error) else { return nil }
        defer { unsafe dbus_free(id) }
        return unsafe String(cString: id)
    }
}
