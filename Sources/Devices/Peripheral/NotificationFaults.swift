import GATT
public import Octets
import Services
public import Simulation

/// What a script does to the values of a device on their way out, notified or indicated, whoever made them.
///
/// Of what holds for a value, `truncate` comes first, then `lengthen`, `drop`, `duplicate`, `reorder` and `delay`.  What
/// holds for the device, for the service and for the value itself all holds; of one kind the more particular.  Who is
/// in force when a value comes decides about it, but for `reorder`: what that holds goes on, in order, when it ends.
public struct NotificationFaults: Sendable {
    /// What is done to a value.
    public enum Fault: Hashable, Sendable {
        /// Only so many octets of it are left.
        case truncate(to: Int)
        /// These octets are put behind it, as far as an attribute has room for them.
        case lengthen(with: [UInt8])
        /// It is thrown away.
        case drop
        /// It is sent twice.
        case duplicate
        /// Of so many that follow each other, the last is sent first, and the others then in their order.
        case reorder(span: Int)
        /// It is sent so much later.
        case delay(by: Duration)
    }

    /// Whose values are meant; what comes later is more particular.
    public enum Scope: Hashable, Comparable, Sendable {
        /// All of the device.
        case device
        /// Those of a service, by its number.
        case service(Int)
        /// One, by its handle.
        case value(UInt16)
    }

    /// A fault that is in force.
    public struct Rule: Hashable, Sendable {
        /// What is done.
        public var fault: Fault
        /// To which values.
        public var scope: Scope
        /// The handles of these.
        public var handles: [UInt16]

        /// A fault on the values with these handles.
        public init(_ fault: Fault, _ scope: Scope, _ handles: [UInt16]) {
            (self.fault, self.scope, self.handles) = (fault, scope, handles)
        }
    }

    private enum Reason: Hashable {
        case isLinedUp(Scope)
        case waits(until: Instant)
    }

    private struct Held {
        let value: PeripheralDevice.Notification
        let reason: Reason
    }

    /// What is done to the values with one handle.
    private struct Plan {
        var length: Int?
        var tail: [UInt8] = []
        var drops = false
        var duplicates = false
        var line: (span: Int, scope: Scope)?
        var delay: Duration?

        init(_ rules: [Rule], _ handle: UInt16) {
            for rule in rules where rule.handles.contains(handle) {
                switch rule.fault {
                case .truncate(let count): length = count
                case .lengthen(let octets): tail = octets
                case .drop: drops = true
                case .duplicate: duplicates = true
                case .reorder(let span): line = (span, rule.scope)
                case .delay(let duration): delay = duration
                }
            }
        }
    }

    /// So many values are held at most; then the oldest is thrown away.
    public static let mostHeld = 1024

    private var rules: [Rule] = []  // the more particular behind the others
    private var held: [Held] = []  // in the order in which they came
    /// When `release` has something to do; `.never` when nothing waits.
    public private(set) var nextDue = Instant.never

    /// Nothing is done.
    public init() {}

    /// Whether there is anything to be done to a value that comes now.
    public var isActive: Bool { !rules.isEmpty }

    /// Takes a value on its way out, and adds what leaves now.
    public mutating func take(
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
        lineUp(value, plan, at: now, pool: &pool, into: &outbox)
        guard let twin else { return }
        let second = PeripheralDevice.Notification(handle: value.handle, packet: twin)
        lineUp(second, plan, at: now, pool: &pool, into: &outbox)
    }

    /// Adds what has waited until now.
    public mutating func release(at now: Instant, into outbox: inout [PeripheralDevice.Notification]) {
        guard nextDue <= now else { return }
        var ready: [(due: Instant, place: Int, value: PeripheralDevice.Notification)] = []
        for (place, held) in held.enumerated() {
            if case .waits(let due) = held.reason, due <= now { ready.append((due, place, held.value)) }
        }
        held.removeAll { if case .waits(let due) = $0.reason { due <= now } else { false } }
        ready.sort { ($0.due, $0.place) < ($1.due, $1.place) }
        outbox += ready.map(\.value)
        updateDue()
    }

    /// From now on these faults are in force, and adds what an order that has ended had held.
    public mutating func play(
        _ rules: [Rule], at now: Instant, pool: inout PacketPool, into outbox: inout [PeripheralDevice.Notification]
    ) {
        let orders = self.rules.filter(\.isOrder).map(\.scope)
        self.rules = rules.sorted { $0.scope < $1.scope }
        for scope in orders where !rules.contains(where: { $0.isOrder && $0.scope == scope }) {
            for value in takeLine(scope) {
                putOff(value, Plan(self.rules, value.handle).delay, at: now, pool: &pool, into: &outbox)
            }
        }
    }

    /// Nobody listens to a value any more: what is held of it is thrown away.
    public mutating func forget(_ handle: UInt16, pool: inout PacketPool) {
        for held in held where held.value.handle == handle { pool.release(held.value.packet) }
        held.removeAll { $0.value.handle == handle }
        updateDue()
    }

    private mutating func lineUp(
        _ value: PeripheralDevice.Notification, _ plan: Plan, at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) {
        guard let (span, scope) = plan.line else {
            return putOff(value, plan.delay, at: now, pool: &pool, into: &outbox)
        }
        guard held.count(where: { $0.reason == .isLinedUp(scope) }) + 1 >= span else {
            return hold(value, .isLinedUp(scope), pool: &pool)
        }
        for value in [value] + takeLine(scope) {
            putOff(value, Plan(rules, value.handle).delay, at: now, pool: &pool, into: &outbox)
        }
    }

    private mutating func takeLine(_ scope: Scope) -> [PeripheralDevice.Notification] {
        defer { held.removeAll { $0.reason == .isLinedUp(scope) } }
        return held.filter { $0.reason == .isLinedUp(scope) }.map(\.value)
    }

    private mutating func putOff(
        _ value: PeripheralDevice.Notification, _ delay: Duration?, at now: Instant, pool: inout PacketPool,
        into outbox: inout [PeripheralDevice.Notification]
    ) {
        guard let delay, delay > .zero else { return outbox.append(value) }
        let due = now.advanced(by: delay)
        nextDue = min(nextDue, due)
        hold(value, .waits(until: due), pool: &pool)
    }

    private mutating func hold(_ value: PeripheralDevice.Notification, _ reason: Reason, pool: inout PacketPool) {
        if held.count >= Self.mostHeld { pool.release(held.removeFirst().value.packet) }
        held.append(Held(value: value, reason: reason))
    }

    private mutating func updateDue() {
        nextDue = .never
        for held in held { if case .waits(let due) = held.reason { nextDue = min(nextDue, due) } }
    }
}

extension NotificationFaults.Rule {
    fileprivate var isOrder: Bool { if case .reorder = fault { true } else { false } }
}
