import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import Synchronization
import TestBus

@testable import BlueZ

/// A program that poses as `org.bluez`, with one adapter.
final class FakeBlueZ: Sendable {
    /// Its deviation from bluetoothd.
    enum Fault {
        /// It does what bluetoothd does.
        case none
        /// It has no objects that are of the right types.
        case garbles
        /// It never answers when attributes are registered.
        case isSilent
        /// It never answers when an advertisement is registered.
        case isSilentOfAdvertisements
        /// It refuses an agent.
        case refusesAgent
        /// It does not know a device that is to be removed.
        case removesNothing
    }

    struct State {
        var alias = "desk"
        var isPairable = true
        var calls: [String] = []
        var kept: [Invocation] = []
    }

    let connection: Connection
    private let state = Mutex(State())

    var calls: [String] { state.withLock { $0.calls } }
    var alias: String { state.withLock { $0.alias } }
    var isPairable: Bool { state.withLock { $0.isPairable } }

    init(_ fault: Fault, on bus: PrivateBus, _ loop: EventLoop) async throws {
        connection = try await Connection.open(bus.address, on: loop)
        if fault == .garbles {
            let lie = Method("GetManagedObjects", results: Parameters("a{sas}")) {
                $0.reply([.dictionary(key: .string, value: .array(.string), [])])
            }
            try await connection.export(ExportedObject(.root, [Interface(.objectManager, methods: [lie])]))
        } else {
            await connection.addObjectManager(at: .root)
            try await connection.export(ExportedObject("/org/bluez/hci0", interfaces(fault)))
            try await connection.export(ExportedObject("/org/bluez", [agentManager(fault)]))
        }
        try await takeName()
    }

    func takeName() async throws {
        _ = try await connection.call(
            Call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                [.string("org.bluez"), .uint32(4)], reply: "u"))
    }

    private func note(_ call: Invocation, _ name: String, keeps: Bool = false) {
        state.withLock { state in
            state.calls.append(name)
            if keeps { state.kept.append(call) }
        }
        if !keeps { call.reply() }
    }

    private func interfaces(_ fault: Fault) -> [Interface] {
        func noted(_ name: MemberName, _ signature: Signature, keeps: Bool = false) -> Method {
            Method(name, arguments: Parameters(signature)) { self.note($0, name.text, keeps: keeps) }
        }
        return [
            Interface(
                .adapter,
                methods: [
                    Method("RemoveDevice", arguments: Parameters("o")) { call in
                        guard fault != .removesNothing else {
                            return call.fail(with: MethodError("org.bluez.Error.DoesNotExist", "Does Not Exist"))
                        }
                        self.note(call, "RemoveDevice \(call.arguments.first?.path?.text ?? "")")
                    }
                ],
                properties: [
                    Property("Address", constant: .string("00:AA:01:00:00:00")),
                    Property("Powered", constant: .boolean(true)),
                    Property("Alias", .string, get: { .string(self.alias) }) { value throws(MethodError) in
                        self.state.withLock { $0.alias = value.string ?? "" }
                    },
                    Property("Pairable", .boolean, get: { .boolean(self.isPairable) }) { value throws(MethodError) in
                        self.state.withLock { $0.isPairable = value.boolean ?? false }
                    },
                ]),
            Interface(
                .gattManager,
                methods: [
                    noted("RegisterApplication", "oa{sv}", keeps: fault == .isSilent),
                    noted("UnregisterApplication", "o"),
                ]),
            Interface(
                .advertisingManager,
                methods: [
                    noted("RegisterAdvertisement", "oa{sv}", keeps: fault == .isSilentOfAdvertisements),
                    noted("UnregisterAdvertisement", "o"),
                ],
                properties: [Property("SupportedInstances", constant: .byte(4))]),
        ]
    }

    /// A device of the adapter; its disconnection is a call of this path.
    func addDevice(_ path: ObjectPath, _ address: String, isConnected: Bool, isPaired: Bool) async throws {
        let interface = Interface(
            .device, methods: [Method("Disconnect") { self.note($0, "Disconnect \(path.text)") }],
            properties: [
                Property("Address", constant: .string(address)), Property("AddressType", constant: .string("public")),
                Property("Connected", constant: .boolean(isConnected)),
                Property("Paired", constant: .boolean(isPaired)),
            ])
        try await connection.export(ExportedObject(path, [interface]))
    }

    private func agentManager(_ fault: Fault) -> Interface {
        let register = Method("RegisterAgent", arguments: Parameters("os")) { call in
            guard fault != .refusesAgent else {
                return call.fail(with: MethodError("org.bluez.Error.InvalidArguments", "no such agent"))
            }
            self.note(call, "RegisterAgent \(call.arguments.last?.string ?? "")")
        }
        let others = ["RequestDefaultAgent", "UnregisterAgent"].map { (name: MemberName) in
            Method(name, arguments: Parameters("o")) { self.note($0, name.text) }
        }
        return Interface(.agentManager, methods: [register] + others)
    }
}

/// A device that a fake bluetoothd serves, and its outputs.
struct PeripheralHarness: Sendable {
    let host: PeripheralHost
    let connection: Connection
    let events = Recorder<PeripheralHost.Event>()
    let requests = Recorder<ValueRequest>()

    init(
        on bus: PrivateBus, _ loop: EventLoop, table: AttributeTable, within limit: Duration = .seconds(10)
    ) async throws {
        connection = try await Connection.open(bus.address, on: loop)
        let definition = PeripheralHost.Definition(
            adapter: "hci0", number: 3, attributes: table, advertisement: Advertisement(name: "strap"),
            isPairable: false)
        host = PeripheralHost(
            definition, over: connection, on: loop, within: limit,
            onRequest: { [requests] request in
                requests.add(request.kind)
                guard case .read(let offset) = request.kind else { return .success([]) }
                return offset <= 3 ? .success(Array([1, 2, 3][offset...])) : .failure(.invalidOffset)
            }, onEvent: { [events] in events.add($0) })
    }

    var name: BusName {
        get async throws {
            guard let name = await connection.name else { throw CallFailure.disconnected }
            return name
        }
    }

    var failure: HostFailure? {
        events.all.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first
    }

    var isRegistered: Bool {
        events.all.contains { if case .registered = $0 { true } else { false } }
    }

    var hasConnected: Bool {
        events.all.contains { if case .connected = $0 { true } else { false } }
    }

    var subscriptions: [Bool] {
        events.all.compactMap { if case .subscribed(_, let isOn) = $0 { isOn } else { nil } }
    }

    var connections: Int { events.all.count { if case .connected = $0 { true } else { false } } }

    /// The clients whose bonds were removed, and after `not: ` why one was not.
    var forgotten: [String] {
        events.all.compactMap { event in
            switch event {
            case .forgotten(let peer): "\(peer)"
            case .notForgotten(let why): "not: \(why)"
            default: nil
            }
        }
    }
}
