import Glibc

/// A method call to another program.
public struct Call: Sendable {
    /// The program to call.
    public var destination: BusName
    /// The object to call.
    public var path: ObjectPath
    /// The interface of the method.
    public var interface: InterfaceName
    /// The name of the method.
    public var member: MemberName
    /// The arguments.
    public var arguments: [Value]
    /// The types of the results; a reply with other types is a failure.
    public var reply: Signature
    /// How long to wait for the reply.
    public var timeout: Duration

    /// A method call. The default timeout is that of libdbus.
    public init(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], reply: Signature = "", within timeout: Duration = .seconds(25)
    ) {
        (self.destination, self.path, self.interface, self.member) = (destination, path, interface, member)
        (self.arguments, self.reply, self.timeout) = (arguments, reply, timeout)
    }

    /// A call to the bus itself: D-Bus Specification, "Message Bus Messages".
    public static func bus(_ member: MemberName, _ arguments: [Value], reply: Signature = "") -> Call {
        Call(.bus, .bus, .bus, member, arguments, reply: reply)
    }
}

extension BusName {
    /// The bus itself.
    static let bus: BusName = "org.freedesktop.DBus"

    /// Whether it is a unique name, which the bus assigns to one connection and never reuses.
    var isUnique: Bool { text.hasPrefix(":") }
}

extension ObjectPath {
    static let bus: ObjectPath = "/org/freedesktop/DBus"
}

extension InterfaceName {
    static let bus: InterfaceName = "org.freedesktop.DBus"
}

/// The address of a bus.
public enum BusAddress: Hashable, Sendable {
    /// The system bus, to which `org.bluez` is connected.
    case system
    /// The session bus of the user.
    case session
    /// A D-Bus address such as `unix:path=…`. Some kinds of addresses make libdbus start programs.
    case at(String)

    /// The address as libdbus parses it; environment variables override the default addresses.
    public var text: String {
        switch self {
        case .system: environment(variable) ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            environment(variable)
                ?? "unix:path=\(environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/bus"
        case .at(let address): address
        }
    }

    /// The environment variable that sets the address; nil if none does.
    public var environmentVariable: String? { environment(variable) == nil ? nil : variable }

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
