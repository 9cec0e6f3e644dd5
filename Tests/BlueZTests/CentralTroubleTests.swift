import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import HCI
import LEHost
import TestBus
import Testing

@testable import BlueZ

/// A central with a bluetoothd that is missing, stops, returns errors, does not reply, or sends invalid data.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct CentralTroubleTests {
    @Test func `Without bluetoothd or an adapter, the failure includes the fix`() throws {
        try onBus { bus, loop in
            let central = try await CentralHarness(on: bus, loop)
            try await central.start()
            #expect(central.failure == .notRunning)
            let radio = try await FakeRadio(on: bus, loop)
            let other = try await CentralHarness(on: bus, loop, adapter: "hci7")
            try await other.start()
            #expect(other.failure == .noAdapter(wanted: "hci7", there: ["hci0"]))
            _ = radio
        }
    }

    /// How far a central has come when bluetoothd goes away.
    enum Phase: CaseIterable { case scanning, connecting, connected, reading }

    @Test(arguments: Phase.allCases)
    func `When bluetoothd stops, everything ends, and can start again with it`(phase: Phase) throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            switch phase {
            case .scanning:
                try await central.start()
                try await central.scan(radio)
            case .connecting:
                radio.react("Connect") { _, call in kept.add(call) }
                try await central.start()
                await central.connect()
                try await loop.until { radio.calls.contains("Connect") }
            case .connected: _ = try await central.connected(radio)
            case .reading:
                radio.react("ReadValue") { _, call in kept.add(call) }
                let id = try await central.connected(radio)
                for number in [8, 9] as [UInt32] {
                    await central.host.perform(.procedure(id, .read(handle: 0x000C), id: number))
                }
                try await loop.until { radio.calls.contains("ReadValue") }
            }
            await radio.connection.close()
            try await loop.until { !central.losses.isEmpty }
            #expect(central.losses == ["bluetoothd has stopped"])
            #expect(central.refusals.count == (phase == .connecting ? 1 : 0))
            #expect(central.ends == (phase == .connected || phase == .reading ? [.hardwareFailure] : []))
            #expect(central.answers.filter { $0 == .failure(.disconnected) }.count == (phase == .reading ? 2 : 0))
            await central.host.perform(.start)
            #expect(central.starts == 1)
            let next = try await FakeRadio(on: bus, loop)
            try await loop.until { central.starts == 2 }
            await central.connect()
            try await loop.until { next.calls.contains("Connect") }
            #expect(central.failure == nil)
        }
    }

    @Test func `A discovery that begins when its connection has ended ends at once`() throws {
        try onBus { bus, loop in
            weak var remains: CentralSession?
            do {
                let radio = try await FakeRadio(on: bus, loop)
                let central = try await CentralHarness(on: bus, loop)
                remains = central.host
                let id = try await central.connected(radio)
                await central.host.loseDaemonAfterRequest(on: id)
                #expect(central.ends == [.hardwareFailure])
                #expect(central.answers.last == .failure(.disconnected))
                await central.connection.close()
                await radio.connection.close()
            }
            // Its task would keep it forever.
            while remains != nil { try await loop.sleep(for: .milliseconds(1)) }
        }
    }

    @Test func `Switching off or unplugging the adapter ends everything`() throws {
        try onBus { bus, loop in
            for isUnplugged in [false, true] {
                let radio = try await FakeRadio(on: bus, loop)
                let central = try await CentralHarness(on: bus, loop)
                _ = try await central.connected(radio)
                if isUnplugged {
                    await radio.connection.unexport(FakeRadio.adapter)
                } else {
                    radio.change(FakeRadio.adapter, .adapter, ["Powered": .boolean(false)])
                }
                radio.change(FakeRadio.strap, .device, ["Connected": .boolean(false)])
                try await loop.until { central.failure != nil }
                #expect(central.failure == (isUnplugged ? .unplugged("hci0") : .switchedOff("hci0")))
                #expect(central.ends.count == 1)
                await radio.connection.close()
                await central.connection.close()
            }
        }
    }

    @Test func `Connecting times out, also at bluetoothd`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            radio.react("Connect") { _, call in kept.add(call) }
            let central = try await CentralHarness(on: bus, loop)
            try await central.start()
            await central.connect(within: .milliseconds(200))
            try await loop.until { radio.calls.last == "Disconnect" }
            #expect(central.refusals == [.timedOut])
            await central.connect(within: nil)
            try await loop.until { radio.calls.last == "Connect" }
            await central.host.perform(.cancelConnecting)
            try await loop.until { radio.calls.last == "Disconnect" }
            #expect(central.refusals == [.timedOut, .cancelled])
        }
    }

    @Test func `A failed connection reports bluetoothd's error`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            try await central.start()
            let refusal = MethodError("org.bluez.Error.Failed", "le-connection-abort-by-local")
            radio.react("Connect") { _, call in call.fail(with: refusal) }
            await central.connect()
            try await loop.until { central.refusals.count == 1 }
            radio.react("Connect") { radio, _ in radio.connection.assumeIsolated { $0.unexport(FakeRadio.strap) } }
            await central.connect()
            try await loop.until { central.refusals.count == 2 }
            await central.connect()
            #expect(
                central.refusals == [
                    .outside("bluetoothd: org.bluez.Error.Failed: le-connection-abort-by-local"),
                    .outside("bluetoothd removed the device"),
                    .outside("bluetoothd no longer knows the device"),
                ])
        }
    }

    @Test func `A connection may be reported before or after the reply`() throws {
        try onBus { bus, loop in
            for isBefore in [true, false] {
                let radio = try await FakeRadio(on: bus, loop)
                radio.react("Connect") { radio, call in
                    let report = { @Sendable in
                        radio.change(FakeRadio.strap, .device, ["Connected": .boolean(true)])
                    }
                    if isBefore { return report() }
                    call.fail(with: MethodError("org.bluez.Error.AlreadyConnected", "Already Connected"))
                    loop.call(at: loop.now.advanced(by: .milliseconds(50)), report)
                }
                let central = try await CentralHarness(on: bus, loop)
                try await central.start()
                await central.connect()
                try await loop.until { central.connections.count == 1 }
                // The attributes are waited for.
                await central.host.perform(.procedure(central.connections[0], .discoverEverything, id: 1))
                try await loop.sleep(for: .milliseconds(20))
                #expect(central.answers == [])
                radio.change(FakeRadio.strap, .device, ["ServicesResolved": .boolean(true)])
                try await loop.until { central.answers.count == 1 }
                #expect(central.refusals == [])
                await radio.connection.close()
                await central.connection.close()
            }
        }
    }

    @Test func `A rejected discovery is reported and can be repeated`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            radio.react("StartDiscovery") { _, call in
                call.fail(with: MethodError("org.bluez.Error.NotSupported", "no such thing"))
            }
            let central = try await CentralHarness(on: bus, loop)
            try await central.start()
            await central.host.perform(
                .scan(ScanParameters(isActive: true, interval: 0x60, window: 0x60), filterDuplicates: false))
            try await loop.until { central.losses.count == 1 }
            #expect(
                central.losses == [
                    "hci0: bluetoothd rejects StartDiscovery: org.bluez.Error.NotSupported: no such thing"
                ])
            await central.host.perform(.start)
            try await loop.until { central.starts == 2 }
            #expect(central.failure == nil)
        }
    }

    @Test(arguments: [
        ("Failed", "Operation failed with ATT error: 0x80", ATTError(rawValue: 0x80)),
        ("NotPermitted", "Read not permitted", .readNotPermitted), ("NotAuthorized", "", .insufficientAuthorization),
    ])
    func `A server's error is reported with its code`(name: String, message: String, error: ATTError) throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let refusal = MethodError(try ErrorName("org.bluez.Error.\(name)"), message)
            for method in ["ReadValue", "WriteValue", "StartNotify"] {
                radio.react(method) { _, call in call.fail(with: refusal) }
            }
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            for (procedure, handle) in [
                (Procedure.read(handle: 0x000C), 0x000C), (.write(handle: 0x000F, value: [1]), 0x000F),
                (.subscribe(handle: 0x000D, to: .notification), 0x000D),
            ] as [(Procedure, UInt16)] {
                #expect(try await central.ask(procedure) == .failure(.refused(error, handle: handle)))
            }
            radio.notify(FakeRadio.measurement, [1])
            _ = try await central.ask(.read(handle: 0x000C))
            #expect(central.values == [])
        }
    }

    @Test func `Signals of wrong types or from other senders are ignored`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            _ = try await central.ask(.subscribe(handle: 0x000D, to: .notification))
            let before = central.events.all.count
            for (path, member, arguments) in MalformedSignals.all {
                let interface: InterfaceName = member == "PropertiesChanged" ? .properties : .objectManager
                radio.say(path, interface, member, arguments)
            }
            radio.say(FakeRadio.strap, .device, "Disconnected", [.uint32(7)])
            let stranger = try await Connection.open(bus.address, on: loop)
            let isGone = [
                Value.string("org.bluez.Device1"), .options([("Connected", .boolean(false))]), .strings([]),
            ]
            try await stranger.emit(Signal(FakeRadio.strap, .properties, "PropertiesChanged", isGone))
            try await stranger.emit(
                Signal(
                    FakeRadio.measurement, .properties, "PropertiesChanged",
                    [
                        .string("org.bluez.GattCharacteristic1"), .options([("Value", .octets([6]))]), .strings([]),
                    ]))
            _ = try await stranger.call(.bus("GetId", [], reply: "s"))
            radio.notify(FakeRadio.measurement, [5])
            try await loop.until { !central.values.isEmpty }
            #expect(central.values == [[5]])
            #expect(central.events.all.count == before + 1)
            #expect(try await central.ask(.read(handle: 0x000C)) == .success(.value([1, 2, 3])))
        }
    }
}

