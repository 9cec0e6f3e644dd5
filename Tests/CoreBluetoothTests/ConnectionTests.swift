import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// Connections, their ends and errors.
    @Suite @MainActor struct ConnectionTests {
        @Test(.page("cbperipheralstate")) func `The state goes from connecting to connected`() async throws {
            try await withScenario("resting") { world in
                let central = Central { central, call in
                    guard call == "didDiscover Lubdub HRM", let peripheral = central.peripheral else { return }
                    #expect(peripheral.state == .disconnected)
                    central.manager.connect(peripheral)
                    #expect(peripheral.state == .connecting)
                }
                await world.run(for: .seconds(1))
                central.manager.scanForPeripherals(withServices: nil)
                await world.run(until: { central.calls.contains("didConnect") }, within: .seconds(5))
                #expect(central.peripheral?.state == .connected)
            }
        }

        @Test(.page("cbcentralmanager/connect(_:options:)")) func `Connecting has no time limit`() async throws {
            try await explored("resting") { world, central, peripheral in
                try world.do("link_loss", of: "strap", for: .seconds(600))
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                central.manager.connect(peripheral)
                central.clear()
                await world.run(for: .seconds(500))
                #expect(central.calls.isEmpty && peripheral.state == .connecting)
                await world.run(until: { peripheral.state == .connected }, within: .seconds(110))
            }
        }

        @Test(.page("cbcentralmanager/cancelperipheralconnection(_:)"))
        func `A pending connection can be canceled`() async throws {
            try await explored("resting") { world, central, peripheral in
                try world.do("link_loss", of: "strap", for: .seconds(20))
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                central.manager.connect(peripheral)
                await world.run(for: .seconds(1))
                central.clear()
                central.manager.cancelPeripheralConnection(peripheral)
                await world.run(for: .seconds(60))
                #expect(central.calls == ["didDisconnect"])
                #expect(peripheral.state == .disconnected)
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanager(_:diddisconnectperipheral:error:)"))
        func `A canceled connection ends without an error`() async throws {
            try await explored { world, central, peripheral in
                central.manager.cancelPeripheralConnection(peripheral)
                #expect(peripheral.state == .disconnecting)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didDisconnect"])
                #expect(central.errors.last.flatMap(\.self) == nil)
                #expect(peripheral.state == .disconnected)
            }
        }

        @Test(.page("cberror-swift.struct/connectiontimeout"))
        func `A lost link ends with connectionTimeout`() async throws {
            try await explored { world, central, _ in
                try world.do("link_loss", of: "lamp", for: .seconds(8))
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                #expect(central.lastError == .connectionTimeout)
            }
        }

        @Test(.page("cberror-swift.struct/peripheraldisconnected"))
        func `A connection that the peripheral ends has peripheralDisconnected`() async throws {
            try await explored { world, central, _ in
                try world.do("disconnect", of: "lamp")
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                #expect(central.lastError == .peripheralDisconnected)
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanager(_:diddisconnectperipheral:error:)"))
        func `After a disconnection, services and characteristics are invalid`() async throws {
            try await explored { world, central, peripheral in
                let level = try #require(central.characteristic(Lamp.level))
                try world.do("disconnect", of: "lamp")
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                #expect(peripheral.services == nil)
                central.manager.connect(peripheral)
                await world.run(until: { peripheral.state == .connected }, within: .seconds(5))
                peripheral.readValue(for: level)
                await world.run(for: .seconds(1))
                #expect(world.warnings.contains { $0.contains("does not have this service any more") })
                #expect(!central.calls.contains("didUpdateValue \(Lamp.level)"))
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanager(_:diddisconnectperipheral:error:)"))
        func `After a disconnection, the peripheral's delegate is not called`() async throws {
            try await explored { world, central, peripheral in
                peripheral.readValue(for: try #require(central.characteristic(Lamp.label)))
                central.manager.cancelPeripheralConnection(peripheral)
                await world.run(for: .seconds(5))
                #expect(central.calls == ["didDisconnect"])
            }
        }

        @Test(.page("cbcentralmanager/connect(_:options:)"))
        func `The connection of a peripheral that nobody retains is canceled, with a warning`() async throws {
            try await explored { world, central, _ in
                central.release()
            }
            try await withScenario("resting") { world in
                let central = Central { central, call in
                    if call == "state poweredOn" { central.manager.scanForPeripherals(withServices: nil) }
                }
                await world.run(for: .seconds(2))
                if let peripheral = central.peripheral { central.manager.connect(peripheral) }
                central.release()
                await world.run(for: .seconds(5))
                #expect(!central.calls.contains("didConnect"))
                let warning = try #require(world.warnings.first)
                #expect(warning.hasPrefix("API MISUSE: Cancelling connection for unused peripheral"))
            }
        }

        @Test(.page("cbcentralmanager/cancelperipheralconnection(_:)"))
        func `A link stays while another manager uses it`() async throws {
            try await explored("resting") { world, first, peripheral in
                let second = Central { central, call in
                    guard call == "state poweredOn" else { return }
                    central.peripherals = central.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier])
                    if let peripheral = central.peripheral { central.manager.connect(peripheral) }
                }
                await world.run(until: { second.calls.contains("didConnect") }, within: .seconds(5))
                first.manager.cancelPeripheralConnection(peripheral)
                await world.run(for: .seconds(2))
                #expect(first.calls == ["didDisconnect"])
                #expect(second.peripheral?.state == .connected)
                #expect(!world.events.contains(#""event": "disconnected""#))
                if let peripheral = second.peripheral { second.manager.cancelPeripheralConnection(peripheral) }
                await world.run(for: .seconds(2))
                #expect(second.calls.last == "didDisconnect")
                #expect(world.events.contains(#""event": "disconnected""#))
            }
        }

        @Test(.page("cbconnectperipheraloptionenableautoreconnect"))
        func `With auto-reconnect, the system connects again after a lost link`() async throws {
            try await explored("resting") { world, central, peripheral in
                central.manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
                await world.run(for: .seconds(1))
                central.clear()
                try world.do("link_loss", of: "strap", for: .seconds(8))
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                #expect(peripheral.state == .connecting)
                await world.run(until: { peripheral.state == .connected }, within: .seconds(20))
                #expect(central.count("didConnect") == 1)
            }
        }

        @Test(.page("cbcentralmanager/connect(_:options:)"))
        func `A manager connects to several peripherals at once`() async throws {
            try await withScenario("three_straps") { world in
                let central = Central { central, call in
                    if call == "state poweredOn" { central.manager.scanForPeripherals(withServices: nil) }
                    if call.hasPrefix("didDiscover Lubdub"), let peripheral = central.peripherals.last {
                        central.manager.connect(peripheral)
                    }
                }
                await world.run(until: { central.count("didConnect") == 3 }, within: .seconds(20))
                #expect(central.peripherals.allSatisfy { $0.state == .connected })
            }
        }

        @Test(.page("cbperipheral")) func `A peripheral that is not connected ignores commands, with a warning`()
            async throws
        {
            try await withScenario("resting") { world in
                let central = Central { central, call in
                    if call == "state poweredOn" { central.manager.scanForPeripherals(withServices: nil) }
                }
                await world.run(for: .seconds(2))
                central.clear()
                central.peripheral?.discoverServices(nil)
                central.peripheral?.readRSSI()
                await world.run(for: .seconds(2))
                #expect(central.calls.isEmpty)
                #expect(world.warnings.count == 2)
                #expect(
                    world.warnings.allSatisfy { $0.hasSuffix("can only accept commands while in the connected state") })
            }
        }

        @Test(.page("cbperipheral/readrssi()")) func `The strength of the signal of a connection is read`() async throws
        {
            try await explored { world, central, peripheral in
                try world.perform(#"{"do": "rssi", "of": "lamp", "to": -71}"#)
                peripheral.readRSSI()
                await world.run(for: .seconds(1))
                #expect(central.calls == ["didReadRSSI"])
                #expect(central.strengths.last == -71)
            }
        }

        @Test func `A manager that is released ends its scan and its connections`() async throws {
            try await explored("resting") { world, central, _ in
                central.release()
                central.stop()
                await world.run(for: .seconds(2))
                #expect(world.events.contains(#""event": "disconnected""#))
            }
        }
    }
}
