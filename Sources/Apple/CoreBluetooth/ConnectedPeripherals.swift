import Bluetooth
import Synchronization

/// The services that managers have discovered on the peripherals that are connected to the process over a radio.
package final class ConnectedPeripherals: Sendable {
    private let services = Mutex<[DeviceAddress: [CBUUID]]>([:])

    /// No peripherals.
    package init() {}

    func note(_ uuids: [CBUUID], at address: DeviceAddress) { services.withLock { $0[address, default: []] += uuids } }

    func remove(_ address: DeviceAddress) { services.withLock { _ = $0.removeValue(forKey: address) } }

    /// The peripherals with one of these services, by address.
    func addresses(with uuids: [CBUUID]) -> [DeviceAddress] {
        services.withLock { services in
            services.filter { _, known in known.contains { uuids.contains($0) } }.map(\.key)
        }.sorted { $0.number < $1.number }
    }
}
