import Bluetooth
import ScenarioModel

/// The addresses that devices have, and those that they had.
struct DeviceAddresses: Sendable {
    private static let maximumChanges = 4096

    /// The devices' first addresses, and then later ones in the order of the changes.
    private var known: [(address: DeviceAddress, device: Int)]
    private let deviceCount: Int
    /// How often an address has changed.
    private(set) var changes = 0

    init(of devices: [ScenarioModel.Device]) {
        known = devices.enumerated().map { ($0.element.address, $0.offset) }
        deviceCount = devices.count
    }

    /// Notes a new address of a device, and forgets the oldest change if there are too many.
    mutating func note(_ address: DeviceAddress, of device: Int) {
        if changes >= Self.maximumChanges { known.remove(at: deviceCount) }
        changes += 1
        known.append((address, device))
    }

    /// The device that has an address or had it last; nil if there is none.
    func device(at address: DeviceAddress) -> Int? { known.last { $0.address == address }?.device }

    /// The present address of a device.
    func address(of device: Int) -> DeviceAddress? { known.last { $0.device == device }?.address }
}
