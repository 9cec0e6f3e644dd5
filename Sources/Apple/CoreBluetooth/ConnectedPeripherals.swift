import Bluetooth
import Synchronization

/// The services that managers have discovered on the peripherals that are connected to the process.
enum ConnectedPeripherals {
    private struct Key: Hashable {
        let radio: ObjectIdentifier
        let address: DeviceAddress
    }

    private static let services = Mutex<[Key: [CBUUID]]>([:])

    static func note(_ uuids: [CBUUID], at address: DeviceAddress, on radio: any Radio) {
        let key = Key(radio: ObjectIdentifier(radio), address: address)
        services.withLock { $0[key, default: []] += uuids }
    }

    static func remove(_ address: DeviceAddress, on radio: any Radio) {
        let key = Key(radio: ObjectIdentifier(radio), address: address)
        services.withLock { _ = $0.removeValue(forKey: key) }
    }

    /// The peripherals with one of these services, by address.
    static func addresses(on radio: any Radio, with uuids: [CBUUID]) -> [DeviceAddress] {
        services.withLock { services in
            services.filter { key, known in
                key.radio == ObjectIdentifier(radio) && known.contains { uuids.contains($0) }
            }.keys.map(\.address)
        }.sorted { $0.number < $1.number }
    }
}
