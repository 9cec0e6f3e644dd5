import Basics
import Devices
import GATT
import ScenarioModel

/// Applies the script's faults to notified and indicated values before they leave a device.
///
/// The faults of a value apply in the order truncate, lengthen, drop, duplicate, reorder, delay.  Those of its device, its
/// service and itself all apply; of the same kind, the more specific one.  The faults at the time of the value count,
/// except that the end of `reorder` sends the values that it held, in order.
struct NotificationFaults: Sendable {
    /// The values that a fault applies to, from general to specific.
    enum Scope: Hashable, Comparable, Sendable {
        case device
        /// Those of a service, by its index.
        case service(Int)
        case value(UInt16)
    }

    /// A fault and the values that it applies to.
    struct Rule: Hashable, Sendable {
        let fault: Action.ValueFault
        let scope: Scope
        let handles: [UInt16]

        init(_ fault: Action.ValueFault, _ scope: Scope, _ handles: [UInt16]) {
            (self.fault, self.scope, self.handles) = (fault, scope, handles)
        }
    }

    private enum Reason: Hashable {
        case isReordered(Scope)
        case isDelayed(until: Instant)
    }

    private struct Held {
        let value: PeripheralDevice.Notification
        let reason: Reason
    }

    /// All faults of one value.
    private struct Plan {
        var length: Int?
        var tail: [UInt8] = []
        var drops = false
        var duplicates = false
        var order: (span: Int, scope: Scope)?
        var delay: Duration?

        init(_ rules: [Rule], _ handle: UInt16) {
            for rule in rules where rule.handles.contains(handle) {
                switch rule.fault {
                case .truncate(let count): length = count
                case .lengthen(let octets): tail = octets
                case .drop: drops = true
                case .duplicate: duplicates = true
                case .reorder(let span): order = (span, rule.scope)
                case .delay(let duration): delay = duration
                }
            }
        }
    }

    /// The limit on held values; beyond it, the oldest is discarded.
    static let maximumHeld = 1024

    private var rules: [Rule] = []  // from general to specific
    private var held: [Held] = []  // the oldest first
    /// When `release` has something to do; `.never` while nothing is delayed.
    private(set) var nextDue = Instant.never

    /// Whether any fault applies to values that come now.
    var isActive: Bool { !rules.isEmpty }

    /// Takes a value, and appends what leaves now.
    mutating func take(
        _ value: PeripheralDevice.Notification, at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) {
        let plan = Plan(rules, value.handle)
        var value = value
        if let length = plan.length { value.packet.truncate(to: length) }
        let room = max(0, AttributeTable.maximumValueLength - value.packet.count)
        if !plan.tail.isEmpty { pool.append(plan.tail.prefix(room), to: &value.packet) }
        guard !plan.drops else { return pool.release(value.packet) }
        let twin = plan.duplicates ? pool.copy(value.packet) : nil
        reorder(value, plan, at: now, pool: &pool, into: &outbox)
        guard let twin else { return }
        let second = PeripheralDevice.Notification(handle: value.handle, packet: twin)
        reorder(second, plan, at: now, pool: &pool, into: &outbox)
    }

    /// Appends the delayed values that are due.
    mutating func release(at now: Instant, into outbox: inout [PeripheralDevice.Notification]) {
        guard nextDue <= now else { return }
        var ready: [(due: Instant, place: Int, value: PeripheralDevice.Notification)] = []
        for (place, held) in held.enumerated() {
            if case .isDelayed(let due) = held.reason, due <= now { ready.append((due, place, held.value)) }
        }
        held.removeAll { if case .isDelayed(let due) = $0.reason { due <= now } else { false } }
        ready.sort { ($0.due, $0.place) < ($1.due, $1.place) }
        outbox += ready.map(\.value)
        updateDue()
    }

    /// Replaces all faults, and appends the values that an ended `reorder` held.
    mutating func replaceRules(
        with rules: [Rule], at now: Instant, pool: inout PacketPool, into outbox: inout [PeripheralDevice.Notification]
    ) {
        let orders = self.rules.filter(\.isOrder).map(\.scope)
        self.rules = rules.sorted { $0.scope < $1.scope }
        for scope in orders where !rules.contains(where: { $0.isOrder && $0.scope == scope }) {
            for value in takeReordered(scope) {
                delay(value, Plan(self.rules, value.handle).delay, at: now, pool: &pool, into: &outbox)
            }
        }
    }

    /// Discards all held values of a handle: nobody is subscribed any more.
    mutating func discard(_ handle: UInt16, pool: inout PacketPool) {
        for held in held where held.value.handle == handle { pool.release(held.value.packet) }
        held.removeAll { $0.value.handle == handle }
        updateDue()
    }

    private mutating func reorder(
        _ value: PeripheralDevice.Notification, _ plan: Plan, at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) {
        guard let (span, scope) = plan.order else {
            return delay(value, plan.delay, at: now, pool: &pool, into: &outbox)
        }
        guard held.count(where: { $0.reason == .isReordered(scope) }) + 1 >= span else {
            return hold(value, .isReordered(scope), pool: &pool)
        }
        for value in [value] + takeReordered(scope) {
            delay(value, Plan(rules, value.handle).delay, at: now, pool: &pool, into: &outbox)
        }
    }

    private mutating func takeReordered(_ scope: Scope) -> [PeripheralDevice.Notification] {
        defer { held.removeAll { $0.reason == .isReordered(scope) } }
        return held.filter { $0.reason == .isReordered(scope) }.map(\.value)
    }

    private mutating func delay(
        _ value: PeripheralDevice.Notification, _ delay: Duration?, at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) {
        guard let delay, delay > .zero else { return outbox.append(value) }
        let due = now.advanced(by: delay)
        nextDue = min(nextDue, due)
        hold(value, .isDelayed(until: due), pool: &pool)
    }

    private mutating func hold(_ value: PeripheralDevice.Notification, _ reason: Reason, pool: inout PacketPool) {
        if held.count >= Self.maximumHeld { pool.release(held.removeFirst().value.packet) }
        held.append(Held(value: value, reason: reason))
    }

    private mutating func updateDue() {
        nextDue = .never
        for held in held { if case .isDelayed(let due) = held.reason { nextDue = min(nextDue, due) } }
    }
}

extension NotificationFaults.Rule {
    fileprivate var isOrder: Bool { if case .reorder = fault { true } else { false } }
}

// Script actions on notified and indicated values.
extension World {
    /// Sends a value at a rate, or at its usual times if that is nil.
    mutating func burst(_ entity: EntityReference, rate: Double?, begun: Instant?) {
        guard let (node, value) = place(of: entity) else { return }
        nodes[node].device.burst(value, rate: rate, begun: begun ?? now, at: now)
        wakeDevice(node)
    }

    /// Passes the present faults on to a device.
    mutating func updateNotificationFaults(of node: Int) {
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
