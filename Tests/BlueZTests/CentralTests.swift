import ATT
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

/// A central above a bluetoothd that does as it should.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct CentralTests {
    @Test func `A central scans, connects and discovers, and restores the adapter`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop, isPowered: false)
            let central = try await CentralHarness(on: bus, loop, services: [UUID(0x180D)])
            try await central.start()
            #expect(radio.property("Powered") == .boolean(true))
            #expect(
                central.outputs.first
                    == .started(DeviceAddress(0x00AA_0100_0000, .public), ControllerFacts()))
            try await central.scan(radio)
            #expect(
                radio.arguments(of: "SetDiscoveryFilter") == [
                    .options([
                        ("Transport", .string("le")), ("DuplicateData", .boolean(true)), ("UUIDs", .strings(["180D"])),
                    ])
                ])
            let data = try AdvertisingData(octets: central.reports[0].data, limit: .extended)
            #expect((central.reports[0].address, central.reports[0].rssi) == (FakeRadio.address, -40))
            #expect((data.localName, data.services) == ("strap", [UUID(0x180D)]))
            await central.host.perform(.stopScanning)
            await central.connect()
            try await loop.until { central.connections.count == 1 }
            #expect(
                try await central.ask(.discoverEverything)
                    == .success(.services([Self.heartRate])))
            await central.host.perform(.disconnect(central.connections[0], reason: .remoteUserTerminated))
            try await loop.until { !central.ends.isEmpty }
            #expect(central.ends == [.localHostTerminated])
            #expect(await central.host.stop() == nil)
            #expect(radio.property("Powered") == .boolean(false))
            #expect(
                radio.calls == [
                    "Powered", "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "Disconnect",
                    "Powered",
                ])
        }
    }

    static let meetings: [(isKnown: Bool, sharesDevices: Bool, isPaired: Bool, isForgotten: Bool)] = [
        (false, false, false, true), (true, false, false, false), (false, true, false, false),
        (false, false, true, false),
    ]

    @Test(arguments: meetings) func `New devices are removed unless devices are shared`(
        isKnown: Bool, sharesDevices: Bool, isPaired: Bool, isForgotten: Bool
    ) throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop, isKnown: isKnown)
            let central = try await CentralHarness(on: bus, loop, sharesDevices: sharesDevices)
            try await central.start()
            if !isKnown { try await radio.showStrap() }
            try await central.scan(radio)
            await central.host.perform(.stopScanning)
            await central.connect()
            try await loop.until { central.connections.count == 1 }
            #expect(await central.host.isPaired == false)
            if isPaired { radio.change(FakeRadio.strap, .device, ["Paired": .boolean(true)]) }
            await central.host.perform(.disconnect(central.connections[0], reason: .remoteUserTerminated))
            try await loop.until { !central.ends.isEmpty }
            #expect(await central.host.stop() == nil)
            #expect(radio.calls.contains("RemoveDevice") == isForgotten)
            if isForgotten { #expect(radio.arguments(of: "RemoveDevice") == [.path(FakeRadio.strap)]) }
        }
    }

    @Test func `Stopping ends the connection to a new device, and then removes the device`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop, isKnown: false)
            let central = try await CentralHarness(on: bus, loop, sharesDevices: false)
            try await central.start()
            try await radio.showStrap()
            try await central.scan(radio)
            await central.host.perform(.stopScanning)
            await central.connect()
            try await loop.until { central.connections.count == 1 }
            #expect(await central.host.stop() == nil)
            #expect(radio.calls.suffix(2) == ["Disconnect", "RemoveDevice"])
        }
    }

    private static let heartRate = DiscoveredService(
        uuid: UUID(0x180D), range: HandleRange(0x000A, 0x0010),
        characteristics: [
            DiscoveredCharacteristic(
                uuid: UUID(0x2A37), range: HandleRange(0x000B, 0x000D), properties: [.read, .notify],
                valueHandle: 0x000C, descriptors: [AttributeType(0x000D, UUID(0x2902))]),
            DiscoveredCharacteristic(
                uuid: UUID(0x2A39), range: HandleRange(0x000E, 0x0010), properties: [.write, .indicate],
                valueHandle: 0x000F, descriptors: [AttributeType(0x0010, UUID(0x2902))]),
        ])

    @Test func `Stopping cancels what is in progress`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            await central.host.perform(
                .scan(ScanParameters(isActive: true, interval: 0x60, window: 0x60), filterDuplicates: true))
            try await loop.until { radio.calls.contains("StartDiscovery") }
            #expect(await central.host.stop() == nil)
            #expect(radio.calls.suffix(2) == ["Disconnect", "StopDiscovery"])
            #expect(
                radio.arguments(of: "SetDiscoveryFilter") == [
                    .options([("Transport", .string("le")), ("DuplicateData", .boolean(false))])
                ])
            #expect(radio.property("Powered") == .boolean(true))
        }
    }

    @Test func `Values are read and written by handle`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            for procedure in [Procedure.read(handle: 0x000C), .readLong(handle: 0x000C)] {
                #expect(try await central.ask(procedure) == .success(.value([1, 2, 3])))
            }
            let writes: [(Procedure, String)] = [
                (.write(handle: 0x000F, value: [9]), "request"), (.writeLong(handle: 0x000F, value: [9]), "request"),
                (.writeCommand(handle: 0x000F, value: [9]), "command"),
            ]
            for (procedure, type) in writes {
                #expect(try await central.ask(procedure) == .success(.written))
                #expect(
                    radio.arguments(of: "WriteValue") == [.octets([9]), .options([("type", .string(type))])])
            }
            #expect(
                try await central.ask(.write(handle: 0x000F, value: [UInt8](repeating: 0, count: 513)))
                    == .failure(.valueTooLong(513)))
        }
    }

    @Test(arguments: [
        Procedure.exchangeMTU, .discoverPrimaryServices, .readByUUID(UUID(0x2A37), .all), .read(handle: 0x0042),
        .write(handle: 0x000D, value: [1, 0]), .configure(handle: 0x000C, .notification),
        .configure(handle: 0x000D, .indication), .configure(handle: 0x0010, [.notification, .indication]),
    ])
    func `Unsupported procedures fail with the reason`(procedure: Procedure) throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            guard case .failure(.unavailable(let why)) = try await central.ask(procedure) else {
                Issue.record("\(procedure) was done")
                return
            }
            #expect(why.hasPrefix("bluetoothd"))
        }
    }

    @Test(arguments: [(UInt16(0x000D), FakeRadio.measurement, false), (0x0010, FakeRadio.control, true)])
    func `Notifications before the reply to the subscription are received`(
        configuration: UInt16, path: ObjectPath, isIndicated: Bool
    ) throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            radio.react("StartNotify") { radio, call in
                radio.notify(path, [7])
                call.reply()
                radio.notify(path, [7])
            }
            let central = try await CentralHarness(on: bus, loop)
            let id = try await central.connected(radio)
            radio.notify(path, [1])  // of somebody else's subscription
            _ = try await central.ask(.write(handle: 0x000F, value: []))
            let wanted: ClientConfiguration = isIndicated ? .indication : .notification
            #expect(try await central.ask(.subscribe(handle: configuration, to: wanted)) == .success(.written))
            radio.notify(path, [8])
            try await loop.until { central.values.count == 3 }
            #expect(central.values == [[7], [7], [8]])
            for case .received(let other, let handle, _, let way) in central.events.all {
                #expect((other, handle, way) == (id, configuration - 1, isIndicated))
            }
            #expect(try await central.ask(.unsubscribe(handle: configuration)) == .success(.written))
            radio.notify(path, [9])
            _ = try await central.ask(.write(handle: 0x000F, value: []))
            #expect(central.values.count == 3)
        }
    }

    @Test(
        arguments: [
            ([[1, 2, 3]], []), ([[4], [1, 2, 3]], [[4]]), ([[1, 2, 3], [4]], [[1, 2, 3], [4]]), ([], []),
            ([[1, 2, 3], [1, 2, 3]], [[1, 2, 3]]),
        ] as [([[UInt8]], [[UInt8]])])
    func `A value change caused by a read is not a notification`(shown: [[UInt8]], heard: [[UInt8]]) throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            radio.react("ReadValue") { radio, call in
                for value in shown { radio.notify(FakeRadio.measurement, value) }
                call.reply([.octets([1, 2, 3])])
                radio.notify(FakeRadio.measurement, [5])
            }
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            _ = try await central.ask(.subscribe(handle: 0x000D, to: .notification))
            #expect(try await central.ask(.read(handle: 0x000C)) == .success(.value([1, 2, 3])))
            try await loop.until { central.values.last == [5] }
            #expect(central.values == heard + [[5]])
        }
    }

    @Test func `A subscription does not outlive its connection`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            _ = try await central.ask(.subscribe(handle: 0x000D, to: .notification))
            radio.change(FakeRadio.strap, .device, ["Connected": .boolean(false)])
            try await loop.until { radio.calls.last == "StopNotify" }
            #expect(central.ends == [.unspecified])
            radio.notify(FakeRadio.measurement, [1])
            await central.connect()
            try await loop.until { central.connections.count == 2 }
            #expect(central.values == [])
        }
    }

    @Test(arguments: [
        ("org.bluez.Reason.Timeout", HCIStatus.connectionTimeout), ("org.bluez.Reason.Remote", .remoteUserTerminated),
        ("org.bluez.Reason.Local", .localHostTerminated), ("org.bluez.Reason.Unknown", .unspecified),
    ])
    func `The reason of a disconnection is reported if bluetoothd knows it`(name: String, reason: HCIStatus) throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            _ = try await central.connected(radio)
            radio.say(FakeRadio.strap, .device, "Disconnected", [.string(name), .string("for people")])
            radio.change(FakeRadio.strap, .device, ["Connected": .boolean(false)])
            try await loop.until { !central.ends.isEmpty }
            #expect(central.ends == [reason])
        }
    }

    @Test func `An existing connection is used and kept`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            radio.change(FakeRadio.strap, .device, ["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
            let central = try await CentralHarness(on: bus, loop)
            try await central.start()
            await central.host.perform(
                .scan(ScanParameters(isActive: true, interval: 0x60, window: 0x60), filterDuplicates: false))
            try await loop.until { !central.reports.isEmpty }
            #expect(central.reports.map(\.rssi) == [127])
            let id = try await central.connected(radio)
            await central.host.perform(.disconnect(id, reason: .remoteUserTerminated))
            #expect(central.ends == [.localHostTerminated])
            #expect(await central.host.stop() == nil)
            #expect(!radio.calls.contains("Connect"))
            #expect(!radio.calls.contains("Disconnect"))
        }
    }

    @Test func `Changed attributes are reported once they have settled`() throws {
        try onBus { bus, loop in
            let radio = try await FakeRadio(on: bus, loop)
            let central = try await CentralHarness(on: bus, loop)
            let id = try await central.connected(radio)
            for path in [FakeRadio.service, FakeRadio.measurement, FakeRadio.control] {
                await radio.connection.unexport(path)
            }
            try await radio.showAttributes()
            try await loop.until { central.outputs.contains(.attributesChanged(id)) }
            #expect(try await central.ask(.discoverEverything) == .success(.services([Self.heartRate])))
            // A discovery requested meanwhile waits, and there are no other outputs.
            await radio.connection.unexport(FakeRadio.service)
            try await radio.showAttributes()
            #expect(try await central.ask(.discoverEverything) == .success(.services([Self.heartRate])))
            #expect(central.count { $0 == .attributesChanged(id) } == 1)
        }
    }
}
