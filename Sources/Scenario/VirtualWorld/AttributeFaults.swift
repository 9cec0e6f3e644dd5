import GATT
import LEHost
import Peripheral
import Scenarios

// Attributes that change while clients are connected.  Core 6.0, Vol 3, Part G, section 2.5.2.
extension World {
    /// Moves the services of a device to higher handles; logs `saturated` and does nothing if there are too few.
    mutating func moveHandles(of entity: EntityReference, by distance: Int, _ announce: Bool) {
        guard case .device(let node) = entity, hostBackend != .foreignHosts, nodes.indices.contains(node) else {
            return
        }
        guard let table = movedTable(of: node, by: distance) else { return noteTooFar(node, by: distance) }
        adopt(table, of: node, announce)
    }

    /// The attributes of a device at higher handles; nil if there are too few handles.
    func movedTable(of node: Int, by distance: Int) -> AttributeTable? {
        UInt16(exactly: distance).flatMap { try? nodes[node].device.table(movedBy: $0) }
    }

    /// Removes and adds services of a device, each at the handles reserved for it.
    mutating func changeServices(of entity: EntityReference, _ removed: [Int], _ added: [Int], _ announce: Bool) {
        guard case .device(let node) = entity, hostBackend != .foreignHosts, nodes.indices.contains(node) else {
            return
        }
        // All services of a scenario have reserved handles, so this does not throw.
        guard let table = try? nodes[node].device.table(removing: removed, adding: added) else { return }
        adopt(table, of: node, announce)
    }

    /// Gives a device and its host a new table, and updates everything that depends on handles.
    private mutating func adopt(_ table: AttributeTable, of node: Int, _ isAnnounced: Bool) {
        command(.changeAttributes(table, isAnnounced: isAnnounced), of: node)
        nodes[node].device.adopt(table, at: now)
        names.follow(node, nodes[node])
        updateSilence(of: .device(node))
        updateNotificationFaults(of: .device(node))
        updateErrorInjection(of: .device(node))
    }
}
