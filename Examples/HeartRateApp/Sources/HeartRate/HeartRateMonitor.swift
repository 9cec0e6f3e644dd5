import CoreBluetooth
import Foundation

/// Shows the heart rate of the first strap that it finds, and connects again after a lost link.
public final class HeartRateMonitor: NSObject {
    /// The latest measurement; nil if there is none, or none for 10 s.
    public private(set) var measurement: HeartRateMeasurement? {
        didSet { onChange?(measurement) }
    }

    /// Called on the main queue with each measurement, and with nil when there is none any more.
    public var onChange: ((HeartRateMeasurement?) -> Void)?

    private static let service = CBUUID(string: "180D")
    private static let value = CBUUID(string: "2A37")
    private static let freshness = 10.0

    private var central: CBCentralManager?
    private var strap: CBPeripheral?
    private var expiry: DispatchWorkItem?

    /// Starts as soon as Bluetooth is on.
    public func start() { central = CBCentralManager(delegate: self, queue: nil) }

    private func clear() {
        expiry?.cancel()
        if measurement != nil { measurement = nil }
    }

    private func show(_ new: HeartRateMeasurement) {
        measurement = new
        expiry?.cancel()
        let item = DispatchWorkItem { [weak self] in self?.clear() }
        expiry = item
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.freshness, execute: item)
    }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return clear() }
        if let strap {
            central.connect(strap)
        } else {
            central.scanForPeripherals(withServices: [Self.service])
        }
    }

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        strap = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Self.service])
    }

    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { central.connect(peripheral) }

    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        clear()
        central.connect(peripheral)
    }
}

extension HeartRateMonitor: CBPeripheralDelegate {
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] where service.uuid == Self.service {
            peripheral.discoverCharacteristics([Self.value], for: service)
        }
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] where characteristic.uuid == Self.value {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        if invalidatedServices.contains(where: { $0.uuid == Self.service }) {
            peripheral.discoverServices([Self.service])
        }
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard error == nil, let data = characteristic.value, let new = HeartRateMeasurement(data) else { return }
        show(new)
    }
}
