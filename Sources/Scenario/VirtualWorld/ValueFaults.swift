import Octets
import Peripheral
import Scenarios
import Simulation

// What the script does to values on their way out: when they are told, and what becomes of them until they are sent.
extension World {
    /// A value is notified at a rate of the script, or at its own times again.
    mutating func burst(_ entity: EntityReference, rate: Double?, begun: Instant?) {
        guard let (node, value) = place(of: entity) else { return }
        nodes[node].burst(value, rate: rate, begun: begun ?? now, at: now)
        wakeDevice(node)
    }

    /// The faults on a device's values have changed.
    mutating func updateTampering(of entity: EntityReference) {
        guard let node = entity.device else { return }
        let rules = nodes[node].conditions.actions.compactMap(notificationFaults)
        var leaving: [PeripheralDevice.Notification] = []
        nodes[node].tamper(by: rules, at: now, pool: &pool, into: &leaving)
        for notification in leaving { sendUnlessSilent(notification, of: node) }
        wakeDevice(node)
    }

    /// A value that faults may change, hold or throw away.
    mutating func tamper(with notification: PeripheralDevice.Notification, of node: Int) {
        var leaving: [PeripheralDevice.Notification] = []
        nodes[node].tamper(with: notification, at: now, pool: &pool, into: &leaving)
        for notification in leaving { sendUnlessSilent(notification, of: node) }
        wakeDevice(node)
    }

    /// Sends what has been held until now.
    mutating func sendHeld(_ node: Int) {
        guard nodes[node].notificationFaults.nextDue <= now else { return }
        var leaving: [PeripheralDevice.Notification] = []
        nodes[node].release(at: now, into: &leaving)
        for notification in leaving { sendUnlessSilent(notification, of: node) }
    }

    /// What was held before it became silent is not told either.
    private mutating func sendUnlessSilent(_ notification: PeripheralDevice.Notification, of node: Int) {
        guard nodes[node].device.isSilent(notification.handle) else { return send(notification, of: node) }
        pool.release(notification.packet)
    }

    /// What an action does to values; nil for one that does something else.
    private func notificationFaults(_ action: Action) -> NotificationFaults.Rule? {
        guard let entity = action.entity, let fault = NotificationFaults.Fault(action.operation) else { return nil }
        let handles = handles(of: entity)
        switch entity {
        case .device: return NotificationFaults.Rule(fault, .device, handles)
        case .service(_, let service): return NotificationFaults.Rule(fault, .service(service), handles)
        case .part: return handles.first.map { NotificationFaults.Rule(fault, .value($0), handles) }
        case .client, .rule: return nil
        }
    }
}

extension NotificationFaults.Fault {
    fileprivate init?(_ operation: Action.Operation) {
        switch operation {
        case .truncate(let count): self = .truncate(to: count)
        case .lengthen(let octets): self = .lengthen(with: octets)
        case .drop: self = .drop
        case .duplicate: self = .duplicate
        case .reorder(let span): self = .reorder(span: span)
        case .delay(let duration): self = .delay(by: duration)
        default: return nil
        }
    }
}
