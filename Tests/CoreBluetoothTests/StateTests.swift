import CoreBluetooth
import Foundation
import LubdubTesting
import Synchronization
import Testing

extension CoreBluetoothTests {
    /// The state of a manager, and its queue and delegate.
    @Suite @MainActor struct StateTests {
        @Test(.page("cbmanagerstate/unknown")) func `The state is unknown until the first update`() async throws {
            try await withScenario("resting") { world in
                let central = Central()
                #expect(central.manager.state == .unknown)
                await world.run(for: .seconds(1))
                #expect(central.calls == ["state poweredOn"])
                #expect(central.manager.state == .poweredOn)
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanagerdidupdatestate(_:)"))
        func `A command before the state is poweredOn is ignored, with a warning`() async throws {
            try await withScenario("resting") { world in
                let central = Central()
                central.manager.scanForPeripherals(withServices: nil)
                await world.run(for: .seconds(2))
                #expect(central.calls == ["state poweredOn"])
                #expect(!central.manager.isScanning)
                let warning = try #require(world.warnings.first)
                #expect(warning.hasPrefix("API MISUSE: <") && warning.hasSuffix("while in the powered on state"))
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanagerdidupdatestate(_:)"))
        func `When Bluetooth is switched off, the scan has stopped`() async throws {
            try await withScenario("resting") { world in
                let central = Central { central, call in
                    if call == "state poweredOn" { central.manager.scanForPeripherals(withServices: nil) }
                }
                await world.run(for: .seconds(1))
                #expect(central.manager.isScanning)
                try world.do("power_off", of: "client", for: .seconds(5))
                await world.run(for: .seconds(1))
                #expect(central.calls.last == "state poweredOff")
                #expect(!central.manager.isScanning)
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanagerdidupdatestate(_:)"))
        func `When Bluetooth is switched off, peripherals are disconnected`() async throws {
            try await explored { world, central, peripheral in
                try world.do("power_off", of: "client", for: .seconds(5))
                await world.run(for: .seconds(1))
                #expect(central.calls == ["state poweredOff"])
                #expect(peripheral.state == .disconnected)
                #expect(peripheral.services == nil)
            }
        }

        @Test(.page("cbcentralmanagerdelegate/centralmanagerdidupdatestate(_:)"))
        func `When Bluetooth is switched on again, the manager can scan again`() async throws {
            try await withScenario("resting") { world in
                let central = Central.explorer()
                await world.run(until: { central.isReady }, within: .seconds(10))
                try world.do("power_off", of: "client", for: .seconds(5))
                await world.run(for: .seconds(1))
                #expect(!central.isReady)
                await world.run(until: { central.isReady }, within: .seconds(20))
                #expect(central.count("state poweredOn") == 2)
            }
        }

        @Test(.page("cbcentralmanager/init(delegate:queue:options:)"))
        func `Without a queue, events arrive on the main queue`() async throws {
            try await withScenario("resting") { world in
                let delegate = QueueWitness(.main)
                let manager = CBCentralManager(delegate: delegate, queue: nil)
                await world.run(for: .seconds(1))
                #expect(delegate.calls.withLock { $0 } == 1)
                #expect(manager.state == .poweredOn)
            }
        }

        @Test(.page("cbcentralmanager/init(delegate:queue:options:)"))
        func `Events arrive on the queue of the manager`() async throws {
            try await withScenario("resting") { world in
                let queue = DispatchQueue(label: "events")
                let delegate = QueueWitness(queue)
                let manager = CBCentralManager(delegate: delegate, queue: queue)
                await world.run(for: .seconds(1))
                #expect(delegate.calls.withLock { $0 } == 1)
                #expect(manager.state == .poweredOn)
            }
        }

        @Test(.page("cbcentralmanager/delegate")) func `The manager does not retain its delegate`() async throws {
            try await withScenario("resting") { world in
                var delegate: QueueWitness? = QueueWitness(.main)
                let manager = CBCentralManager(delegate: delegate, queue: nil)
                weak let witness = delegate
                delegate = nil
                await world.run(for: .seconds(1))
                #expect(witness == nil && manager.delegate == nil)
                #expect(manager.state == .poweredOn)
            }
        }

        @Test(.page("cbmanager/authorization-swift.type.property")) func `The app may use Bluetooth`() {
            #expect(CBCentralManager.authorization == .allowedAlways)
        }

        @Test(.page("cbcentralmanageroptionrestoreidentifierkey"))
        func `A manager with a restore identifier works, and is not restored`() async throws {
            try await withScenario("resting") { world in
                let central = Central(options: [CBCentralManagerOptionRestoreIdentifierKey: "heart"])
                await world.run(for: .seconds(1))
                #expect(central.calls == ["state poweredOn"])
            }
        }
    }
}

/// Checks the queue of its calls.
private final class QueueWitness: NSObject, CBCentralManagerDelegate {
    let queue: DispatchQueue
    let calls = Mutex(0)

    init(_ queue: DispatchQueue) { self.queue = queue }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        dispatchPrecondition(condition: .onQueue(queue))
        calls.withLock { $0 += 1 }
    }
}
