import Octets
import Peripheral
import Scenarios
import Simulation

// Script actions on notified and indicated values.
extension World {
    /// Sends a value at a rate, or at its usual times if that is nil.
    mutating func burst(_ entity: EntityReference, rate: Double?, begun: Instant?) {
        guard let (node, value) = place(of: entity) else { return }
        nodes[node].device.burst(value, rate: rate, begun: begun ?? now, at: now)
        wakeDevice(node)
    }

    /// Passes the present faults on to a device.
    mutating func updateNotificationFaults(of entity: EntityReference) {
        guard let node = entity.device else { return }
        let rules = nodes[node].conditions.actions.compactMap(notificationFaults)
        var leaving: [PeripheralDevice.Notification] = []
        nodes[node].notificationFaults.replaceRules(with: rules, at: now, pool: &pool, into: &leaving)
        for notification in leaving { sendUnlessSilent(notification, of: node) }
        wakeDevice(node)
    }

    /// Applies the faults to a value, and sends what leaves now.
    mutating func applyFaults(to notification: PeripheralDevice.Notification, of node: Int) {
        var leaving: [PeripheralDevice.Notification] = []
        nodes[node].applyFaults(to: notification, at: now, pool: &pool, into: &leaving)
        for notification in leaving { sendUnlessSilent(notification, of: node) }
        wakeDevice(node)
    }

    /// Sends the delayed values that are due.
    mutating func sendDelayed(_ node: Int) {
        guard nodes[node].notificationFaults.nextDue <= now else { return }
        var leaving: [PeripheralDevice.Notification] = []
        nodes[node].notificationFaults.release(at: now, into: &leaving)
        for notification in leaving { sendUnlessSilent(notification, of: node) }
    }

    /// Sends a value, or discards it if it was held before its silence began.
    private mutating func sendUnlessSilent(_ notification: PeripheralDevice.Notification, of node: Int) {
        guard nodes[node].device.isSilent(notification.handle) else { return send(notification, of: node) }
        pool.release(notification.packet)
    }

    /// The fault of an action; nil for other actions.
    private func notificationFaults(_ action: Action) -> NotificationFaults.Rule? {
        guard case .valueFault(let fault) = action.operation, let entity = action.entity else { return nil }
        let handles = handles(of: entity)
        switch entity {
        case .device: return NotificationFaults.Rule(fault, .device, handles)
        case .service(_, let service): return NotificationFaults.Rule(fault, .service(service), handles)
        case .value: return handles.first.map { NotificationFaults.Rule(fault, .value($0), handles) }
        case .client, .rule: return nil
        }
    }
}
