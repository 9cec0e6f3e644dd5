import ATT
import Bluetooth
public import Foundation
import GATT
import Synchronization
import SystemBluetooth

/// Whether a peripheral is connected to its manager.
public enum CBPeripheralState: Int, Sendable {
    /// Not connected.
    case disconnected = 0
    /// The manager waits for it.
    case connecting = 1
    /// Connected.
    case connected = 2
    /// The manager ends the connection.
    case disconnecting = 3
}

/// A peripheral that a central manager has discovered or connected.
///
/// The app must retain it while it connects and uses it: the manager does not.
open class CBPeripheral: CBPeer {
    /// The number of writes without response that may wait.
    static let maximumWaitingWrites = 16

    private struct State {
        weak var delegate: (any CBPeripheralDelegate)?
        weak var manager: CBCentralManager?
        var name: String?
        var connection = CBPeripheralState.disconnected
        var services: [CBService]?
        var mtu = 23
        var waitingWrites = 0
        /// Whether there was no room, so that the delegate is called when there is.
        var wasFull = false
    }

    private let current: Mutex<State>
    let address: DeviceAddress
    private let manager: ProgramID
    private let radio: any Radio

    init(_ address: DeviceAddress, identifier: Foundation.UUID, of manager: CBCentralManager) {
        (self.address, self.manager, radio) = (address, manager.id, manager.radio)
        current = Mutex(State(manager: manager))
        super.init(identifier: identifier)
    }

    /// A peripheral that nobody retains is disconnected, with the warning of Apple's framework.
    deinit {
        let (state, owner) = current.withLock { ($0.connection, $0.manager) }
        owner?.forget(address)
        guard state == .connecting || state == .connected, owner != nil else { return }
        radio.warn(
            "API MISUSE: Cancelling connection for unused peripheral <CBPeripheral: identifier = \(identifier), state = "
                + "\(state)>, Did you forget to keep a reference to it?")
        radio.peripherals.disconnected(address, from: manager)
        radio.submit(.cancel(address), of: manager)
    }

    /// Receives the results of operations; not retained.
    open weak var delegate: (any CBPeripheralDelegate)? {
        get { current.withLock { $0.delegate } }
        set { current.withLock { $0.delegate = newValue } }
    }

    /// The name that it advertises, or its GAP Device Name; nil if neither is known.
    open internal(set) var name: String? {
        get { current.withLock { $0.name } }
        set { current.withLock { $0.name = newValue } }
    }

    /// Whether it is connected.
    open internal(set) var state: CBPeripheralState {
        get { current.withLock { $0.connection } }
        set { current.withLock { $0.connection = newValue } }
    }

    /// The services that have been discovered in the present connection; nil before.
    open internal(set) var services: [CBService]? {
        get { current.withLock { $0.services } }
        set { current.withLock { $0.services = newValue } }
    }

    var mtu: Int {
        get { current.withLock { $0.mtu } }
        set { current.withLock { $0.mtu = newValue } }
    }

    /// For people.
    open override var description: String {
        "<CBPeripheral: identifier = \(identifier), name = \(name ?? "(null)"), mtu = \(mtu), state = \(state)>"
    }

    // MARK: Discovery

