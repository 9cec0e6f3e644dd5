import Bluetooth
import Foundation
import Synchronization
package import SystemBluetooth

/// The radio that all managers of a process share.
package protocol Radio: AnyObject {
    /// Handles a request of a manager; its events come through `Managers`.
    func submit(_ request: ProgramRequest, of manager: ProgramID)

    /// The seed of the peripherals' UUIDs.
    var identifiers: PeripheralIdentifiers { get }

    /// What managers know together about peripherals.
    var peripherals: KnownPeripherals { get }

    /// Takes a warning to the programmer, as Apple's framework prints it.
    func warn(_ misuse: String)
}

/// A manager of either role.
protocol RadioUser: AnyObject {
    /// Takes an event, on the radio's thread.
    func receive(_ event: ProgramEvent)
}

extension Radio {
    func submit(_ request: CentralRequest, of manager: ProgramID) { submit(.central(request), of: manager) }

    func submit(_ request: PeripheralRequest, of manager: ProgramID) { submit(.peripheral(request), of: manager) }

    /// The UUID of a device.
    func identifier(of address: DeviceAddress) -> Foundation.UUID {
        let o = identifiers.octets(of: address)
        return UUID(
            uuid: (
                o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11], o[12], o[13], o[14], o[15]
            ))
    }

    /// The peripheral with a UUID; nil if it is not a peripheral's.
    func address(of identifier: Foundation.UUID) -> DeviceAddress? {
        unsafe identifiers.address(of: withUnsafeBytes(of: identifier.uuid) { unsafe Array($0) })
    }
}

/// The radio of new managers, and the managers that receive events.
package enum Managers {
    private struct Entry {
        weak var manager: (any RadioUser)?
    }

    private struct State {
        var radio: (any Radio)?
        var lastNumber: UInt32 = 0
        var entries: [ProgramID: Entry] = [:]
    }

    private static let state = Mutex(State())

    /// Gives new managers another radio; nil: the one of `LUBDUB_CONTROLLER`.
    package static func use(_ radio: (any Radio)?) { state.withLock { $0.radio = radio } }

    /// The radio of new managers; nil: the one of `LUBDUB_CONTROLLER`, which no manager has needed yet.
    package static var present: (any Radio)? { state.withLock { $0.radio } }

    /// The number of managers that have not been released.
    package static var count: Int { state.withLock { $0.entries.count } }

    /// Passes an event to its manager, in the order of the calls.
    package static func deliver(_ event: ProgramEvent, to id: ProgramID) {
        state.withLock { $0.entries[id]?.manager }?.receive(event)
    }

    static func newID() -> ProgramID {
        state.withLock { state in
            state.lastNumber += 1
            return ProgramID(number: state.lastNumber)
        }
    }

    static func add(_ manager: any RadioUser, _ id: ProgramID) {
        state.withLock { $0.entries[id] = Entry(manager: manager) }
    }

    static func remove(_ id: ProgramID) { state.withLock { _ = $0.entries.removeValue(forKey: id) } }

    /// The radio for a new manager.
    static func radio() -> any Radio {
        state.withLock { state in
            if let radio = state.radio { return radio }
            let radio = ControllerRadio.ofEnvironment()
            state.radio = radio
            return radio
        }
    }
}
