import CoreBluetooth
import Foundation
import LubdubTesting
import Testing

/// A peripheral manager's delegate that records what it is called with.
@MainActor
final class Sensor: NSObject {
    /// The calls in order, such as `didSubscribe 2A37`.
    private(set) var calls: [String] = []
    private(set) var errors: [(any Error)?] = []
    private(set) var requests: [CBATTRequest] = []
    private(set) var central: CBCentral?
    private var owned: CBPeripheralManager?
    var manager: CBPeripheralManager { owned ?? CBPeripheralManager() }
    /// Called after each call is recorded.
    var reaction: (Sensor, String) -> Void

    init(reaction: @escaping (Sensor, String) -> Void = { _, _ in }) {
        self.reaction = reaction
        super.init()
        owned = CBPeripheralManager(delegate: self, queue: nil)
    }

    func count(_ call: String) -> Int { calls.count { $0 == call } }

    func clear() { calls.removeAll() }

    func stop() { owned = nil }

    var lastError: CBError.Code? { (errors.last as? CBError)?.code }

    private func note(_ call: String, _ error: (any Error)? = nil) {
        calls.append(call)
        errors.append(error)
        reaction(self, call)
    }
}

extension Sensor: @MainActor CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { note("state \(peripheral.state)") }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        note("didStartAdvertising", error)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        note("didAdd \(service.uuid)", error)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        self.central = central
        note("didSubscribe \(characteristic.uuid)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { note("didUnsubscribe \(characteristic.uuid)") }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        requests.append(request)
        note("didReceiveRead \(request.characteristic.uuid)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        self.requests += requests
        note("didReceiveWrite \(requests.count)")
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { note("isReady") }
}

/// A heart rate service with other characteristics, for the tests.
@MainActor
final class Services {
    static let service = CBUUID(string: "180D")
    let rate = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: [.notify], value: nil, permissions: [])
    let location = CBMutableCharacteristic(
        type: CBUUID(string: "2A38"), properties: .read, value: Data([1]), permissions: .readable)
    let control = CBMutableCharacteristic(
        type: CBUUID(string: "2A39"), properties: [.read, .write, .writeWithoutResponse], value: nil,
        permissions: [.readable, .writeable])
    let heart = CBMutableService(type: Services.service, primary: true)

    init() { heart.characteristics = [rate, location, control] }

    /// A sensor that publishes the services and advertises them as `Sensor`.
    func sensor(reaction: @escaping (Sensor, String) -> Void = { _, _ in }) -> Sensor {
        Sensor { [heart] sensor, call in
            if call == "state poweredOn", sensor.count(call) == 1 {
                sensor.manager.add(heart)
                sensor.manager.startAdvertising([
                    CBAdvertisementDataLocalNameKey: "Lubdub S",
                    CBAdvertisementDataServiceUUIDsKey: [Services.service],
                ])
            }
            reaction(sensor, call)
        }
    }
}

/// A central that connects to the sensor, and discovers its characteristics.
@MainActor
func reader() -> Central {
    Central { central, call in
        if call == "state poweredOn" { return central.manager.scanForPeripherals(withServices: [Services.service]) }
        central.explore(after: call)
    }
}

/// Runs a test with a sensor on another phone, and a central that has explored it.
@MainActor
func served(
    _ services: Services? = nil, reaction: @escaping (Sensor, String) -> Void = { _, _ in },
    _ body: @MainActor (SimulatedWorld, Sensor, Central, CBPeripheral) async throws -> Void
) async throws {
    try await withScenario(nobody) { world in
        let services = services ?? Services()
        let sensor = world.onAnotherPhone { services.sensor(reaction: reaction) }
        let central = reader()
        // The reaction may refer to the sensor.
        defer { sensor.reaction = { _, _ in } }
        await world.run(until: { central.isReady }, within: .seconds(10))
        await world.run(for: .seconds(1))
        central.clear()
        sensor.clear()
        try await body(world, sensor, central, try #require(central.peripheral))
    }
}

/// A scenario whose only device does not advertise.
let nobody = String(#filePath.dropLast("Sensor.swift".count)) + "Scenarios/nobody"
