package import Basics
package import Bluetooth
package import DBus
import Synchronization

extension InterfaceName {
    fileprivate static let adapter: InterfaceName = "org.bluez.Adapter1"
    fileprivate static let device: InterfaceName = "org.bluez.Device1"
    fileprivate static let service: InterfaceName = "org.bluez.GattService1"
    fileprivate static let characteristic: InterfaceName = "org.bluez.GattCharacteristic1"
    fileprivate static let descriptor: InterfaceName = "org.bluez.GattDescriptor1"
    fileprivate static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
}

/// A program that poses as `org.bluez`, with an adapter and a peripheral in range, under a test's control.
package final class FakeRadio: Sendable {
    /// The reaction to a call, in place of an answer.
    package typealias Reaction = @Sendable (FakeRadio, Invocation) -> Void

    private struct State {
        var calls: [(name: String, arguments: [Value])] = []
        var reactions: [String: Reaction] = [:]
        var properties: [ObjectPath: [String: Value]] = [:]
    }

    /// Its adapter.
    package static let adapter: ObjectPath = "/org/bluez/hci0"
    /// The peripheral.
    package static let strap: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    /// A service of the peripheral.
    package static let service: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a"
    /// A value that is notified.
    package static let measurement: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000b"
    /// A value that is written and indicated.
    package static let control: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000e"
    /// Of the peripheral.
    package static let address = DeviceAddress(0xC0FF_EE00_0001, .random)

    /// On which all of it happens.
    package let loop: EventLoop
    /// To the bus.
    package let connection: Connection
    private let state = Mutex(State())

    /// What it was asked to do, in order.
    package var calls: [String] { state.withLock { $0.calls.map(\.name) } }
    /// What it was asked to do last by this name, with what.
    package func arguments(of name: String) -> [Value]? {
        state.withLock { $0.calls.last { $0.name == name }?.arguments }
    }
    /// A property as it is now.
    package func property(_ name: String, at path: ObjectPath = adapter) -> Value? {
        state.withLock { $0.properties[path]?[name] }
    }

    /// It has the name, and shows all that it has, when this returns.
    package init(
        on bus: PrivateBus, _ loop: EventLoop, isPowered: Bool = true, isConnected: Bool = false, isKnown: Bool = true,
        _ reactions: [String: Reaction] = [:]
    ) async throws {
        self.loop = loop
        connection = try await Connection.open(bus.address, on: loop)
        state.withLock { state in
            state.reactions = reactions
            state.properties[Self.adapter] = ["Powered": .boolean(isPowered)]
            let isThere = Value.boolean(isConnected)
            state.properties[Self.strap] = [
                "Connected": isThere, "ServicesResolved": isThere, "Paired": .boolean(false),
            ]
        }
        await connection.addObjectManager(at: "/")
        try await showAdapter()
        if isKnown { try await showStrap() }
        try await takeName()
    }

    /// Shows the peripheral with its attributes, if it does not already.
    package func showStrap() async throws {
        try await connection.export(ExportedObject(Self.strap, [device]))
        try await showAttributes()
    }

    /// Shows the adapter, if it does not already.
    package func showAdapter() async throws {
        let methods: [MemberName: Signature] = [
            "SetDiscoveryFilter": "a{sv}", "StartDiscovery": "", "StopDiscovery": "", "RemoveDevice": "o",
        ]
        let powered = Property("Powered", .boolean, get: { self.property("Powered") }) { value throws(MethodError) in
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
        let changing = ["Connected", "ServicesResolved", "Paired"].map { (name: MemberName) in
            Property(name, .boolean, get: { self.property(name.text, at: Self.strap) })
        }
        return Interface(
            .device, methods: [method("Connect"), method("Disconnect")], properties: constants + changing)
    }

    /// Shows the attributes: a measurement that notifies, and a control point that indicates.
    package func showAttributes() async throws {
        let heartRate = Interface(
            .service,
            properties: [
                Property("UUID", constant: .string("180d")), Property("Primary", constant: .boolean(true)),
                Property("Device", constant: .path(Self.strap)),
            ])
        try await connection.export(ExportedObject(Self.service, [heartRate]))
        for (path, uuid, flags, configuration) in [
            (Self.measurement, "2a37", ["notify", "read"], "desc000d"),
            (Self.control, "2a39", ["write", "indicate"], "desc0010"),
        ] {
            let accesses = [
                Method("ReadValue", arguments: Parameters("a{sv}"), results: Parameters("ay")) {
                    self.called("ReadValue", $0)
                }, method("WriteValue", "aya{sv}"),
            ]
            let value = Interface(
                .characteristic, methods: accesses + [method("StartNotify"), method("StopNotify")],
                properties: [
                    Property("UUID", constant: .string(uuid)), Property("Service", constant: .path(Self.service)),
                    Property("Flags", constant: .strings(flags)),
                ])
            try await connection.export(ExportedObject(path, [value]))
            let more = Interface(
                .descriptor, methods: accesses,
                properties: [
                    Property("UUID", constant: .string("2902")), Property("Characteristic", constant: .path(path)),
                ])
            try await connection.export(ExportedObject(try ObjectPath("\(path)/\(configuration)"), [more]))
        }
    }

    /// Becomes `org.bluez`.
    package func takeName() async throws {
        _ = try await connection.call(
            Call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                [.string("org.bluez"), .uint32(4)], reply: "u"))
    }

    // MARK: Behavior

    private func method(_ name: MemberName, _ signature: Signature = "") -> Method {
        Method(name, arguments: Parameters(signature)) { self.called(name.text, $0) }
    }

    private func note(_ name: String, _ arguments: [Value]) {
        state.withLock { $0.calls.append((name, arguments)) }
    }

    private func called(_ name: String, _ call: Invocation) {
        note(name, call.arguments)
        if let reaction = state.withLock({ $0.reactions[name] }) { return reaction(self, call) }
        switch name {
        case "Connect":
            call.reply()
            change(Self.strap, .device, ["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
        case "Disconnect":
            change(Self.strap, .device, ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
            call.reply()
        case "ReadValue": call.reply([.octets([1, 2, 3])])
        default: call.reply()
        }
    }

    /// Does something else from now on when it is called so.
    package func react(_ name: String, _ reaction: @escaping Reaction) {
        state.withLock { $0.reactions[name] = reaction }
    }

    /// Changes properties of an object, and signals that.
    package func change(
        _ path: ObjectPath, _ interface: InterfaceName, _ values: [MemberName: Value], without: [String] = []
    ) {
        state.withLock { state in
            for (name, value) in values { state.properties[path, default: [:]][name.text] = value }
        }
        let sorted = values.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
        say(path, .properties, "PropertiesChanged", [.string(interface.text), .options(sorted), .strings(without)])
    }

    /// The peripheral advertises.
    package func hear(_ rssi: Int16) { change(Self.strap, .device, ["RSSI": .int16(rssi)]) }

    /// The peripheral notifies, or indicates.
    package func notify(_ path: ObjectPath, _ value: [UInt8]) {
        change(path, .characteristic, ["Value": .octets(value)])
    }

    /// Sends a signal.
    package func say(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value]) {
        connection.assumeIsolated { try? $0.emit(Signal(path, interface, member, arguments)) }
    }
}
