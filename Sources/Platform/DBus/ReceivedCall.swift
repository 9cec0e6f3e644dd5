/// A call that a program receives as it is, without exported objects: `Connection.handleCalls`.
public struct ReceivedCall: Sendable {
    /// The object called.
    public let path: ObjectPath
    /// The interface, if the caller names it.
    public let interface: InterfaceName?
    /// The method.
    public let member: MemberName
    /// The types of the arguments.
    public let signature: String
    /// The arguments.
    public let arguments: [Value]
    /// The unique name of the caller.
    public let sender: BusName?
    /// The number of the message among those of the caller.
    public let serial: UInt32

    private let replying: @Sendable (Result<[Value], MethodError>) -> Void

    package init(
        path: ObjectPath, interface: InterfaceName?, member: MemberName, signature: String, arguments: [Value],
        sender: BusName?, serial: UInt32 = 0, replying: @escaping @Sendable (Result<[Value], MethodError>) -> Void
    ) {
        (self.path, self.interface, self.member, self.signature) = (path, interface, member, signature)
        (self.arguments, self.sender, self.serial, self.replying) = (arguments, sender, serial, replying)
    }

    /// Sends the results, on the loop's thread; only the first reply or error counts for the caller.
    public func reply(_ values: [Value] = []) { replying(.success(values)) }

    /// Replies with an error, on the loop's thread.
    public func fail(with error: MethodError) { replying(.failure(error)) }
}

extension Connection {
    /// Passes all calls to `handler`, on the loop's thread, in place of the exported objects. It has to reply to each.
    public func handleCalls(_ handler: @escaping @Sendable (ReceivedCall) -> Void) { callHandler = handler }
}
