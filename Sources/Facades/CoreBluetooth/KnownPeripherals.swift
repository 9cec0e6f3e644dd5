import Bluetooth
import Synchronization
import SystemBluetooth

/// What the managers of a process know together about the peripherals of a radio.
package final class KnownPeripherals: Sendable {
    private struct Peripheral {
        var name: String?
        /// The managers that are connected to it.
        var managers: Set<ProgramID> = []
        /// The services that have been discovered in the present connections.
        var services: [CBUUID] = []
    }

    private let table = Mutex<[DeviceAddress: Peripheral]>([:])

    /// No peripherals.
    package init() {}

    func name(of address: DeviceAddress) -> String? { table.withLock { $0[address]?.name } }

    func rename(_ address: DeviceAddress, _ name: String) {
        table.withLock { $0[address, default: Peripheral()].name = name }
    }

    func connected(_ address: DeviceAddress, to manager: ProgramID) {
        table.withLock { _ = $0[address, default: Peripheral()].managers.insert(manager) }
    }

    /// A manager's connection has ended; the services are forgotten with the last one.
    func disconnected(_ address: DeviceAddress, from manager: ProgramID) {
        table.withLock { table in
            table[address]?.managers.remove(manager)
            if table[address]?.managers.isEmpty == true { table[address]?.services = [] }
        }
    }

    /// A manager has been released, and with it its connections.
    func released(_ manager: ProgramID) {
        table.withLock { $0.keys }.forEach { disconnected($0, from: manager) }
    }

    func discovered(_ services: [CBUUID], at address: DeviceAddress) {
        table.withLock { $0[address, default: Peripheral()].services += services }
    }

    /// The connected peripherals with one of these services, by address.
    func connected(with services: [CBUUID]) -> [DeviceAddress] {
        table.withLock { table in
            table.filter { !$1.managers.isEmpty && $1.services.contains { services.contains($0) } }.map(\.key)
        }.sorted { $0.number < $1.number }
    }
}
