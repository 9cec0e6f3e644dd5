import Bluetooth
import DBus
import GATT
import HCI
import LEHost
import Simulation
import Synchronization
import TestBus

@testable import BlueZ

/// A program that says it is `org.bluez`, with an adapter and a peripheral near it, and does what a test has it do.
final class FalseRadio: Sendable {
    typealias Reaction = @Sendable (FalseRadio, Invocation) -> Void

    private struct State {
        var calls: [(name: String, arguments: [Value])] = []
        var reactions: [String: Reaction] = [:]
        var properties: [ObjectPath: [String: Value]] = [:]
    }

    static let adapter: ObjectPath = "/org/bluez/hci0"
    static let strap: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    static let service: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a"
    static let measurement: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000b"
    static let control: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000e"
    static let address = DeviceAddress(0xC0FF_EE00_0001, .random)

    let connection: Connection
    private let state = Mutex(State())

    /// What it was asked to do, in order.
    var calls: [String] { state.withLock { $0.calls.map(\.name) } }
    /// What it was asked to do last by this name, with what.
    func arguments(of name: String) -> [Value]? { state.withLock { $0.calls.last { $0.name == name }?.arguments } }
    func property(_ name: String, at path: ObjectPath = adapter) -> Value? {
        state.withLock { $0.properties[path]?[name] }
    }

    init(
        on bus: PrivateBus, _ loop: EventLoop, isPowered: Bool = true, _ reactions: [String: Reaction] = [:]
    ) async throws {
        connection = try await Connection.open(bus.address, on: loop)
        state.withLock { state in
            state.reactions = reactions
            state.properties[Self.adapter] = ["Powered": .boolean(isPowered)]
            state.properties[Self.strap] = ["Connected": .boolean(false), "ServicesResolved": .boolean(false)]
        }
        await connection.manage(.root)
        try await showAdapter()
        try await connection.export(ExportedObject(Self.strap, [device]))
        try await showAttributes()
        try await takeName()
    }

    func showAdapter() async throws {
        let methods =
            ["SetDiscoveryFilter": "a{sv}", "StartDiscovery": "", "StopDiscovery": ""] as [MemberName: Signature]
        let powered = Property("Powered", .boolean, get: { self.property("Powered") }) { value throws(Refusal) in
            self.note("Powered", [value])
            self.state.withLock { $0.properties[Self.adapter, default: [:]]["Powered"] = value }
        }
        try await connection.export(
            ExportedObject(
                Self.adapter,
                [
                    Interface(
                        .adapter, methods: methods.sorted { $0.key < $1.key }.map { method($0.key, $0.value) },
                        properties: [Property("Address", constant: .string("00:AA:01:00:00:00")), powered])
                ]))
    }

    private var device: Interface {
        let constants: [Property] = [
            Property("Address", constant: .string("C0:FF:EE:00:00:01")),
            Property("AddressType", constant: .string("random")), Property("Name", constant: .string("strap")),
            Property("UUIDs", constant: .strings(["0000180d-0000-1000-8000-00805f9b34fb"])),
        ]
        let changing = ["Connected", "ServicesResolved"].map { (name: MemberName) in
            Property(name, .boolean, get: { self.property(name.text, at: Self.strap) })
        }
        return Interface(
            .device, methods: [method("Connect"), method("Disconnect")], properties: constants + changing)
    }

    /// The attributes: a measurement that notifies, and a control point that indicates.
    func showAttributes() async throws {
        let heartRate = Interface(
            .gattService,
            properties: [
                Property("UUID", constant: .string("180d")), Property("Primary", constant: .boolean(true)),
                Property("Device", constant: .path(Self.strap)),
            ])
        try await connection.export(ExportedObject(Self.service, [heartRate]))
        for (path, uuid, flags, configuration) in [
            (Self.measurement, "2a37", ["notify", "read"], "desc000d"),
            (Self.control, "2a39", ["write", "indicate"], "desc0010"),
        ] {
            let value = Interface(
                .gattCharacteristic,
                methods: [
                    Method("ReadValue", takes: Parameters("a{sv}"), gives: Parameters("ay")) {
                        self.called("ReadValue", $0)
                    }, method("WriteValue", "aya{sv}"), method("StartNotify"), method("StopNotify"),
                ],
                properties: [
                    Property("UUID", constant: .string(uuid)), Property("Service", constant: .path(Self.service)),
                    Property("Flags", constant: .strings(flags)),
                ])
            try await connection.export(ExportedObject(path, [value]))
            let more = Interface(
                .gattDescriptor,
                properties: [
                    Property("UUID", constant: .string("2902")), Property("Characteristic", constant: .path(path)),
                ])
            try await connection.export(ExportedObject(try ObjectPath("\(path)/\(configuration)"), [more]))
        }
    }

    func takeName() async throws {
        _ = try await connection.call(.bus("RequestName", [.bluez, .uint32(4)], answer: "u"))
    }

    // MARK: What it does

    private func method(_ name: MemberName, _ signature: Signature = "") -> Method {
        Method(name, takes: Parameters(signature)) { self.called(name.text, $0) }
    }

