package import Basics
import Bluetooth
import Devices
package import ScenarioModel
import Services

/// The state of a world at an instant.
package struct WorldStatus: Hashable, Sendable {
    /// A device of the scenario.
    package struct Device: Hashable, Sendable {
        package var id: String
        /// The ATT MTU of each connection, the oldest first.
        package var mtus: [Int]
        /// The rate of its first heart-rate service, in beats per minute; nil without such a service.
        package var bpm: Int?
        /// Whether its sensor has skin contact; nil if it cannot detect that.
        package var isTouching: Bool?
        /// Whether `silence` applies to it, or to one of its services or values.
        package var isSilent: Bool
        /// Whether `link_loss` applies to it.
        package var isAway: Bool

        /// A device without known state.
        package init(_ id: String) { (self.id, mtus, isSilent, isAway) = (id, [], false, false) }
    }

    /// A lasting action.
    package struct ActiveAction: Hashable, Sendable {
        package var kind: Action.Kind
        /// The path of the target; nil for a target without one.
        package var entity: String?
        /// The name of the rule, or of the action from outside.
        package var rule: String
        package var begun: Instant
        /// When it ends, if that is known.
        package var end: Instant?

        package init(kind: Action.Kind, entity: String?, rule: String, begun: Instant, end: Instant?) {
            (self.kind, self.entity, self.rule, self.begun, self.end) = (kind, entity, rule, begun, end)
        }
    }

    /// The next rule at a known time.
    package struct Next: Hashable, Sendable {
        package var rule: String
        package var due: Instant

        package init(_ rule: String, due: Instant) { (self.rule, self.due) = (rule, due) }
    }

    package var now: Instant
    /// In the scenario's order.
    package var devices: [Device]
    /// The lasting actions, in the order in which they began.
    package var activeActions: [ActiveAction] = []
    /// The rule that begins next at a known time.
    package var next: Next?

    /// A state without lasting actions.
    package init(now: Instant, devices: [Device], next: Next? = nil) {
        (self.now, self.devices, self.next) = (now, devices, next)
    }
}

extension World {
    package var status: WorldStatus {
        var status = status(of: scenario.devices.indices)
        status.activeActions = script.runner.activeRules.map { activeAction($0.rule, begun: $0.begun) }
        return status
    }

    /// The state of some devices, by index, with the latest `most` lasting actions on them and on other things than devices; and
    /// the number of all other lasting actions.
    package func status(of devices: [Int], atMost most: Int) -> (status: WorldStatus, otherActions: Int) {
        var status = status(of: devices)
        let (shown, all) = (Set(devices), script.runner.activeRules)
        let own = all.filter { active in
            script.runner.rule(active.rule).action.entity?.device.map(shown.contains) ?? true
        }
        status.activeActions = own.suffix(most).map { activeAction($0.rule, begun: $0.begun) }
        return (status, all.count - status.activeActions.count)
    }

    private func status(of places: some Sequence<Int>) -> WorldStatus {
        let devices = places.map { index in
            var device = WorldStatus.Device(scenario.devices[index].id)
            device.mtus = nodes[index].connections.map(\.mtu)
            device.bpm = number(of: .heartRate, device: index).map { Int($0) }
            device.isTouching = number(named: "contact", of: .heartRate, device: index).map { $0 > 0 }
            device.isSilent = nodes[index].conditions.has(.silence)
            device.isAway = nodes[index].conditions.has(.linkLoss)
            return device
        }
        return WorldStatus(
            now: now, devices: devices, next: script.runner.next.map { .init(name(of: $0.rule), due: $0.due) })
    }

    /// The present number of a value, in its unit (a contact is 0 or 1); nil when it has none.
    package func number(of entity: EntityReference) -> Double? {
        guard scenario.value(entity) != nil, let (node, value) = place(of: entity) else { return nil }
        return nodes[node].device.number(of: value, at: now)
    }

    private func activeAction(_ number: Int, begun: Instant) -> WorldStatus.ActiveAction {
        let rule = script.runner.rule(number)
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
        scenario.value(named: name, of: service, device: device).flatMap(number)
    }
}
