import CoreBluetooth
import Foundation

/// A central manager's delegate that records what it is called with, and a peripheral's.
@MainActor
final class Central: NSObject {
    /// The calls in order, without arguments that vary: `didDiscover Lubdub HRM`.
    private(set) var calls: [String] = []
    /// The peripherals that it retains, in the order of their discovery.
    var peripherals: [CBPeripheral] = []
    private(set) var advertisements: [[String: Any]] = []
    private(set) var strengths: [Int] = []
    private(set) var errors: [(any Error)?] = []
    private(set) var values: [Data] = []
    private(set) var invalidated: [String] = []
    private var owned: CBCentralManager?
    var manager: CBCentralManager { owned ?? CBCentralManager() }
    var retains = true
    /// Called after each call is recorded.
    var reaction: (Central, String) -> Void = { _, _ in }

    init(options: [String: Any]? = nil, reaction: @escaping (Central, String) -> Void = { _, _ in }) {
        super.init()
        self.reaction = reaction
        owned = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    var peripheral: CBPeripheral? { peripherals.first }

    func characteristic(_ uuid: String) -> CBCharacteristic? {
        let services = peripheral?.services ?? []
        return services.flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
    }

    func count(_ call: String) -> Int { calls.count { $0 == call } }

    func clear() { calls.removeAll() }

    func release() { peripherals.removeAll() }

    func stop() { owned = nil }

    private func note(_ call: String, _ error: (any Error)? = nil) {
        calls.append(call)
        errors.append(error)
        reaction(self, call)
    }
}

extension Central: @MainActor CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state \(central.state)") }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        if retains, !peripherals.contains(where: { $0 === peripheral }) { peripherals.append(peripheral) }
        advertisements.append(advertisementData)
        strengths.append(rssi.intValue)
        peripheral.delegate = self
        note("didDiscover \(peripheral.name ?? "")")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("didConnect") }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { note("didFailToConnect", error) }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { note("didDisconnect", error) }

    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) {
        if retains, !peripherals.contains(where: { $0 === peripheral }) { peripherals.append(peripheral) }
        note(event == .peerConnected ? "peerConnected" : "peerDisconnected")
    }
}

extension Central: @MainActor CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("didUpdateName \(peripheral.name ?? "")") }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        invalidated += invalidatedServices.map(\.uuid.uuidString)
        note("didModifyServices")
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
        strengths.append(rssi.intValue)
        note("didReadRSSI", error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        note("didDiscoverServices", error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) { note("didDiscoverIncludedServices \(service.uuid)", error) }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { note("didDiscoverCharacteristics \(service.uuid)", error) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        values.append(characteristic.value ?? Data())
        note("didUpdateValue \(characteristic.uuid)", error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { note("didWriteValue \(characteristic.uuid)", error) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { note("didUpdateNotificationState \(characteristic.uuid)", error) }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { note("didDiscoverDescriptors \(characteristic.uuid)", error) }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note("didUpdateDescriptor \(descriptor.uuid)", error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        note("didWriteDescriptor \(descriptor.uuid)", error)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { note("isReady") }
}
