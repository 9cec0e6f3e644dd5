import DBus
import Simulation
import TestBus
import Testing

@testable import BlueZ

/// What a device asks of a bluetoothd that does as it should.
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
}
