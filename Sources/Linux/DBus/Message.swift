import CDBus

/// A D-Bus message.  It owns one reference of libdbus's and gives it back when it goes.
@safe
struct Message: ~Copyable {
    let raw: OpaquePointer

    /// Takes over a reference.
    init(adopting raw: OpaquePointer) { unsafe self.raw = raw }

    private init(created raw: OpaquePointer?) {
        guard let raw = unsafe raw else { preconditionFailure("no memory is left for a message") }
        unsafe self.raw = raw
    }

    deinit { unsafe dbus_message_unref(raw) }

    /// A method call without arguments.
    init(calling member: MemberName, of interface: InterfaceName, at path: ObjectPath, on destination: BusName) {
        unsafe self.init(
            created: dbus_message_new_method_call(destination.text, path.text, interface.text, member.text))
        // Who is not there is not started: what belongs to it has gone with it.
        unsafe dbus_message_set_auto_start(raw, 0)
    }

    /// A signal without arguments.
    init(signal member: MemberName, of interface: InterfaceName, at path: ObjectPath) {
        unsafe self.init(created: dbus_message_new_signal(path.text, interface.text, member.text))
    }

    /// The answer to a call, without arguments.
    init(answering question: Question) {
        unsafe self.init(created: dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
        address(to: question)
    }

    /// The error that answers a call.
    init(refusing question: Question, by refusal: Refusal) {
        unsafe self.init(created: dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
        unsafe dbus_message_set_error_name(raw, refusal.name.text)
        address(to: question)
        append([.string(String(refusal.message.unicodeScalars.prefix(Self.longestExcuse).filter { $0 != "\0" }))])
    }

    /// How much of the text of an error is sent, in characters: it may quote what the other side sent.
    private static let longestExcuse = 1000

    private func address(to question: Question) {
        unsafe dbus_message_set_no_reply(raw, 1)
        unsafe dbus_message_set_reply_serial(raw, question.serial)
        if let sender = question.sender { unsafe dbus_message_set_destination(raw, sender.text) }
    }

    /// What an answer must name.
    struct Question: Hashable, Sendable {
        /// Never 0.
        var serial: UInt32
        /// Nil only without a bus between.
        var sender: BusName?
    }

    // MARK: What it is

    /// The four kinds of the specification, and those to come, which are to be ignored.
    enum Kind {
        case call(Question, wantsAnswer: Bool)
        case answer(to: UInt32)
        case error(to: UInt32, name: String)
        case signal
        case unknown
    }

    var kind: Kind {
        switch unsafe dbus_message_get_type(raw) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL:
            let question = Question(serial: unsafe dbus_message_get_serial(raw), sender: sender)
            return .call(question, wantsAnswer: unsafe dbus_message_get_no_reply(raw) == 0)
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: return .answer(to: unsafe dbus_message_get_reply_serial(raw))
        case DBUS_MESSAGE_TYPE_ERROR:
            let name = unsafe text(dbus_message_get_error_name(raw)) ?? ""
            return .error(to: unsafe dbus_message_get_reply_serial(raw), name: name)
        case DBUS_MESSAGE_TYPE_SIGNAL: return .signal
        default: return .unknown
        }
    }

    var sender: BusName? { unsafe valid(dbus_message_get_sender(raw)) }
    var path: ObjectPath? { unsafe valid(dbus_message_get_path(raw)) }
    var interface: InterfaceName? { unsafe valid(dbus_message_get_interface(raw)) }
    var member: MemberName? { unsafe valid(dbus_message_get_member(raw)) }

    private func text(_ characters: UnsafePointer<CChar>?) -> String? {
        unsafe characters.map { unsafe String(cString: $0) }
    }

    private func valid<Rule: TextRule>(_ characters: UnsafePointer<CChar>?) -> ValidText<Rule>? {
        unsafe text(characters).flatMap { try? ValidText($0) }
    }
}
