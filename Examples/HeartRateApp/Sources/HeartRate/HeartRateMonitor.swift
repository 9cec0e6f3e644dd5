import CoreBluetooth
import Foundation

/// Shows the heart rate of the nearest strap, and connects again after a lost link: to the same strap, or to another one if the
/// strap does not come back.
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
    /// How long it compares straps, and how long it waits for one that it knows.
    private static let (comparison, patience) = (1.0, 10.0)

    private var central: CBCentralManager?
    private var strap: CBPeripheral?
    private var candidates: [(strap: CBPeripheral, strength: Int)] = []
    private var expiry: DispatchWorkItem?
    private var search: DispatchWorkItem?

    /// Starts as soon as Bluetooth is on.
    public func start() { central = CBCentralManager(delegate: self, queue: nil) }

    private func after(_ seconds: Double, _ body: @escaping () -> Void) -> DispatchWorkItem {
        let item = DispatchWorkItem(block: body)
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: item)
        return item
    }

    private func scan() {
        candidates.removeAll()
        central?.scanForPeripherals(withServices: [Self.service])
    }

    /// Connects to the nearest strap that it has discovered.
    private func choose() {
        guard let central, central.isScanning, let best = candidates.max(by: { $0.strength < $1.strength }) else {
            return
        }
        central.stopScan()
        if let strap, strap != best.strap { central.cancelPeripheralConnection(strap) }
        wait(for: best.strap)
    }

    /// Connects to a strap as soon as it is in range, and looks for others if that takes long.
    private func wait(for known: CBPeripheral) {
        strap = known
        known.delegate = self
        central?.connect(known)
        search?.cancel()
        search = after(Self.patience) { [weak self] in self?.scan() }
    }

    private func clear() {
        expiry?.cancel()
        if measurement != nil { measurement = nil }
    }

    private func show(_ new: HeartRateMeasurement) {
        measurement = new
        expiry?.cancel()
        expiry = after(Self.freshness) { [weak self] in self?.clear() }
    }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else {
            search?.cancel()
            return clear()
        }
        if let strap { wait(for: strap) } else { scan() }
    }

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        // 127: the strength is not available.
        candidates.append((peripheral, RSSI.intValue == 127 ? -128 : RSSI.intValue))
        if candidates.count == 1 { search = after(Self.comparison) { [weak self] in self?.choose() } }
    }

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        search?.cancel()
        central.stopScan()
        peripheral.discoverServices([Self.service])
    }

    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { if peripheral == strap { wait(for: peripheral) } }

    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard peripheral == strap else { return }
        clear()
        wait(for: peripheral)
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
