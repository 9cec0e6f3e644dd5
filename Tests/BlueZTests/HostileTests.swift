import ATT
import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import TestBus
import Testing

@testable import BlueZ

/// Peers that are slow, wrong or impostors.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct HostileTests {
    static let measurement: ObjectPath = "/lubdub/device3/service2/value0"
    static let control: ObjectPath = "/lubdub/device3/service2/value1"
    static let descriptor: ObjectPath = "/lubdub/device3/service2/value1/more0"

    /// A device registered with a fake bluetoothd; `ask` calls its objects under a given name.
    private static func registered(
        _ bus: PrivateBus, _ loop: EventLoop
    ) async throws -> (FakeBlueZ, PeripheralHarness) {
        let bluez = try await FakeBlueZ(.none, on: bus, loop)
        let serving = try await PeripheralHarness(on: bus, loop, table: try #require(ApplicationTests.table))
        try await serving.host.start()
        try await loop.until { serving.isRegistered }
        return (bluez, serving)
    }

    private static func ask(
        _ connection: Connection, _ serving: PeripheralHarness, _ path: ObjectPath, _ member: MemberName,
        _ arguments: [Value] = [], reply: Signature = "",
        of interface: InterfaceName = .gattCharacteristic
    ) async throws -> Result<[Value], CallFailure> {
        let call = Call(try await serving.name, path, interface, member, arguments, reply: reply)
        return await outcome { () async throws(CallFailure) in try await connection.call(call) }
    }

    @Test func `Only the owner of org.bluez may read, write and subscribe`() throws {
        try onBus { bus, loop in
            let (bluez, serving) = try await Self.registered(bus, loop)
            let stranger = try await Connection.open(bus.address, on: loop)
            let questions: [(MemberName, [Value], Signature)] = [
                ("ReadValue", [.options([])], "ay"), ("WriteValue", [.octets([1]), .options([])], ""),
                ("StartNotify", [], ""), ("StopNotify", [], ""), ("Confirm", [], ""),
            ]
            for (member, arguments, reply) in questions {
                let refused = try await Self.ask(stranger, serving, Self.control, member, arguments, reply: reply)
                #expect(refused.errorName == "org.freedesktop.DBus.Error.AccessDenied")
                let allowed = try await Self.ask(
                    bluez.connection, serving, Self.control, member, arguments, reply: reply)
                #expect(allowed.errorName == nil)
            }
            let descriptor = try await Self.ask(
                stranger, serving, Self.descriptor, "ReadValue", [.options([])], reply: "ay", of: .gattDescriptor)
            #expect(descriptor.errorName == "org.freedesktop.DBus.Error.AccessDenied")
            #expect(serving.requests.all == [.read(offset: 0), .write([1], isCommand: false)])
        }
    }

    @Test func `The number of remembered devices is limited`() throws {
        try onBus { bus, loop in
            let (_, serving) = try await Self.registered(bus, loop)
            for number in 0..<5000 {
                let properties = Value.options([("Address", .string("\(DeviceAddress(UInt64(number), .public))"))])
                let interfaces = Value.dictionary(
                    key: .string, value: .dictionary(key: .string, value: .variant),
                    [Value.Entry(.string("org.bluez.Device1"), properties)])
                let path = try ObjectPath("/org/bluez/hci0/dev_\(number)")
                await serving.host.interfacesAdded([.path(path), interfaces])
            }
            #expect(await serving.host.devices.count == PeripheralHost.maximumDevices)
        }
    }

    @Test(
        arguments: [
            (Value.uint16(0), nil), (.uint16(3), nil), (.uint16(4), "InvalidOffset"),
            (.uint16(0xFFFF), "InvalidOffset"),
            (.string("0"), "InvalidOffset"), (.byte(0), "InvalidOffset"), (.octets([]), "InvalidOffset"),
        ] as [(Value, String?)])
    func `Offsets are checked`(offset: Value, error: String?) throws {
        try onBus { bus, loop in
            let (bluez, serving) = try await Self.registered(bus, loop)
            let wanted = error.map { "org.bluez.Error.\($0)" }
            let options = Value.options([("offset", offset)])
            let read = try await Self.ask(
                bluez.connection, serving, Self.control, "ReadValue", [options], reply: "ay")
            #expect(read.errorName == wanted)
            if offset != .uint16(3) {  // the descriptor has two octets
                let described = try await Self.ask(
                    bluez.connection, serving, Self.descriptor, "ReadValue", [options], reply: "ay",
                    of: .gattDescriptor)
                #expect(described.errorName == wanted)
            }
            let write = try await Self.ask(
                bluez.connection, serving, Self.control, "WriteValue", [.octets([1]), options])
            #expect(write.errorName == (offset == .uint16(0) ? nil : "org.bluez.Error.InvalidOffset"))
        }
    }

    @Test func `Options of wrong types and huge values get a reply`() throws {
        try onBus { bus, loop in
            let (bluez, serving) = try await Self.registered(bus, loop)
            let options = Value.options([
                ("device", .uint32(7)), ("mtu", .string("23")), ("link", .byte(9)), ("type", .octets([0])),
                ("more", .options([("device", .path("/"))])),
            ])
            let read = try await Self.ask(
                bluez.connection, serving, Self.control, "ReadValue", [options], reply: "ay")
            #expect(read == .success([.octets([1, 2, 3])]))
            let huge = [UInt8](repeating: 1, count: 1 << 20)
            let write = try await Self.ask(
                bluez.connection, serving, Self.control, "WriteValue", [.octets(huge), options])
            #expect(write == .success([]))
            #expect(serving.requests.all.last == .write(huge, isCommand: false))
            for wrong in [[], [.octets([1])], [.string("1"), options], [.octets([1]), .options([]), .byte(1)]] {
                let refused = try await Self.ask(bluez.connection, serving, Self.control, "WriteValue", wrong)
                #expect(refused.errorName == "org.freedesktop.DBus.Error.InvalidArgs")
            }
        }
    }

    @Test func `A repeated StartNotify or StopNotify has no effect`() throws {
        try onBus { bus, loop in
            let (bluez, serving) = try await Self.registered(bus, loop)
            for member in ["StartNotify", "StartNotify", "StopNotify", "StopNotify"] as [MemberName] {
                #expect(try await Self.ask(bluez.connection, serving, Self.measurement, member) == .success([]))
            }
            #expect(serving.subscriptions == [true, false])
        }
    }

    @Test func `Signals about adapters and devices from other senders are ignored`() throws {
        try onBus { bus, loop in
            let (_, serving) = try await Self.registered(bus, loop)
            let stranger = try await Connection.open(bus.address, on: loop)
            let off = Value.options([("Powered", .boolean(false))])
            try await stranger.emit(
                Signal(
                    "/org/bluez/hci0", .properties, "PropertiesChanged",
                    [.string("org.bluez.Adapter1"), off, .strings([])]))
            try await stranger.emit(
                Signal(
                    .root, .objectManager, "InterfacesRemoved",
                    [.path("/org/bluez/hci0"), .strings(["org.bluez.Adapter1"])]))
            try await loop.sleep(for: PeripheralHost.retryTimeout + .milliseconds(200))
            #expect(serving.failure == nil)
        }
    }

    @Test func `A bluetoothd with malformed objects is a failure`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.garbles, on: bus, loop)
            let serving = try await PeripheralHarness(on: bus, loop, table: try #require(ApplicationTests.table))
            try await serving.host.start()
            try await loop.until { serving.failure != nil }
            #expect(serving.failure?.description.hasPrefix("cannot use bluetoothd: the reply has") == true)
            #expect(await serving.host.stop() == nil)
            _ = bluez
        }
    }

    @Test func `A bluetoothd that never replies is a failure after the limit`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.isSilent, on: bus, loop)
            let serving = try await PeripheralHarness(
                on: bus, loop, table: try #require(ApplicationTests.table), within: .milliseconds(300))
            try await serving.host.start()
            try await loop.until { serving.failure != nil }
            guard case .refused("hci0", "RegisterApplication", let why) = serving.failure else {
                Issue.record("\(String(describing: serving.failure))")
                return
            }
            #expect(why.hasPrefix("no reply within"))
            #expect(await serving.host.stop() == nil)
            #expect((bluez.alias, bluez.isPairable) == ("desk", true))
        }
    }

    @Test func `An advertisement is unregistered even if registering it got no reply`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.isSilentOfAdvertisements, on: bus, loop)
            let serving = try await PeripheralHarness(on: bus, loop, table: try #require(ApplicationTests.table))
            try await serving.host.start()
            await serving.host.advertise(true)
            try await loop.until { bluez.calls.contains("RegisterAdvertisement") }
            #expect(await serving.host.stop() == nil)
            #expect(bluez.calls.suffix(2) == ["UnregisterAdvertisement", "UnregisterApplication"])
        }
    }

    @Test(arguments: [0, 1, 3])
    func `Stopping does not wait for missing replies`(
        others: Int
    ) throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.isSilent, on: bus, loop)
            let serving = try await PeripheralHarness(on: bus, loop, table: try #require(ApplicationTests.table))
            try await serving.host.start()
            try await loop.until { bluez.calls.contains("RegisterApplication") }
            for _ in 0..<others { await serving.host.advertise(true) }
            let before = loop.now
            _ = await serving.host.stop()
            #expect(before.duration(to: loop.now) < .seconds(1))
            #expect(bluez.alias == "desk")
            #expect(!bluez.calls.contains("RegisterAdvertisement"))
        }
    }
}
