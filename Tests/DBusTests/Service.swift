import Basics
import DBus
import Synchronization
import TestBus

/// An object that the tests call, and what it knows.
final class Service: Sendable {
    struct State {
        var level: UInt8 = 87
        var alias = "strap"
        var kept: [Invocation] = []
    }

    static let path: ObjectPath = "/example/battery"
    static let interface: InterfaceName = "example.Battery1"
    private let state = Mutex(State())

    var kept: [Invocation] { state.withLock { $0.kept } }
    var alias: String { state.withLock { $0.alias } }

    var object: ExportedObject { ExportedObject(Self.path, [description]) }

    private var description: Interface {
        Interface(
            Self.interface,
            methods: [
                Method("Echo", arguments: Parameters("v", "value"), results: Parameters("v", "value")) {
                    $0.reply($0.arguments)
                },
                Method("ReadValue", arguments: Parameters("a{sv}", "options"), results: Parameters("ay")) { call in
                    let offset = call.arguments.first?["offset"]?.uint16 ?? 0
                    call.reply([.octets([UInt8(truncatingIfNeeded: offset), 1, 2])])
                },
                Method("Refuse") { $0.fail(with: MethodError("org.bluez.Error.NotPermitted", "not\0 today")) },
                Method("Keep", results: Parameters("s")) { call in self.state.withLock { $0.kept.append(call) } },
                Method("Drop") { _ in },
                Method("Open", results: Parameters("h")) { call in
                    if let pipe = Pipe() { call.reply([.descriptor(pipe.writing)]) }
                },
                Method("Lie", results: Parameters("s")) { $0.reply([.uint32(1)]) },
                Method("Garble", results: Parameters("s")) { $0.reply([.string("a\0b")]) },
            ],
            properties: [
                Property("Level", .byte) { .byte(self.state.withLock { $0.level }) },
                Property("Alias", .string, get: { .string(self.state.withLock { $0.alias }) }) {
                    value throws(MethodError) in
                    guard let alias = value.string, !alias.isEmpty else {
                        throw MethodError("example.Empty", "no name")
                    }
                    self.state.withLock { $0.alias = alias }
                },
                Property("UUID", constant: .string("180F")),
                Property("Absent", .uint16, change: .unannounced) { nil },
                Property("Wrong", .uint16, change: .invalidated) { .string("no number") },
            ],
            signals: [SignalDescription("Changed", Parameters("y", "level"))])
    }

    /// Two connections: one that has exported this object, and one that calls it.
    func open(_ bus: any TestedBus, _ loop: EventLoop) async throws -> (server: Connection, client: Connection, Caller)
    {
        let server = try await Connection.open(bus.address, on: loop)
        try await server.export(object)
        let client = try await Connection.open(bus.address, on: loop)
        guard let name = await server.name else { throw CallFailure.disconnected }
        return (server, client, Caller(connection: client, name: name, server: server))
    }
}

/// Calls of one object's methods.
struct Caller: Sendable {
    let connection: Connection
    let name: BusName
    var server: Connection?  // kept, since a connection that nobody has is closed

    func callAsFunction(
        _ member: MemberName, _ arguments: [Value] = [], reply: Signature = "", of interface: InterfaceName? = nil,
        at path: ObjectPath? = nil, within limit: Duration = .seconds(10)
    ) async -> Result<[Value], CallFailure> {
        await outcome { () async throws(CallFailure) in
            try await connection.call(
                Call(
                    name, path ?? Service.path, interface ?? Service.interface, member, arguments, reply: reply,
                    within: limit))
        }
    }

    func property(_ member: MemberName, _ arguments: [String], reply: Signature) async -> Result<[Value], CallFailure> {
        await self(member, arguments.map { .string($0) }, reply: reply, of: "org.freedesktop.DBus.Properties")
    }
}
