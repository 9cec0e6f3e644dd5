import Basics
import BlueZNames
import DBus
import TestBus
import Testing

@testable import BlueZ

/// The calls of a device to a bluetoothd that works.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct HostTests {
    private static func connect(_ isConnected: Bool, by bluez: FakeBlueZ) async throws {
        let device = Value.options([
            ("Address", .string("00:AA:01:01:00:01")), ("AddressType", .string("public")),
            ("Connected", .boolean(isConnected)),
        ])
        let interfaces = Value.dictionary(
            key: .string, value: device.type, [Value.Entry(.string("org.bluez.Device1"), device)])
        try await bluez.connection.emit(
            Signal(
                .root, .objectManager, "InterfacesAdded",
                [.path("/org/bluez/hci0/dev_00_AA_01_01_00_01"), interfaces]))
    }

    @Test func `The adapter is renamed only while it serves`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.none, on: bus, loop)
            let serving = try await PeripheralHarness(on: bus, loop, table: try #require(ApplicationTests.table))
            try await serving.host.start()
            try await loop.until { serving.isRegistered }
            #expect((bluez.alias, bluez.isPairable) == ("strap", false))
            #expect(await serving.host.stop() == nil)
            #expect((bluez.alias, bluez.isPairable) == ("desk", true))
            #expect(bluez.calls == ["RegisterApplication", "UnregisterApplication"])
        }
    }

    @Test func `Advertising resumes after a connection`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.none, on: bus, loop)
            let serving = try await PeripheralHarness(on: bus, loop, table: try #require(ApplicationTests.table))
            try await serving.host.start()
            await serving.host.advertise(true)
            try await loop.until { bluez.calls.count == 2 }
            await serving.host.advertise(true)  // nobody has connected: nothing to do
            try await Self.connect(true, by: bluez)
            try await loop.until { serving.hasConnected }
            await serving.host.advertise(true)
            try await loop.until { bluez.calls.count == 4 }
            #expect(
                bluez.calls == [
                    "RegisterApplication", "RegisterAdvertisement", "UnregisterAdvertisement", "RegisterAdvertisement",
                ])
        }
    }

    // MARK: Bonds

    private static let (phone, keyboard): (ObjectPath, ObjectPath) = (
        "/org/bluez/hci0/dev_00_AA_01_01_00_01", "/org/bluez/hci0/dev_00_AA_01_01_00_02"
    )

    /// Forgets the bonds of a strap to which a phone has paired, while a keyboard of this machine is connected, too.
    private static func forget(
        _ fault: FakeBlueZ.Fault, pairs: Bool = true
    ) throws -> (calls: [String], events: [String]) {
        let result = Recorder<(calls: [String], events: [String])>()
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(fault, on: bus, loop)
            let serving = try await PeripheralHarness(on: bus, loop, table: try #require(ApplicationTests.table))
            try await serving.host.start()
            try await loop.until { serving.isRegistered }
            try await bluez.addDevice(keyboard, "00:AA:01:01:00:02", isConnected: true, isPaired: true)
            try await bluez.addDevice(phone, "00:AA:01:01:00:01", isConnected: true, isPaired: false)
            if pairs {
                try await bluez.connection.emitPropertiesChanged(of: .device, at: phone, [("Paired", .boolean(true))])
                try await loop.until { serving.events.all.contains { if case .paired = $0 { true } else { false } } }
            }
            try await loop.until { serving.connections == 2 }
            await serving.host.forgetBonds()
            try await loop.until { !serving.forgotten.isEmpty }
            result.add((Array(bluez.calls.dropFirst()), serving.forgotten))
        }
        return try #require(result.all.first)
    }

    @Test func `A strap forgets the bond with its client, and with no other device`() throws {
        let (calls, events) = try Self.forget(.none)
        #expect(calls == ["Disconnect \(Self.phone.text)", "RemoveDevice \(Self.phone.text)"])
        #expect(events == ["00:AA:01:01:00:01/public"])
    }

    @Test func `A strap without a bonded client is reported`() throws {
        let (calls, events) = try Self.forget(.none, pairs: false)
        #expect(calls == [])
        #expect(events == ["not: bluetoothd has no bond with a client of this run"])
    }

    @Test func `A bond that bluetoothd does not have is a message`() throws {
        let (_, events) = try Self.forget(.removesNothing)
        #expect(events.count == 1)
        #expect(
            events[0].hasPrefix("not: bluetoothd has not removed the bond with 00:AA:01:01:00:01/public: ")
                && events[0].contains("Does Not Exist"), "\(events)")
    }
}