    /// Discovers primary services: those with these UUIDs, or all.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        start(.procedure(.discoverPrimaryServices)) { peripheral, result in
            let error = result.read(\.services) { services in
                let found = services.filter { Self.admits($0.uuid, serviceUUIDs) }
                let new = found.map { peripheral.service($0, isPrimary: true) }
                peripheral.services = Self.merged(peripheral.services, new) { $0.range.first }
                peripheral.radio.peripherals.discovered(new.map(\.uuid), at: peripheral.address)
            }
            peripheral.delegate?.peripheral(peripheral, didDiscoverServices: error)
        }
    }

    /// Discovers the services that a service includes: those with these UUIDs, or all.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        guard isValid(service) else { return }
        start(.procedure(.findIncludedServices(service.range))) { peripheral, result in
            let error = result.read(\.included) { included in
                let found = included.filter { Self.admits($0.uuid, includedServiceUUIDs) }
                let new = found.map {
                    peripheral.service(DiscoveredService(uuid: $0.uuid, range: $0.range), isPrimary: false)
                }
                service.includedServices = Self.merged(service.includedServices, new) { $0.range.first }
            }
            peripheral.delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
        }
    }

    /// Discovers the characteristics of a service: those with these UUIDs, or all.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        guard isValid(service) else { return }
        start(.procedure(.discoverCharacteristics(service.range))) { peripheral, result in
            let error = result.read(\.characteristics) { characteristics in
                let known = service.characteristics ?? []
                let found = characteristics.filter { Self.admits($0.uuid, characteristicUUIDs) }
                let new = found.map { characteristic in
                    known.first { $0.handle == characteristic.valueHandle }
                        ?? CBCharacteristic(characteristic, of: service)
                }
                service.characteristics = Self.merged(known, new) { $0.handle }
            }
            peripheral.delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
        }
    }

    /// Discovers the descriptors of a characteristic.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        guard isValid(characteristic) else { return }
        let completion: Completion = { peripheral, result in
            let error = result.read(\.descriptors) { descriptors in
                let known = characteristic.descriptors ?? []
                characteristic.descriptors = descriptors.map { descriptor in
                    known.first { $0.handle == descriptor.handle } ?? CBDescriptor(descriptor, of: characteristic)
                }
            }
            peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        }
        guard let range = characteristic.descriptorRange else {
            return start(.none(nil)) { peripheral, _ in
                completion(peripheral, .success(.procedure(.descriptors([]))))
            }
        }
        start(.procedure(.discoverDescriptors(range)), completion)
    }

    // MARK: Values

    /// Reads a characteristic.
    open func readValue(for characteristic: CBCharacteristic) {
        guard isValid(characteristic) else { return }
        start(.procedure(.readLong(handle: characteristic.handle))) { peripheral, result in
            let error = result.read(\.value) { characteristic.value = Data($0) }
            peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        }
    }

    /// Reads a descriptor.
    open func readValue(for descriptor: CBDescriptor) {
        guard isValid(descriptor.characteristic) else { return }
        start(.procedure(.readLong(handle: descriptor.handle))) { peripheral, result in
            let error = result.read(\.value) { descriptor.setValue($0) }
            peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        }
    }

    /// The maximum number of octets that one write can have.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        type == .withResponse ? 512 : mtu - 3
    }

    /// Whether there is room for another write without response.
    open var canSendWriteWithoutResponse: Bool {
        current.withLock { state in
            let hasRoom = state.waitingWrites < Self.maximumWaitingWrites
            state.wasFull = state.wasFull || !hasRoom
            return hasRoom
        }
    }

    /// Writes a characteristic.  A write without response is dropped if the characteristic does not have the property
    /// `writeWithoutResponse`, if the value is longer than `maximumWriteValueLength`, or if there is no room for it.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        guard isValid(characteristic) else { return }
        guard type == .withResponse else {
            guard characteristic.properties.contains(.writeWithoutResponse) else {
                return radio.warn(
                    "WARNING: Characteristic \(characteristic) does not specify the \"Write Without Response\" property - "
                        + "ignoring response-less write")
            }
            return writeWithoutResponse(Array(data), characteristic.handle)
        }
        start(.procedure(write(Array(data), to: characteristic.handle))) { peripheral, result in
            peripheral.delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: result.error)
        }
    }

    private func write(_ octets: [UInt8], to handle: UInt16) -> Procedure {
        octets.count > mtu - 3 ? .writeLong(handle: handle, value: octets) : .write(handle: handle, value: octets)
    }

    private func writeWithoutResponse(_ octets: [UInt8], _ handle: UInt16) {
        guard octets.count <= maximumWriteValueLength(for: .withoutResponse), canSendWriteWithoutResponse else {
            return radio.warn("dropped a write without response to \(self): too long, or no room")
        }
        current.withLock { $0.waitingWrites += 1 }
        start(.writeCommand(handle: handle, octets)) { peripheral, _ in
            let isReady = peripheral.current.withLock { state in
                state.waitingWrites -= 1
                defer { state.wasFull = state.wasFull && state.waitingWrites > 0 }
                return state.wasFull && state.waitingWrites == 0
            }
            if isReady { peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral) }
        }
    }

    /// Writes a descriptor; not a Client Characteristic Configuration, which `setNotifyValue` writes.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        guard isValid(descriptor.characteristic) else { return }
        guard descriptor.uuid.uuidString != CBUUIDClientCharacteristicConfigurationString else {
            return radio.warn(
                "API MISUSE: Client Characteristic Configuration descriptors are written with setNotifyValue")
        }
        start(.procedure(write(Array(data), to: descriptor.handle))) { peripheral, result in
            peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: result.error)
        }
    }

    /// Enables or disables notifications of a characteristic, or its indications if it has no notifications.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        guard isValid(characteristic) else { return }
        let permitted = characteristic.properties.intersection([.notify, .indicate])
        let configuration: ClientConfiguration = permitted.contains(.notify) ? .notification : .indication
        let operation = CentralOperation.notify(
            enabled, value: characteristic.handle, descriptors: characteristic.descriptorRange, configuration)
        let completion: Completion = { peripheral, result in
            if case .success = result { characteristic.isNotifying = enabled }
            peripheral.delegate?.peripheral(
                peripheral, didUpdateNotificationStateFor: characteristic, error: result.error)
        }
        start(permitted.isEmpty ? .none(.refused(.requestNotSupported)) : operation, completion)
    }

    /// Measures the strength of the peripheral's signal.
    open func readRSSI() {
        start(.readSignalStrength) { peripheral, result in
            guard case .success(.signalStrength(let strength)) = result else { return }
            peripheral.delegate?.peripheral(peripheral, didReadRSSI: NSNumber(value: strength), error: nil)
        }
    }

    // MARK: Events, on the manager's queue

    func connected(mtu: Int) {
        radio.peripherals.connected(address, to: manager)
        current.withLock { ($0.connection, $0.mtu) = (.connected, max($0.mtu, mtu)) }
    }

    func disconnected(isReconnecting: Bool) {
        radio.peripherals.disconnected(address, from: manager)
        current.withLock { state in
            state.connection = isReconnecting ? .connecting : .disconnected
            (state.services, state.mtu, state.waitingWrites, state.wasFull) = (nil, 23, 0, false)
        }
    }

    func renamed(_ name: String) {
        self.name = name
        delegate?.peripheralDidUpdateName(self)
    }

    func received(_ octets: [UInt8], _ handle: UInt16) {
        for service in allServices {
            for characteristic in service.characteristics ?? [] where characteristic.handle == handle {
                characteristic.value = Data(octets)
                delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
                return
            }
        }
    }

    func servicesChanged(_ range: HandleRange) {
        let invalid = allServices.filter { $0.range.first <= range.last && range.first <= $0.range.last }
        current.withLock { state in state.services?.removeAll { service in invalid.contains { $0 === service } } }
        delegate?.peripheral(self, didModifyServices: invalid)
    }

    // MARK: Helpers

    private typealias Completion = (CBPeripheral, Result<CentralOutcome, CentralFailure>) -> Void

    private func start(_ operation: CentralOperation, _ completion: @escaping Completion) {
        let (state, manager) = current.withLock { ($0.connection, $0.manager) }
        guard state == .connected, let manager else {
            return radio.warn("API MISUSE: \(self) can only accept commands while in the connected state")
        }
        manager.start(operation, address) { [weak self] result in
            if let self { completion(self, result) }
        }
    }

    /// Whether an attribute belongs to the present connection.
    private func isValid(_ service: CBService?) -> Bool {
        guard let service, allServices.contains(where: { $0 === service }) else {
            radio.warn("API MISUSE: \(self) does not have this service any more")
            return false
        }
        return true
    }

    private func isValid(_ characteristic: CBCharacteristic?) -> Bool { isValid(characteristic?.service) }

    /// The primary services and those that they include, also through others; each once.
    private var allServices: [CBService] {
        var all = services ?? []
        var known = Set(all.map(ObjectIdentifier.init))
        var next = 0
        while next < all.count {
            all += (all[next].includedServices ?? []).filter { known.insert(ObjectIdentifier($0)).inserted }
            next += 1
        }
        return all
    }

    /// The object for a service, the same as before in this connection.
    private func service(_ service: DiscoveredService, isPrimary: Bool) -> CBService {
        allServices.first { $0.range == service.range && $0.uuid.bluetooth == service.uuid }
            ?? CBService(CBUUID(service.uuid), isPrimary: isPrimary, range: service.range, of: self)
    }

    private static func admits(_ uuid: Bluetooth.UUID, _ wanted: [CBUUID]?) -> Bool {
        wanted?.contains { $0.bluetooth == uuid } ?? true
    }

    /// The known objects and the new ones, once each, by handle.
    private static func merged<Object: AnyObject>(
        _ known: [Object]?, _ new: [Object], handle: (Object) -> UInt16
    ) -> [Object] {
        let known = known ?? []
        return (known + new.filter { object in !known.contains { $0 === object } })
            .sorted { handle($0) < handle($1) }
    }
}

extension Result<CentralOutcome, CentralFailure> {
    /// The error for the delegate; nil for a success.
    fileprivate var error: (any Error)? { if case .failure(let failure) = self { failure.appleError } else { nil } }

    /// Passes what a procedure has found to `body`, and returns the error for the delegate.
    fileprivate func read<Found>(
        _ part: (Procedure.Outcome) -> Found?, _ body: (Found) -> Void
    ) -> (any Error)? {
        guard case .success(.procedure(let outcome)) = self, let found = part(outcome) else { return error }
        body(found)
        return nil
    }
}
