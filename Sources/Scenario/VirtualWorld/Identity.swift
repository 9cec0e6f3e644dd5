public import Bluetooth
import LEHost
import Scenarios
import Simulation
import VirtualController

// When a device is heard, under which address, and by which clock it lives.
extension World {
    /// Advertises from the first phase on, or not at all, as the script now says.
    mutating func updateAdvertising(of entity: EntityReference) {
        guard let node = entity.device else { return }
        advertise(node, phase: 0)
        passOnHost(node)
    }

    /// The clock of a device's sensors runs as the script now says.  Its links keep the time of their centrals, whose
    /// anchor points a peripheral follows: Core 6.0, Vol 6, Part B, section 4.5.7.
    mutating func updateDrift(of entity: EntityReference) {
        guard let node = entity.device else { return }
        var drift = 0.0
        if case .drift(let partsPerMillion)? = nodes[node].conditions.last(.drift) { drift = partsPerMillion }
        nodes[node].drift(by: drift, at: now)
        wakeDevice(node)
    }

    /// A device has another address from now on; its connections go on under the one that they began with.
    ///
    /// Nothing changes where the controller is not ours and the address is public, and where the host is not ours.
    mutating func changeAddress(of entity: EntityReference, to address: DeviceAddress?) {
        guard let node = entity.device, hostBackend != .foreignHosts else { return }
        let address = address ?? addressByChance(of: node)
        if address.kind == .public {
            guard hostBackend == .air else { return }
            airspace.assign(address, to: nodes[node].controller)
        }
        if addressChanges >= Self.mostAddressChanges { addresses.remove(at: scenario.devices.count) }
        addressChanges += 1
        addresses.append((address, node))
        command(.changeAddress(address.kind == .random ? address : nil), of: node)
    }

    /// So many changes are remembered.
    private static let mostAddressChanges = 4096

    /// A static address that no device has had.  Core 6.0, Vol 6, Part B, section 1.3.2.1: its two highest bits are set,
    /// and of the others not all are equal.
    private func addressByChance(of node: Int) -> DeviceAddress {
        var chance = chance.stream("address \(node) \(addressChanges)")
        let others: UInt64 = 0x3FFF_FFFF_FFFF
        while true {
            let number = chance.next() & others
            let address = DeviceAddress(~others | number, .random)
            if number != 0, number != others, device(at: address) == nil { return address }
        }
    }

    /// The device that has an address, or had it last; nil for one that none of the scenario's devices has had.
    public func device(at address: DeviceAddress) -> Int? { addresses.last { $0.address == address }?.device }

    /// The address of a device by which it can be found now.
    public func address(of device: Int) -> DeviceAddress? { addresses.last { $0.device == device }?.address }
}
