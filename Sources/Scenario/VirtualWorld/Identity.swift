package import Bluetooth
import LEHost
import Peripheral
import Scenarios
import Simulation
import VirtualController

// Script actions on advertising, clocks and addresses.
extension World {
    /// Restarts advertising with the first phase, or stops it during `stop_advertising`.
    mutating func updateAdvertising(of entity: EntityReference) {
        guard let node = entity.device else { return }
        advertise(node, phase: 0)
        forwardHostOutputs(of: node)
    }

    /// Applies `drift` to the clock of a device's sensors.  Its connections keep their time, since a peripheral follows
    /// the anchor points of its central: Core 6.0, Vol 6, Part B, section 4.5.7.
    mutating func updateDrift(of entity: EntityReference) {
        guard let node = entity.device else { return }
        var drift = 0.0
        if case .drift(let partsPerMillion)? = nodes[node].conditions.last(.drift) { drift = partsPerMillion }
        nodes[node].device.drift(by: drift, at: now)
        wakeDevice(node)
    }

    /// Changes the address of a device; its connections keep the old one.
    ///
    /// Without effect on foreign hosts, and for public addresses on external controllers.
    mutating func changeAddress(of entity: EntityReference, to address: DeviceAddress?) {
        guard let node = entity.device, hostBackend != .foreignHosts else { return }
        let address = address ?? randomAddress(of: node)
        if address.kind == .public {
            guard hostBackend == .air else { return }
            airspace.assign(address, to: nodes[node].controller)
        }
        if addressChanges >= Self.maximumAddressChanges { addresses.remove(at: scenario.devices.count) }
        addressChanges += 1
        addresses.append((address, node))
        command(.changeAddress(address.kind == .random ? address : nil), of: node)
    }

    private static let maximumAddressChanges = 4096

    /// A static address that no device has had: its two highest bits are set, and the others are not all equal.
    /// Core 6.0, Vol 6, Part B, section 1.3.2.1.
    private func randomAddress(of node: Int) -> DeviceAddress {
        var chance = chance.stream("address \(node) \(addressChanges)")
        let others: UInt64 = 0x3FFF_FFFF_FFFF
        while true {
            let number = chance.next() & others
            let address = DeviceAddress(~others | number, .random)
            if number != 0, number != others, device(at: address) == nil { return address }
        }
    }

    /// The device of the scenario that has an address or had it last; nil if there is none.
    package func device(at address: DeviceAddress) -> Int? { addresses.last { $0.address == address }?.device }

    package func address(of device: Int) -> DeviceAddress? { addresses.last { $0.device == device }?.address }
}
