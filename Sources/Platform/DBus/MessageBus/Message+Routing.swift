import CLubdubDBus

/// The header fields of a message by which a bus routes it.
struct MessageHeader {
    /// The type as match rules name it.
    let type: String
    /// The unique name of the sender.
    let sender: String?
    let destination: String?
    let path: String?
    let interface: String?
    let member: String?
}

extension Message {
    /// The header fields for routing.
    var header: MessageHeader {
        MessageHeader(
            type: unsafe text(dbus_message_type_to_string(dbus_message_get_type(raw))) ?? "",
            sender: unsafe text(dbus_message_get_sender(raw)),
            destination: unsafe text(dbus_message_get_destination(raw)),
            path: unsafe text(dbus_message_get_path(raw)), interface: unsafe text(dbus_message_get_interface(raw)),
            member: unsafe text(dbus_message_get_member(raw)))
    }

    var serial: UInt32 { unsafe dbus_message_get_serial(raw) }

    /// The serial of the call to which a message replies; nil if it is not a reply.
    var replySerial: UInt32? {
        let serial = unsafe dbus_message_get_reply_serial(raw)
        return serial == 0 ? nil : serial
    }

    /// Whether the bus may start a service that is not running.
    var startsService: Bool { unsafe dbus_message_get_auto_start(raw) != 0 }

    var hasDescriptors: Bool { unsafe dbus_message_contains_unix_fds(raw) != 0 }

    /// Sets the sender; the bus does so for each message, so that a program cannot pose as another one.
    func setSender(_ name: BusName) {
        let isSet = unsafe dbus_message_set_sender(raw, name.text)
        precondition(isSet != 0, "out of memory for a message")
    }

    func setDestination(_ name: BusName) {
        let isSet = unsafe dbus_message_set_destination(raw, name.text)
        precondition(isSet != 0, "out of memory for a message")
    }

    /// An argument that is a string or an object path; nil if it is something else, or missing.
    func text(ofArgument index: Int) -> (text: String, isPath: Bool)? {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return nil }
        for _ in 0..<index {
            guard unsafe dbus_message_iter_next(&iterator) != 0 else { return nil }
        }
        let type = unsafe dbus_message_iter_get_arg_type(&iterator)
        guard type == SHIM_TYPE_STRING || type == SHIM_TYPE_OBJECT_PATH else { return nil }
        var characters: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &characters)
        guard let characters = unsafe characters else { return nil }
        return (unsafe String(cString: characters), type == SHIM_TYPE_OBJECT_PATH)
    }
}
