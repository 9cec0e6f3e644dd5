import Glibc

/// A question to another program.
public struct Call: Sendable {
    /// Who is asked.
    public var destination: BusName
    /// Which of its objects.
    public var path: ObjectPath
    /// Where the method is defined.
    public var interface: InterfaceName
    /// The method.
    public var member: MemberName
    /// What it is called with.
    public var arguments: [Value]
    /// The types of the results; an answer of other types is a failure.
    public var answer: Signature
    /// How long the answer is waited for.
    public var limit: Duration

    /// libdbus's own default is 25 s, too.
    public init(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], answer: Signature = "", within limit: Duration = .seconds(25)
    ) {
        (self.destination, self.path, self.interface, self.member) = (destination, path, interface, member)
        (self.arguments, self.answer, self.limit) = (arguments, answer, limit)
    }

    /// A question to the bus itself: D-Bus Specification, "Message Bus Messages".
    public static func bus(_ member: MemberName, _ arguments: [Value], answer: Signature = "") -> Call {
        Call(.bus, .bus, .bus, member, arguments, answer: answer)
    }
}

extension BusName {
    /// The bus itself.
    static let bus: BusName = "org.freedesktop.DBus"

    /// Whether the bus gave it, to one connection and for ever.
    var isUnique: Bool { text.hasPrefix(":") }
}

extension ObjectPath {
    static let bus: ObjectPath = "/org/freedesktop/DBus"
}

extension InterfaceName {
    static let bus: InterfaceName = "org.freedesktop.DBus"
}

/// Where a bus is to be found.
public enum BusAddress: Hashable, Sendable {
    /// The one of the machine, where `org.bluez` lives.
    case system
    /// The one of the user who is logged in.
    case session
    /// `unix:path=…`, or another D-Bus address; those that would start programs start them.
    case at(String)

    /// As libdbus reads it; the environment may name others than the usual ones.
    public var text: String {
        switch self {
        case .system: environment(variable) ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            environment(variable)
                ?? "unix:path=\(environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/bus"
        case .at(let address): address
        }
    }

    /// The variable of the environment in which it is named; nil when it is not.
    public var namedBy: String? { environment(variable) == nil ? nil : variable }

    private var variable: String? {
        switch self {
        case .system: "DBUS_SYSTEM_BUS_ADDRESS"
        case .session: "DBUS_SESSION_BUS_ADDRESS"
        case .at: nil
        }
    }

    private func environment(_ name: String?) -> String? {
        guard let name else { return nil }
        let value = unsafe getenv(name).map { unsafe String(cString: $0) }
        return value == "" ? nil : value
    }
}
