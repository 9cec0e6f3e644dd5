import GATT
import LEHost
import Peripheral
import Scenarios

// Attributes that change while clients are connected.  Core 6.0, Vol 3, Part G, section 2.5.2.
extension World {
    /// A device has its services so many handles further on.  Where the last would get none, nothing moves.
    mutating func moveHandles(of entity: EntityReference, by distance: Int, _ announce: Bool) {
        guard case .device(let node) = entity, hostBackend != .foreignHosts, nodes.indices.contains(node) else {
            return
        }
        guard let table = movedTable(of: node, by: distance) else { return noteTooFar(node, by: distance) }
        adopt(table, of: node, announce)
    }

    /// The attributes of a device so many handles further on; nil where the last would get none.
    func movedTable(of node: Int, by distance: Int) -> AttributeTable? {
        UInt16(exactly: distance).flatMap { try? nodes[node].device.table(movedBy: $0) }
    }

    /// Services of a device go, and others come: each at the handles that are kept for it.
    mutating func changeServices(of entity: EntityReference, _ removed: [Int], _ added: [Int], _ announce: Bool) {
        guard case .device(let node) = entity, hostBackend != .foreignHosts, nodes.indices.contains(node) else {
            return
        }
        // The same attributes as before, or fewer, always have room.
        guard let table = try? nodes[node].device.table(removing: removed, adding: added) else { return }
        adopt(table, of: node, announce)
    }

    /// What its clients are told, and what it is called, is still by the handles of before.
    private mutating func adopt(_ table: AttributeTable, of node: Int, _ isAnnounced: Bool) {
        command(.changeAttributes(table, isAnnounced: isAnnounced), of: node)
        nodes[node].adopt(table, at: now)
        names.follow(node, nodes[node])
        keepSilent(node)
        updateTampering(of: .device(node))
        updateErrorInjection(of: .device(node))
    }
}
