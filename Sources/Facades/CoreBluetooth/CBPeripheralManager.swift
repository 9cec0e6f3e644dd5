import Bluetooth
public import Dispatch
public import Foundation
import Synchronization
import SystemBluetooth

/// How soon the peripheral can send to a central.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// As soon as possible.
    case low = 0
    /// A compromise.
    case medium = 1
    /// With the least energy.
    case high = 2
}

/// Publishes services, and advertises them.
///
/// Events arrive on the queue of the manager; without one, on the main queue.
open class CBPeripheralManager: CBManager, RadioUser {
    /// The number of updates that may wait.
    static let maximumWaitingUpdates = 16

    /// A service as it was when it was published.
    private struct Published {
        let service: CBMutableService
        let characteristics: [CBMutableCharacteristic]
    }

    private struct State {
        weak var delegate: (any CBPeripheralManagerDelegate)?
        /// Whether the app wants to advertise, and the radio does.
        var isAdvertising = false
        var lastService: UInt32 = 0
        var services: [UInt32: Published] = [:]
        var centrals: [DeviceAddress: CBCentral] = [:]
        var waitingUpdates = 0
        /// Whether there was no room, so that the delegate is called when there is.
        var wasFull = false
    }

    private let table = Mutex(State())

    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

    /// A manager.
    ///
    /// - Parameters:
    ///   - delegate: Receives the events; the manager does not retain it.
    ///   - queue: Where events arrive; nil: the main queue.
    ///   - options: The keys that begin with `CBPeripheralManagerOption`.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        super.init(queue: queue)
        table.withLock { $0.delegate = delegate }
        Managers.add(self, id)
        radio.submit(PeripheralRequest.open, of: id)
    }

    deinit {
        Managers.remove(id)
        radio.submit(PeripheralRequest.close, of: id)
    }

    /// Receives the events; not retained.
    open weak var delegate: (any CBPeripheralManagerDelegate)? {
        get { table.withLock { $0.delegate } }
        set { table.withLock { $0.delegate = newValue } }
    }

    /// Whether the manager advertises.
    open var isAdvertising: Bool { state == .poweredOn && table.withLock { $0.isAdvertising } }

    // MARK: Advertising

    /// Advertises a name and services; other keys have no effect.
    ///
    /// - Parameter advertisementData: `CBAdvertisementDataLocalNameKey` and `CBAdvertisementDataServiceUUIDsKey`.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard isPoweredOn() else { return }
        var content = LocalAdvertisement()
        content.name = advertisementData?[CBAdvertisementDataLocalNameKey] as? String
        let services = advertisementData?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        content.services = services?.map(\.bluetooth) ?? []
        radio.submit(.advertise(content, id: 0), of: id)
    }

    /// Stops advertising.
    open func stopAdvertising() {
        guard isPoweredOn() else { return }
        table.withLock { $0.isAdvertising = false }
        radio.submit(PeripheralRequest.stopAdvertising(id: 0), of: id)
    }

    // MARK: Services

    /// Publishes a service.
    open func add(_ service: CBMutableService) {
        guard isPoweredOn() else { return }
        if let problem = service.problem {
            radio.warn("API MISUSE: \(problem)")
            return queue.async { self.finishAdding(service, CBError(.invalidParameters)) }
        }
        let number = table.withLock { state in
            if let known = state.services.first(where: { $0.value.service === service })?.key { return known }
            state.lastService += 1
            let characteristics = service.characteristics?.compactMap { $0 as? CBMutableCharacteristic } ?? []
            state.services[state.lastService] = Published(service: service, characteristics: characteristics)
            return state.lastService
        }
        for characteristic in service.characteristics ?? [] {
            characteristic.service = service
            for descriptor in characteristic.descriptors ?? [] { descriptor.characteristic = characteristic }
        }
        // An included service that is not published has the number 0, which no service has.
        let includes = service.includedServices?.map { self.number(of: $0) ?? 0 } ?? []
        radio.submit(.add(service.definition(including: includes), id: number), of: id)
    }

    /// Removes a published service.
    open func remove(_ service: CBMutableService) {
        guard isPoweredOn(), let number = number(of: service) else { return }
        let removed = table.withLock { $0.services.removeValue(forKey: number) }
        for characteristic in removed?.characteristics ?? [] { characteristic.unsubscribeAll() }
        radio.submit(.remove(id: number), of: id)
    }

    /// Removes all services that the manager has published.
    open func removeAllServices() {
        guard isPoweredOn() else { return }
        let removed = table.withLock { state in
            defer { state.services.removeAll() }
            return Array(state.services.values)
        }
        for characteristic in removed.flatMap(\.characteristics) { characteristic.unsubscribeAll() }
        radio.submit(PeripheralRequest.removeAll, of: id)
    }

    private func number(of service: CBService) -> UInt32? {
        table.withLock { state in state.services.first { $0.value.service === service }?.key }
    }

    // MARK: Centrals

    /// Notifies or indicates a value to subscribed centrals, as many octets as fit.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - characteristic: A characteristic that has been published.
    ///   - centrals: Those that receive it if they have subscribed; nil: all subscribers.
    /// - Returns: Whether there was room for it; if not, `peripheralManagerIsReady` is called when there is.
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        guard isPoweredOn() else { return false }
        guard let number = identifier(of: characteristic) else {
            radio.warn("updateValue: the characteristic \(characteristic.uuid) is not published")
            return false
        }
        let hasRoom = table.withLock { state in
            let hasRoom = state.waitingUpdates < Self.maximumWaitingUpdates
            if hasRoom { state.waitingUpdates += 1 } else { state.wasFull = true }
            return hasRoom
        }
        guard hasRoom else { return false }
        let peers = centrals?.compactMap { address(of: $0) }
        radio.submit(.update(number, Array(value), to: peers), of: id)
        return true
    }

    /// Answers a request of a central: to read, with the request's value.  For requests to write that came together, one
    /// answer to the first is enough.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        guard isPoweredOn(), let number = request.number else { return }
        let answer: Result<[UInt8], ATTError> =
            result == .success
            ? .success(Array(request.value ?? Data())) : .failure(ATTError(rawValue: UInt8(clamping: result.rawValue)))
        radio.submit(.respond(request: number, answer), of: id)
    }

    /// Requests another interval of the connection with a central, which decides.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        guard isPoweredOn(), let address = address(of: central) else { return }
        let requested: ConnectionLatency =
            switch latency {
            case .low: .low
            case .medium: .medium
            case .high: .high
            }
        radio.submit(.setLatency(requested, address), of: id)
    }

    private func address(of central: CBCentral) -> DeviceAddress? {
        table.withLock { state in state.centrals.first { $0.value === central }?.key }
    }

    private func central(at address: DeviceAddress, mtu: Int = 23) -> CBCentral {
        table.withLock { state in
            if let known = state.centrals[address] { return known }
            let new = CBCentral(identifier: radio.identifier(of: address), mtu: mtu)
            state.centrals[address] = new
            return new
        }
    }

    private func identifier(of characteristic: CBMutableCharacteristic) -> CharacteristicID? {
        table.withLock { state in
            for (number, published) in state.services {
                if let index = published.characteristics.firstIndex(where: { $0 === characteristic }) {
                    return CharacteristicID(service: number, index: index)
                }
            }
            return nil
        }
    }

    private func characteristic(_ id: CharacteristicID) -> CBMutableCharacteristic? {
        table.withLock { state in
            guard let known = state.services[id.service], known.characteristics.indices.contains(id.index) else {
                return nil
            }
            return known.characteristics[id.index]
        }
    }

    // MARK: Events

    func receive(_ event: ProgramEvent) {
        guard case .peripheral(let event) = event else { return }
        queue.async { self.handle(event) }
    }

    /// Handles an event on the queue.
    private func handle(_ event: PeripheralEvent) {
        switch event {
        case .state(let state): enter(state)
        case .added(let number, let failure):
            guard let service = table.withLock({ $0.services[number]?.service }) else { return }
            if failure != nil { table.withLock { _ = $0.services.removeValue(forKey: number) } }
            finishAdding(service, failure?.appleError)
        case .advertising(_, let failure):
            if failure == nil { table.withLock { $0.isAdvertising = true } }
            delegate?.peripheralManagerDidStartAdvertising(self, error: failure?.appleError)
        case .exchangedMTU(let address, let mtu): central(at: address, mtu: mtu).exchanged(mtu: mtu)
        case .subscribed(let address, let id): subscribe(address, id, true)
        case .unsubscribed(let address, let id): subscribe(address, id, false)
        case .disconnected(let address): table.withLock { _ = $0.centrals.removeValue(forKey: address) }
        case .requested(let address, let accesses, let number): requested(address, accesses, number)
        case .updated: updated()
        case .connected: break  // of systems where programs share connections
        case .confirmed: break  // programs do not see whether a value was indicated or notified
        }
    }

    private func enter(_ radioState: RadioState) {
        state = CBManagerState(radioState)
        if state != .poweredOn {
            let published = table.withLock { state in
                state.centrals.removeAll()
                (state.waitingUpdates, state.wasFull) = (0, false)
                return state.services.values.flatMap(\.characteristics)
            }
            for characteristic in published { characteristic.unsubscribeAll() }
        }
        delegate?.peripheralManagerDidUpdateState(self)
    }

    private func finishAdding(_ service: CBMutableService, _ error: (any Error)?) {
        delegate?.peripheralManager(self, didAdd: service, error: error)
    }

    private func subscribe(_ address: DeviceAddress, _ id: CharacteristicID, _ isOn: Bool) {
        guard let characteristic = characteristic(id) else { return }
        let central = central(at: address)
        characteristic.subscribe(central, isOn)
        if isOn {
            delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
        } else {
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        }
    }

    private func requested(_ address: DeviceAddress, _ accesses: [ValueAccess], _ number: UInt32?) {
        let central = central(at: address)
        let requests = accesses.compactMap { access in
            characteristic(access.characteristic).map {
                CBATTRequest(
                    central, $0, offset: access.offset, value: access.written.map { Data($0) }, number: number)
            }
        }
        guard let first = requests.first, let delegate, requests.count == accesses.count else {
            if let number { radio.submit(.respond(request: number, .failure(.unlikelyError)), of: id) }
            return
        }
        if accesses.first?.written == nil {
            delegate.peripheralManager(self, didReceiveRead: first)
        } else {
            delegate.peripheralManager(self, didReceiveWrite: requests)
        }
    }

    private func updated() {
        let isReady = table.withLock { state in
            state.waitingUpdates = max(0, state.waitingUpdates - 1)
            defer { state.wasFull = state.wasFull && state.waitingUpdates > 0 }
            return state.wasFull && state.waitingUpdates == 0
        }
        if isReady { delegate?.peripheralManagerIsReady(toUpdateSubscribers: self) }
    }
}

extension PeripheralFailure {
    /// The error that Apple's framework reports.
    fileprivate var appleError: any Error {
        switch self {
        case .uuidNotAllowed: CBError(.uuidNotAllowed)
        case .unknownInclude: CBError(.invalidParameters)
        case .outOfSpace: CBError(.outOfSpace)
        case .alreadyAdvertising: CBError(.alreadyAdvertising)
        case .refused: CBError(.unknown)
        }
    }
}
