import Bluetooth
public import Dispatch
public import Foundation
import Synchronization
import SystemBluetooth

/// Discovers and connects peripherals.
///
/// Events arrive on the queue of the manager; without one, on the main queue.
open class CBCentralManager: CBManager, RadioUser {
    private struct Peripheral {
        weak var object: CBPeripheral?
    }

    private struct State {
        weak var delegate: (any CBCentralManagerDelegate)?
        var isScanning = false
        /// The peripherals that the app retains.
        var peripherals: [DeviceAddress: Peripheral] = [:]
        var lastOperation: UInt32 = 0
        var operations: [UInt32: Operation] = [:]
    }

    /// An operation of a peripheral that has not ended.
    private struct Operation {
        let peer: DeviceAddress
        let completion: Completion
    }

    typealias Completion = (Result<CentralOutcome, CentralFailure>) -> Void

    private let table = Mutex(State())

    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager.
    ///
    /// - Parameters:
    ///   - delegate: Receives the events; the manager does not retain it.
    ///   - queue: Where events arrive; nil: the main queue.
    ///   - options: The keys that begin with `CBCentralManagerOption`.
    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        super.init(queue: queue)
        table.withLock { $0.delegate = delegate }
        Managers.add(self, id)
        radio.submit(CentralRequest.open, of: id)
    }

    deinit {
        Managers.remove(id)
        radio.peripherals.released(id)
        radio.submit(CentralRequest.close, of: id)
    }

    /// Receives the events; not retained.
    open weak var delegate: (any CBCentralManagerDelegate)? {
        get { table.withLock { $0.delegate } }
        set { table.withLock { $0.delegate = newValue } }
    }

    /// Whether the manager scans.
    open var isScanning: Bool { table.withLock { $0.isScanning } }

    // MARK: Scanning

    /// Scans for peripherals, in place of the present scan.
    ///
    /// - Parameters:
    ///   - serviceUUIDs: The services of which a peripheral must advertise one; nil: all peripherals are reported.
    ///   - options: The keys that begin with `CBCentralManagerScanOption`.
    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard isPoweredOn() else { return }
        var scan = ScanOptions()
        scan.services = serviceUUIDs?.map(\.bluetooth) ?? []
        let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
        scan.solicited = solicited?.map(\.bluetooth) ?? []
        scan.allowsDuplicates = Self.isSet(CBCentralManagerScanOptionAllowDuplicatesKey, options)
        table.withLock { $0.isScanning = true }
        radio.submit(.scan(scan), of: id)
    }

    /// Stops scanning.
    open func stopScan() {
        guard isPoweredOn() else { return }
        table.withLock { $0.isScanning = false }
        radio.submit(.stopScanning, of: id)
    }

    // MARK: Connecting

    /// Connects to a peripheral, as soon as it is in range; there is no time limit.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral; the app must retain it.
    ///   - options: The keys that begin with `CBConnectPeripheralOption`.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isPoweredOn() else { return }
        guard retained(peripheral.address) === peripheral else {
            return radio.warn(
                "API MISUSE: \(peripheral) is another manager's: connect it with that one, or retrieve it from \(self)")
        }
        var connection = ConnectionOptions()
        connection.reconnects = Self.isSet(CBConnectPeripheralOptionEnableAutoReconnect, options)
        if peripheral.state != .connected { peripheral.state = .connecting }
        radio.submit(.connect(peripheral.address, connection), of: id)
    }

    /// Ends the connection with a peripheral, or the attempt to connect.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isPoweredOn() else { return }
        if peripheral.state == .connected { peripheral.state = .disconnecting }
        radio.submit(.cancel(peripheral.address), of: id)
    }

    /// The peripherals that the system knows by these identifiers.
    open func retrievePeripherals(withIdentifiers identifiers: [Foundation.UUID]) -> [CBPeripheral] {
        guard isPoweredOn() else { return [] }
        return identifiers.compactMap { radio.address(of: $0) }.map { peripheral(at: $0) }
    }

    /// The peripherals that are connected to the process, and on which one of these services has been discovered.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isPoweredOn() else { return [] }
        return radio.peripherals.connected(with: serviceUUIDs).map { peripheral(at: $0) }
    }

    /// Reports connections of the phone with these peripherals, or with peripherals that have these services, whichever manager
    /// has made them; without options, none.
    open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
        guard isPoweredOn() else { return }
        let peripherals = options?[.peripheralUUIDs] as? [Foundation.UUID] ?? []
        let services = options?[.serviceUUIDs] as? [CBUUID] ?? []
        radio.submit(.watch(peripherals.compactMap { radio.address(of: $0) }, services.map(\.bluetooth)), of: id)
    }

    private static func isSet(_ key: String, _ options: [String: Any]?) -> Bool {
        let value = options?[key]
        return value as? Bool ?? (value as? NSNumber)?.boolValue ?? false
    }

    // MARK: Operations of peripherals

    /// Starts an operation; `completion` runs on the queue unless the connection ends first.
    func start(_ operation: CentralOperation, _ peer: DeviceAddress, _ completion: @escaping Completion) {
        let number = table.withLock { state in
            state.lastOperation &+= 1
            state.operations[state.lastOperation] = Operation(peer: peer, completion: completion)
            return state.lastOperation
        }
        radio.submit(.start(operation, id: number, peer), of: id)
    }

    private func peripheral(at address: DeviceAddress) -> CBPeripheral {
        table.withLock { state in
            if let known = state.peripherals[address]?.object { return known }
            let new = CBPeripheral(address, identifier: radio.identifier(of: address), of: self)
            new.name = radio.peripherals.name(of: address)
            state.peripherals[address] = Peripheral(object: new)
            return new
        }
    }

    private func retained(_ address: DeviceAddress) -> CBPeripheral? {
        table.withLock { $0.peripherals[address]?.object }
    }

    /// The app does not retain a peripheral any more.
    func forget(_ address: DeviceAddress) {
        // Another object for the peripheral is returned, so that it is not released inside of the lock.
        _ = table.withLock { state in
            let known = state.peripherals[address]?.object
            if known == nil { state.peripherals[address] = nil }
            return known
        }
    }

    // MARK: Events

    func receive(_ event: ProgramEvent) {
        guard case .central(let event) = event else { return }
        switch event {
        case .finished(let id, _, let result):
            guard let operation = table.withLock({ $0.operations.removeValue(forKey: id) }) else { return }
            queue.async { operation.completion(result) }
        case .disconnected(let peer, _, _):
            abandonOperations { $0 == peer }
            queue.async { self.handle(event) }
        case .state(let state):
            if state != .on { abandonOperations { _ in true } }
            queue.async { self.handle(event) }
        default: queue.async { self.handle(event) }
        }
    }

    private func abandonOperations(of isAffected: (DeviceAddress) -> Bool) {
        table.withLock { state in
            for (id, operation) in state.operations where isAffected(operation.peer) { state.operations[id] = nil }
        }
    }

    /// Handles an event on the queue.
    private func handle(_ event: CentralEvent) {
        switch event {
        case .state(let state): enter(state)
        case .discovered(let address, let advertisement, let rssi):
            guard isScanning else { return }
            let peripheral = peripheral(at: address)
            if let name = advertisement.name {
                peripheral.name = name
                radio.peripherals.rename(address, name)
            }
            delegate?.centralManager(
                self, didDiscover: peripheral, advertisementData: advertisement.dictionary,
                rssi: NSNumber(value: rssi))
        case .connected(let address, let mtu):
            guard let peripheral = retained(address) else { return }
            peripheral.connected(mtu: mtu)
            delegate?.centralManager(self, didConnect: peripheral)
        case .failedToConnect(let address, let failure):
            guard let peripheral = retained(address) else { return }
            peripheral.state = .disconnected
            delegate?.centralManager(self, didFailToConnect: peripheral, error: failure.appleError)
        case .disconnected(let address, let failure, let isReconnecting):
            guard let peripheral = retained(address) else { return }
            peripheral.disconnected(isReconnecting: isReconnecting)
            delegate?.centralManager(
                self, didDisconnectPeripheral: peripheral, timestamp: Date().timeIntervalSinceReferenceDate,
                isReconnecting: isReconnecting, error: failure?.appleError)
        case .connection(let address, let isConnected):
            delegate?.centralManager(
                self, connectionEventDidOccur: isConnected ? .peerConnected : .peerDisconnected,
                for: peripheral(at: address))
        case .renamed(let address, let name):
            radio.peripherals.rename(address, name)
            retained(address)?.renamed(name)
        case .exchangedMTU(let address, let mtu): retained(address)?.mtu = mtu
        case .value(let address, let handle, let octets): retained(address)?.received(octets, handle)
        case .servicesChanged(let address, let range): retained(address)?.servicesChanged(range)
        // Of systems where programs share connections.
        case .finished, .disconnecting, .found, .lost, .resolved, .ownValue, .paired, .bonded, .forgotten, .monitored,
            .trouble:
            break
        }
    }

    private func enter(_ radioState: RadioState) {
        state = CBManagerState(radioState)
        if state != .poweredOn {
            let peripherals = table.withLock { state in
                state.isScanning = false
                return state.peripherals.values.compactMap(\.object)
            }
            for peripheral in peripherals { peripheral.disconnected(isReconnecting: false) }
        }
        delegate?.centralManagerDidUpdateState(self)
    }
}

extension Advertisement {
    /// The dictionary that delegates receive.
    fileprivate var dictionary: [String: Any] {
        var result: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
        if let name { result[CBAdvertisementDataLocalNameKey] = name }
        if !services.isEmpty { result[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID($0) } }
        if !solicited.isEmpty {
            result[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicited.map { CBUUID($0) }
        }
        if !serviceData.isEmpty {
            let pairs = serviceData.map { (CBUUID($0.service), Data($0.octets)) }
            result[CBAdvertisementDataServiceDataKey] = Dictionary(pairs) { first, _ in first }
        }
        if let manufacturerData { result[CBAdvertisementDataManufacturerDataKey] = Data(manufacturerData) }
        if let txPower { result[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: txPower) }
        return result
    }
}
