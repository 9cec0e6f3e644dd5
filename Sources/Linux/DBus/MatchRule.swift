/// Which signals are wanted: those that have everything that is not nil here.
///
/// Source: D-Bus Specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
    /// Who sends them.  For a name that programs take, its owner at that time.
    public var sender: BusName?
    /// The object that they come from.
    public var path: ObjectPath?
    /// The object that they come from, or one above it.
    public var namespace: ObjectPath?
    /// Where they are defined.
    public var interface: InterfaceName?
    /// What they are called.
    public var member: MemberName?
    /// Their first argument, a string.
    public var firstArgument: String?

    /// With nothing given, all signals there are.
    public init(
        sender: BusName? = nil, path: ObjectPath? = nil, namespace: ObjectPath? = nil,
        interface: InterfaceName? = nil, member: MemberName? = nil, firstArgument: String? = nil
    ) {
        (self.sender, self.path, self.namespace) = (sender, path, namespace)
        (self.interface, self.member, self.firstArgument) = (interface, member, firstArgument)
    }

    /// As the bus reads it.
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

    /// Whether it wants a signal; `owner` says who has taken a name.
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
    /// Whether it is `other`, or below it.
    public func isWithin(_ other: ObjectPath) -> Bool { self == other || isBelow(other) }

    /// Whether it is below `other`.
    public func isBelow(_ other: ObjectPath) -> Bool {
        other.text == "/" ? text != "/" : text.utf8.starts(with: (other.text + "/").utf8)
    }
}

/// What somebody told everybody who wants to hear it.
public struct Signal: Hashable, Sendable {
    /// The unique name of who sent it; nil for one that is to be sent.
    public var sender: BusName?
    /// The object that it is about.
    public var path: ObjectPath
    /// Where it is defined.
    public var interface: InterfaceName
    /// What it is called.
    public var member: MemberName
    /// In order.
    public var arguments: [Value]

    /// One that is to be sent.
    public init(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = []) {
        (self.path, self.interface, self.member, self.arguments) = (path, interface, member, arguments)
    }
}
