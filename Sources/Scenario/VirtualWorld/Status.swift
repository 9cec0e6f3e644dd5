import Bluetooth
import Peripheral
public import Scenarios
import Services
public import Simulation
import Timeline

/// How a world stands at an instant, for those who look at it.
public struct WorldStatus: Hashable, Sendable {
    /// A device of the scenario.
    public struct Device: Hashable, Sendable {
        /// Its name in the scenario.
        public var id: String
        /// The ATT MTU of each client's link; the first client has been there longest.
        public var mtus: [Int]
        /// What its first heart-rate service shows, in beats per minute; nil when there is none.
        public var bpm: Int?
        /// Whether its sensor touches the skin; nil when it cannot know.
        public var isTouching: Bool?
        /// Whether the script keeps some of it silent.
        public var isSilent: Bool
        /// Whether it is out of range.
        public var isAway: Bool

        /// A device that nothing is known of but its name; set what is.
        public init(_ id: String) { (self.id, mtus, isSilent, isAway) = (id, [], false, false) }
    }

    /// Something that is done now, and that ends.
    public struct Force: Hashable, Sendable {
        /// What is done.
        public var kind: Action.Kind
        /// To what, by its path; nil when that has none.
        public var entity: String?
        /// By which rule of the script, or under which name from outside.
        public var rule: String
        /// When it began.
        public var begun: Instant
        /// When it ends, if that is known.
        public var end: Instant?

        /// Something that is done by somebody since an instant, and perhaps until another.
        public init(kind: Action.Kind, entity: String?, rule: String, begun: Instant, end: Instant?) {
            (self.kind, self.entity, self.rule, self.begun, self.end) = (kind, entity, rule, begun, end)
        }
    }

    /// What a rule of the script is waiting for.
    public struct Next: Hashable, Sendable {
        /// The rule's name.
        public var rule: String
        /// When its time comes.
        public var due: Instant

        /// A rule and its time.
        public init(_ rule: String, due: Instant) { (self.rule, self.due) = (rule, due) }
    }

    /// When this is so.
    public var now: Instant
    /// In the scenario's order.
    public var devices: [Device]
    /// What the script and those outside do now, in the order in which it began.
    public var inForce: [Force] = []
    /// The rule that begins next at a time that is known.
    public var next: Next?

    /// How it stands.
    public init(now: Instant, devices: [Device], next: Next? = nil) {
        (self.now, self.devices, self.next) = (now, devices, next)
    }
}

extension World {
    /// How it stands now; looking changes nothing.
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
        status.inForce = script.inForce.map { force($0.rule, begun: $0.begun) }
        return status
    }

    private func force(_ number: Int, begun: Instant) -> WorldStatus.Force {
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
