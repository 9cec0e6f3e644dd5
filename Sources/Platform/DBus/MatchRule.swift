/// A filter for signals: a signal matches if it has all values that are not nil here.
///
/// Source: D-Bus Specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
    /// The sender; for a well-known name, its owner when the signal arrives.
    public var sender: BusName?
    /// The object that sends the signal.
    public var path: ObjectPath?
    /// The object that sends the signal, or one above it.
    public var namespace: ObjectPath?
    /// The interface of the signal.
    public var interface: InterfaceName?
    /// The name of the signal.
    public var member: MemberName?
    /// The signal's first argument, which is a string.
    public var firstArgument: String?

    /// A rule; without arguments, one that all signals match.
    public init(
        sender: BusName? = nil, path: ObjectPath? = nil, namespace: ObjectPath? = nil,
        interface: InterfaceName? = nil, member: MemberName? = nil, firstArgument: String? = nil
    ) {
        (self.sender, self.path, self.namespace) = (sender, path, namespace)
        (self.interface, self.member, self.firstArgument) = (interface, member, firstArgument)
    }

    /// The rule in the syntax of the specification.
    var text: String {
        let conditions: [(String, String?)] = [
            ("type", "signal"), ("sender", sender?.text), ("path", path?.text),
            ("path_namespace", namespace?.text), ("interface", interface?.text), ("member", member?.text),
            ("arg0", firstArgument),
        ]
        return conditions.compactMap { key, value in
            value.map {
                "\(key)='\($0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
            }
        }.joined(separator: ",")
    }

    /// Whether a signal matches; `owner` returns the owner of a well-known name.
    func matches(_ signal: Signal, owner: (BusName) -> BusName?) -> Bool {
        if let sender {
            let wanted = sender.isUnique || sender == .bus ? sender : owner(sender)
            guard let wanted, wanted == signal.sender else { return false }
        }
        if let path, path != signal.path { return false }
        if let namespace, !signal.path.isWithin(namespace) { return false }
        if let interface, interface != signal.interface { return false }
        if let member, member != signal.member { return false }
        if let firstArgument, signal.arguments.first?.string != firstArgument { return false }
        return true
    }
}

extension ObjectPath {
    /// Whether the path is `other` or below it.
    public func isWithin(_ other: ObjectPath) -> Bool { text.isPath(within: other.text) }

    /// Whether the path is below `other`.
    public func isBelow(_ other: ObjectPath) -> Bool {
        self != other && isWithin(other)
    }
}

extension String {
    /// Whether this is the path `namespace`, or one below it.
    func isPath(within namespace: String) -> Bool {
        namespace == "/" || self == namespace || utf8.starts(with: (namespace + "/").utf8)
    }
}

/// A signal.
public struct Signal: Hashable, Sendable {
    /// The unique name of the sender; nil for a signal to be sent.
    public var sender: BusName?
    /// The object that the signal concerns.
    public var path: ObjectPath
    /// The interface of the signal.
    public var interface: InterfaceName
    /// The name of the signal.
    public var member: MemberName
    /// The arguments in order.
    public var arguments: [Value]

    /// A signal to be sent.
    public init(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = []) {
        (self.path, self.interface, self.member, self.arguments) = (path, interface, member, arguments)
    }
}
