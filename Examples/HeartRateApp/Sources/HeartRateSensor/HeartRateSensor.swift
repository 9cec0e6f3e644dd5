import CoreBluetooth
import Foundation
import os.log

/// Plays a heart rate strap: the phone advertises the Heart Rate Service, and sends a measurement each second.
open class HeartRateSensor: NSObject {
    /// What it sends, in beats per minute.
    public var bpm = 62
    /// The energy since the last reset, in kJ.
    public private(set) var energy = 0
    /// The name that it advertises.
    public let name: String

    private let measurement: CBMutableCharacteristic
    private let location = CBMutableCharacteristic(
        type: CBUUID(string: "2A38"), properties: .read, value: Data([1]), permissions: .readable)
    private let controlPoint: CBMutableCharacteristic
    private let version: CBMutableCharacteristic
    private static let service = CBUUID(string: "180D")
    private static let invalidValue = CBATTError.Code(rawValue: 0x80)
    private static let logger = Logger(subsystem: "HeartRateApp", category: "sensor")

    private var manager: CBPeripheralManager?
    private var ticker: Timer?
    private var count = 0
    /// A measurement that did not fit into the queue.
    private var unsent: Data?

    /// A sensor with this name.
    ///
    /// With `needsPairing`, a central has to pair before it subscribes, resets the energy or reads the version.
    public init(name: String = "Phone HR", needsPairing: Bool = false) {
        self.name = name
        measurement = CBMutableCharacteristic(
            type: CBUUID(string: "2A37"), properties: needsPairing ? .notifyEncryptionRequired : .notify, value: nil,
            permissions: [])
        controlPoint = CBMutableCharacteristic(
            type: CBUUID(string: "2A39"), properties: .write, value: nil,
            permissions: needsPairing ? .writeEncryptionRequired : .writeable)
        version = CBMutableCharacteristic(
            type: CBUUID(string: "2A28"), properties: .read, value: nil,
            permissions: needsPairing ? .readEncryptionRequired : .readable)
    }

    deinit { ticker?.invalidate() }

    /// Starts as soon as Bluetooth is on.
    public func start() { manager = CBPeripheralManager(delegate: self, queue: nil) }

    /// A Heart Rate Measurement: flags, heart rate, and each tenth time the energy.  Heart Rate Service 1.0, section 3.1.
    open func encode(bpm: Int, energy: Int?) -> Data {
        var data = Data([(bpm > 255 ? 0x01 : 0) | 0x06 | (energy == nil ? 0 : 0x08), UInt8(bpm & 0xFF)])
        if bpm > 255 { data.append(UInt8(bpm >> 8)) }
        if let energy { data.append(contentsOf: [UInt8(energy & 0xFF), UInt8(energy >> 8)]) }
        return data
    }

    /// What a central reads of a value.
    open func part(of value: Data, from offset: Int) -> Data? {
        offset <= value.count ? value.subdata(in: offset..<value.count) : nil
    }

    private func send() {
        let isTenth = count % 10 == 0
        count += 1
        if isTenth { energy = min(energy + 1, 0xFFFF) }
        update(encode(bpm: bpm, energy: isTenth ? energy : nil))
    }

    private func update(_ data: Data) {
        guard let manager, manager.state == .poweredOn else { return }
        unsent = manager.updateValue(data, for: measurement, onSubscribedCentrals: nil) ? nil : data
    }
}

extension HeartRateSensor: CBPeripheralManagerDelegate {
    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn, ticker == nil else { return }
        let heart = CBMutableService(type: Self.service, primary: true)
        heart.characteristics = [measurement, location, controlPoint]
        peripheral.add(heart)
        let information = CBMutableService(type: CBUUID(string: "180A"), primary: true)
        information.characteristics = [version]
        peripheral.add(information)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [Self.service],
        ])
        ticker = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in self?.send() }
    }

    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { Self.logger.error("does not advertise: \(error.localizedDescription)") }
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { Self.logger.error("does not publish \(service.uuid): \(error.localizedDescription)") }
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let text = Data("HeartRateApp 1.0, which plays a heart rate strap".utf8)
        guard request.characteristic.uuid == version.uuid, let part = part(of: text, from: request.offset) else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = part
        peripheral.respond(to: request, withResult: .success)
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let request = requests.first else { return }
        guard requests.count == 1, request.offset == 0, let value = request.value, value.count == 1 else {
            return peripheral.respond(to: request, withResult: .invalidAttributeValueLength)
        }
        guard value == Data([1]) else {
            return peripheral.respond(to: request, withResult: Self.invalidValue ?? .unlikelyError)
        }
        energy = 0
        peripheral.respond(to: request, withResult: .success)
    }

    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        if let unsent { update(unsent) }
    }
}
