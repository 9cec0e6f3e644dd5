import Bluetooth
import Peripheral
public import Scenarios
import Services
public import Simulation
import Timeline

/// The state of a world at an instant.
public struct WorldStatus: Hashable, Sendable {
    /// A device of the scenario.
    public struct Device: Hashable, Sendable {
        /// Its name in the scenario.
        public var id: String
        /// The ATT MTU of each connection, the oldest first.
        public var mtus: [Int]
        /// The rate of its first heart-rate service, in beats per minute; nil without such a service.
        public var bpm: Int?
        /// Whether its sensor has skin contact; nil if it cannot detect that.
        public var isTouching: Bool?
        /// Whether `silence` applies to it, or to one of its services or values.
        public var isSilent: Bool
        /// Whether `link_loss` applies to it.
        public var isAway: Bool

        /// A device without known state.
        public init(_ id: String) { (self.id, mtus, isSilent, isAway) = (id, [], false, false) }
    }

    /// A lasting action.
    public struct ActiveAction: Hashable, Sendable {
        /// The action.
        public var kind: Action.Kind
        /// The path of the target; nil for a target without one.
        public var entity: String?
        /// The name of the rule, or of the action from outside.
        public var rule: String
        /// When it began.
        public var begun: Instant
        /// When it ends, if that is known.
        public var end: Instant?

        /// A lasting action.
        public init(kind: Action.Kind, entity: String?, rule: String, begun: Instant, end: Instant?) {
            (self.kind, self.entity, self.rule, self.begun, self.end) = (kind, entity, rule, begun, end)
        }
    }

    /// The next rule at a known time.
    public struct Next: Hashable, Sendable {
        /// The rule's name.
        public var rule: String
        /// When it begins.
        public var due: Instant

        /// A rule and when it begins.
        public init(_ rule: String, due: Instant) { (self.rule, self.due) = (rule, due) }
    }

    /// The instant of this state.
    public var now: Instant
    /// In the scenario's order.
    public var devices: [Device]
    /// The lasting actions, in the order in which they began.
    public var activeActions: [ActiveAction] = []
    /// The rule that begins next at a known time.
    public var next: Next?

    /// A state without lasting actions.
    public init(now: Instant, devices: [Device], next: Next? = nil) {
        (self.now, self.devices, self.next) = (now, devices, next)
    }
}

extension World {
    /// The present state.
    public var status: WorldStatus {
        let devices = scenario.devices.indices.map { index in
            var device = WorldStatus.Device(scenario.devices[index].id)
            device.mtus = nodes[index].connections.map(\.mtu)
            device.bpm = number(of: .heartRate, device: index).map { Int($0) }
            device.isTouching = number(named: "contact", of: .heartRate, device: index).map { $0 > 0 }
            device.isSilent = nodes[index].conditions.has(.silence)
            device.isAway = nodes[index].conditions.has(.linkLoss)
            return device
        }
        var status = WorldStatus(
            now: now, devices: devices, next: script.next.map { .init(name(of: $0.rule), due: $0.due) })
        status.activeActions = script.activeRules.map { activeAction($0.rule, begun: $0.begun) }
        return status
    }

    private func activeAction(_ number: Int, begun: Instant) -> WorldStatus.ActiveAction {
        let rule = script.rule(number)
        let end: Instant? =
            switch rule.end {
            case .after(let duration): begun.advanced(by: duration)
            case .at(let moment): moment.clockTime(after: begun, origin: .start)
            case nil: nil
            }
        return .init(
            kind: rule.action.kind, entity: rule.action.entity.flatMap(scenario.path), rule: name(of: number),
            begun: begun, end: end)
    }

    private func number(named name: String? = nil, of service: ServiceDescription, device: Int) -> Double? {
        guard let entity = scenario.value(named: name, of: service, device: device),
            let (node, value) = place(of: entity)
        else { return nil }
        return nodes[node].device.number(of: value, at: now)
    }
}