/// Calls that are never answered.
private let kept = Recorder<Invocation>()

/// Signals that bluetoothd never sends.
private enum MalformedSignals {
    static let all: [(ObjectPath, MemberName, [Value])] = changes + additions + removals

    private static let changes: [(ObjectPath, MemberName, [Value])] = [
        [], [.string("org.bluez.Device1")], [.uint32(1), .options([]), .strings([])],
        [.string("org.bluez.Device1"), .strings(["Connected"]), .strings([])],
        [.string("org.bluez.Device1"), .options([("Connected", .string("false"))]), .strings([])],
        [
            .string("org.bluez.Device1"),
            .options([("ServicesResolved", .byte(0)), ("UUIDs", .uint32(4)), ("Name", .boolean(true))]), .uint32(0),
        ],
        [.string("org.bluez.Adapter1"), .options([("Powered", .uint32(0))]), .strings([])],
        [.string("org.bluez.GattCharacteristic1"), .options([("Value", .strings(["5"]))]), .strings([])],
    ].flatMap { arguments in
        [FakeRadio.strap, FakeRadio.measurement, FakeRadio.adapter].map { ($0, "PropertiesChanged", arguments) }
    }

    private static let additions: [(ObjectPath, MemberName, [Value])] = [
        [], [.path(FakeRadio.strap)], [.string("x"), .options([])], [.path(FakeRadio.strap), .options([])],
        [.path("/org/bluez/hci0/dev_00"), interfaces("org.bluez.Device1", [("Address", .uint32(1))])],
        [.path("/org/bluez/hci0/dev_01"), interfaces("org.bluez.Device1", [("Address", .string("zz"))])],
        [.path("/somewhere/else"), interfaces("org.bluez.GattService1", [])],
    ].map { (.root, "InterfacesAdded", $0) }

    private static let removals: [(ObjectPath, MemberName, [Value])] = [
        [], [.path(FakeRadio.strap)], [.path(FakeRadio.strap), .string("org.bluez.Device1")],
        [.string("/"), .strings(["org.bluez.Device1"])],
        [.path("/org/bluez/hci0/dev_00"), .strings(["org.bluez.Device1"])],
        [.path("/org/bluez"), .strings(["org.bluez.Adapter1"])],
    ].map { (.root, "InterfacesRemoved", $0) }

    private static func interfaces(_ name: String, _ properties: [(name: String, value: Value)]) -> Value {
        .dictionary(
            key: .string, value: .dictionary(key: .string, value: .variant),
            [Value.Entry(.string(name), .options(properties))])
    }
}

extension CentralSession {
    /// A discovery is requested in the turn in which bluetoothd stops.
    fileprivate func loseDaemonAfterRequest(on id: ConnectionID) {
        perform(.procedure(id, .discoverEverything, id: 9))
        ownerChanged(to: nil)
    }
}