    private func note(_ name: String, _ arguments: [Value]) {
        state.withLock { $0.calls.append((name, arguments)) }
    }

    private func called(_ name: String, _ call: Invocation) {
        note(name, call.arguments)
        if let reaction = state.withLock({ $0.reactions[name] }) { return reaction(self, call) }
        switch name {
        case "Connect":
            call.answer()
            change(Self.strap, .device, ["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
        case "Disconnect":
            change(Self.strap, .device, ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
            call.answer()
        case "ReadValue": call.answer([.octets([1, 2, 3])])
        default: call.answer()
        }
    }

    func react(_ name: String, _ reaction: @escaping Reaction) { state.withLock { $0.reactions[name] = reaction } }

    /// Properties of an object become others, and it says so.
    func change(_ path: ObjectPath, _ interface: InterfaceName, _ values: [MemberName: Value], without: [String] = []) {
        state.withLock { state in
            for (name, value) in values { state.properties[path, default: [:]][name.text] = value }
        }
        let sorted = values.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
        say(path, .properties, "PropertiesChanged", [.string(interface.text), .options(sorted), .strings(without)])
    }

    /// The peripheral is heard.
    func hear(_ rssi: Int16) { change(Self.strap, .device, ["RSSI": .int16(rssi)]) }

    /// The peripheral notifies, or indicates.
    func notify(_ path: ObjectPath, _ value: [UInt8]) { change(path, .gattCharacteristic, ["Value": .octets(value)]) }

    func say(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value]) {
        connection.assumeIsolated { try? $0.emit(Signal(path, interface, member, arguments)) }
    }
}

/// A central above a false bluetoothd, and what becomes of it.
struct Listening: Sendable {
    let host: CentralHost
    let loop: EventLoop
    let connection: Connection
    let events = Heard<CentralHost.Event>()

    init(
        on bus: PrivateBus, _ loop: EventLoop, adapter: String? = "hci0", services: [UUID] = [],
        sharesDevices: Bool = true, within limit: Duration = .seconds(10)
    ) async throws {
        self.loop = loop
        connection = try await Connection.open(bus.address, on: loop)
        host = CentralHost(
            CentralHost.Definition(adapter: adapter, services: services, sharesDevices: sharesDevices), over: connection,
            on: loop, within: limit
        ) { [events] in events.add($0) }
    }

    var outputs: [Host.Output] { events.all.compactMap { if case .output(let output) = $0 { output } else { nil } } }
    var failure: HostFailure? {
        events.all.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first
    }
    var values: [[UInt8]] {
        events.all.compactMap { if case .heard(_, _, let value, _) = $0 { value } else { nil } }
    }
    var reports: [AdvertisingReport] {
        outputs.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }
    var starts: Int { count { if case .started = $0 { true } else { false } } }
    var connections: [ConnectionID] {
        outputs.compactMap { if case .connected(let id, _) = $0 { id } else { nil } }
    }
    var ends: [HCIStatus] {
        outputs.compactMap { if case .disconnected(_, _, let reason) = $0 { reason } else { nil } }
    }
    var refusals: [Host.ConnectionFailure] {
        outputs.compactMap { if case .connectionFailed(_, let failure) = $0 { failure } else { nil } }
    }
    var losses: [String] {
        outputs.compactMap { if case .failed(.outside(let why)) = $0 { why } else { nil } }
    }

    func count(_ isIt: (Host.Output) -> Bool) -> Int { outputs.filter(isIt).count }

    // MARK: What is asked

    func start() async throws {
        await host.perform(.start)
        try await loop.until { starts == 1 || failure != nil }
    }

    /// Scans until the strap is heard.
    func scan(_ radio: FalseRadio) async throws {
        await host.perform(.scan(ScanParameters(isActive: true, interval: 0x60, window: 0x60), filterDuplicates: false))
        try await loop.until { radio.calls.contains("StartDiscovery") }
        radio.hear(-40)
        try await loop.until { !reports.isEmpty }
    }

    func connect(within limit: Duration? = .seconds(5)) async {
        await host.perform(.connect(Self.creation, timeout: limit))
    }

    /// A connection of which the attributes are known.
    func connected(_ radio: FalseRadio) async throws -> ConnectionID {
        try await start()
        await connect()
        try await loop.until { !connections.isEmpty }
        guard case .success = try await ask(.discoverEverything) else { throw CallFailure.disconnected }
        return connections[0]
    }

    static let creation = ConnectionCreation(
        to: FalseRadio.address,
        parameters: ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48))

    typealias Answer = Result<Procedure.Outcome, Procedure.Failure>

    var answers: [Answer] { outputs.compactMap { if case .finished(_, _, let answer) = $0 { answer } else { nil } } }

    /// What a procedure ends with, over the newest connection.
    func ask(_ procedure: Procedure) async throws -> Answer {
        let before = answers.count
        await host.perform(.procedure(connections.last ?? ConnectionID(number: 0), procedure, id: UInt32(before + 1)))
        try await loop.until { answers.count > before }
        return answers[before]
    }
}
