import CoreBluetooth
import Foundation

/// A bug that public heart-rate apps have.
public enum MonitorBug: String, CaseIterable, Sendable {
    /// Takes the first of two octets for the most significant one: 300 bpm become 11265.
    case byteOrder
    /// Connects again after a lost link, but keeps the characteristic of the earlier connection.
    case noResubscription
    /// Connects to a peripheral that it does not retain.
    case unretainedPeripheral
    /// Reads octets that a truncated measurement does not have.
    case uncheckedLength
}

/// A `HeartRateMonitor` with one bug.
public final class BuggyMonitor: NSObject {
    /// Called on the main queue with each heart rate, and with nil when there is none any more.
    public var onChange: ((Int?) -> Void)?

    private let bug: MonitorBug
    private var central: CBCentralManager?
    private var strap: CBPeripheral?
    private var hasSubscribed = false

    /// A monitor with this bug.
    public init(_ bug: MonitorBug) { self.bug = bug }

    /// Starts as soon as Bluetooth is on.
    public func start() { central = CBCentralManager(delegate: self, queue: nil) }

    private func bpm(_ data: Data) -> Int? {
        let octets = Array(data)
        let isLong = octets[0] & 1 == 1
        guard bug == .uncheckedLength || octets.count > (isLong ? 2 : 1) else { return nil }
        guard isLong else { return Int(octets[1]) }
        return bug == .byteOrder
            ? Int(octets[1]) << 8 | Int(octets[2]) : Int(octets[1]) | Int(octets[2]) << 8
    }
}

extension BuggyMonitor: CBCentralManagerDelegate, CBPeripheralDelegate {
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        if bug != .unretainedPeripheral { strap = peripheral }
        peripheral.delegate = self
        central.connect(peripheral)
    }

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard bug != .noResubscription || !hasSubscribed else { return }
        peripheral.discoverServices([CBUUID(string: "180D")])
    }

    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        onChange?(nil)
        central.connect(peripheral)
    }

    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return }
        peripheral.discoverCharacteristics([CBUUID(string: "2A37")], for: service)
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let value = service.characteristics?.first else { return }
        hasSubscribed = true
        peripheral.setNotifyValue(true, for: value)
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let bpm = characteristic.value.flatMap({ bpm($0) }) { onChange?(bpm) }
    }
}
