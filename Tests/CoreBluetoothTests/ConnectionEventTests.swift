import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

extension CoreBluetoothTests {
    /// Managers that are told about the connections of others.
    @Suite @MainActor struct ConnectionEventTests {
        /// Connects to the lamp while another manager watches with these options, and disconnects.
        private func watched(
            _ options: @escaping (CBPeripheral?) -> [CBConnectionEventMatchingOption: Any]?,
            _ body: @MainActor (SimulatedWorld, Central, Central) async throws -> Void
        ) async throws {
            try await withScenario(lamp) { world in
                let watcher = Central { central, call in
                    if call == "state poweredOn" { central.manager.registerForConnectionEvents(options: options(nil)) }
                }
                await world.run(for: .seconds(1))
                let central = Central.explorer()
                await world.run(until: { central.isReady }, within: .seconds(10))
                await world.run(for: .seconds(1))
                try await body(world, watcher, central)
            }
        }

        @Test(.page("cbconnectioneventmatchingoption/serviceuuids"))
        func `A connection with a peripheral that has a service is reported, and its end`() async throws {
            let options = [CBConnectionEventMatchingOption.serviceUUIDs: [CBUUID(string: Lamp.light)]]
            try await watched({ _ in options }) { world, watcher, central in
                #expect(watcher.calls == ["state poweredOn", "peerConnected"])
                let lamp = try #require(watcher.peripheral)
                #expect(lamp.identifier == central.peripheral?.identifier && lamp.state == .disconnected)
                watcher.manager.connect(lamp)
                await world.run(until: { watcher.calls.contains("didConnect") }, within: .seconds(1))
                try world.do("disconnect", of: "lamp")
                await world.run(for: .seconds(1))
                #expect(watcher.count("peerDisconnected") == 1)
                #expect(central.calls.last == "didDisconnect")
            }
        }

        @Test(.page("cbconnectioneventmatchingoption/serviceuuids"))
        func `A connection with another peripheral is not reported`() async throws {
            let options = [CBConnectionEventMatchingOption.serviceUUIDs: [CBUUID(string: "180D")]]
            try await watched({ _ in options }) { world, watcher, central in
                #expect(watcher.calls == ["state poweredOn"])
            }
        }

        @Test(.page("cbconnectioneventmatchingoption/peripheraluuids"))
        func `A connection with a peripheral of an identifier is reported`() async throws {
            try await explored { world, central, peripheral in
                let watcher = Central { watcher, call in
                    guard call == "state poweredOn" else { return }
                    watcher.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [peripheral.identifier]])
                }
                await world.run(for: .seconds(1))
                try world.do("disconnect", of: "lamp")
                await world.run(until: { central.calls.contains("didDisconnect") }, within: .seconds(5))
                central.manager.connect(peripheral)
                await world.run(until: { watcher.calls.contains("peerConnected") }, within: .seconds(10))
                #expect(watcher.peripheral?.identifier == peripheral.identifier)
            }
        }

        @Test(.page("cbcentralmanager/registerforconnectionevents(options:)"))
        func `Without options, nothing is reported any more`() async throws {
            let options = [CBConnectionEventMatchingOption.serviceUUIDs: [CBUUID(string: Lamp.light)]]
            try await watched({ _ in options }) { world, watcher, central in
                watcher.manager.registerForConnectionEvents()
                try world.do("disconnect", of: "lamp")
                await world.run(for: .seconds(2))
                #expect(watcher.calls == ["state poweredOn", "peerConnected"])
            }
        }
    }
}
