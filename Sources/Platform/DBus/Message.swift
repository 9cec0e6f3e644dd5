import CLubdubDBus

/// A D-Bus message; owns one libdbus reference.
@safe
struct Message: ~Copyable {
    let raw: OpaquePointer

    /// Takes ownership of a reference.
    init(adopting raw: OpaquePointer) { unsafe self.raw = raw }

    private init(created raw: OpaquePointer?) {
        guard let raw = unsafe raw else { preconditionFailure("out of memory for a message") }
        unsafe self.raw = raw
    }

    deinit { unsafe dbus_message_unref(raw) }

    /// A method call without arguments.
    init(calling member: MemberName, of interface: InterfaceName, at path: ObjectPath, on destination: BusName) {
        unsafe self.init(
            created: dbus_message_new_method_call(destination.text, path.text, interface.text, member.text))
        // A service that is not running is not started: its objects disappeared with it.
        unsafe dbus_message_set_auto_start(raw, 0)
    }

    /// A signal without arguments.
    init(signal member: MemberName, of interface: InterfaceName, at path: ObjectPath) {
        unsafe self.init(created: dbus_message_new_signal(path.text, interface.text, member.text))
    }

    /// The reply to a call, without results.
    init(replyingTo call: CallReference) {
        unsafe self.init(created: dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
        address(to: call)
    }

    /// The error reply to a call.
    init(replyingTo call: CallReference, with error: MethodError) {
        unsafe self.init(created: dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
        unsafe dbus_message_set_error_name(raw, error.name.text)
        address(to: call)
        append([.string(String(error.message.unicodeScalars.prefix(Self.maximumErrorLength).filter { $0 != "\0" }))])
    }

    /// Maximum length of an error message in scalars: it may quote data from the other side.
    private static let maximumErrorLength = 1000

    private func address(to call: CallReference) {
        unsafe dbus_message_set_no_reply(raw, 1)
        unsafe dbus_message_set_reply_serial(raw, call.serial)
        if let sender = call.sender { unsafe dbus_message_set_destination(raw, sender.text) }
    }

    /// The properties of a call to which a reply refers.
    struct CallReference: Hashable, Sendable {
        /// The serial, never 0.
        var serial: UInt32
        /// The caller; nil only on a connection without a bus.
        var sender: BusName?
    }

    /// The called program does not reply.
    func expectNoReply() { unsafe dbus_message_set_no_reply(raw, 1) }

    // MARK: Reading

    /// The four types of the specification; other types are ignored.
    enum Kind {
        case call(CallReference, expectsReply: Bool)
        case reply(to: UInt32)
        case error(to: UInt32, name: String)
        case signal
        case unknown
    }

    var kind: Kind {
        switch unsafe dbus_message_get_type(raw) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL:
            let reference = CallReference(serial: unsafe dbus_message_get_serial(raw), sender: sender)
            return .call(reference, expectsReply: unsafe dbus_message_get_no_reply(raw) == 0)
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: return .reply(to: unsafe dbus_message_get_reply_serial(raw))
        case DBUS_MESSAGE_TYPE_ERROR:
            let name = unsafe text(dbus_message_get_error_name(raw)) ?? ""
            return .error(to: unsafe dbus_message_get_reply_serial(raw), name: name)
        case DBUS_MESSAGE_TYPE_SIGNAL: return .signal
        default: return .unknown
        }
    }

    /// The types of the arguments.
    var signature: String { unsafe text(dbus_message_get_signature(raw)) ?? "" }
    var sender: BusName? { unsafe valid(dbus_message_get_sender(raw)) }
    var path: ObjectPath? { unsafe valid(dbus_message_get_path(raw)) }
    var interface: InterfaceName? { unsafe valid(dbus_message_get_interface(raw)) }
    var member: MemberName? { unsafe valid(dbus_message_get_member(raw)) }

    func text(_ characters: UnsafePointer<CChar>?) -> String? {
        unsafe characters.map { unsafe String(cString: $0) }
    }

    private func valid<Rule: TextRule>(_ characters: UnsafePointer<CChar>?) -> ValidText<Rule>? {
        unsafe text(characters).flatMap { try? ValidText($0) }
    }
}
