import Basics
import Devices
import LEHost
import ScenarioModel

// Devices that restart, and those that notify before they respond.
extension World {
    /// Switches a device off; a restart that is going on begins anew.
    mutating func begin(_ restart: Action.Restart, of node: Int) {
        if let end = nodes[node].restart?.end { cancel(end) }
        let end = schedule(.restarted(node: node), due: now.advanced(by: restart.off))
        nodes[node].restart = (restart, end)
        command(.stop, of: node)
    }

    /// Switches a device on after a restart.
    mutating func finishRestart(of node: Int) {
        guard let restart = nodes[node].restart?.action else { return }
        nodes[node].restart = nil
        if restart.losesBonds { forgetBonds(of: node) }
        if restart.losesSubscriptions {
            nodes[node].forgetSubscriptions()
            memoryChanges += 1
        }
        nodes[node].device.restart(at: now)
        for action in nodes[node].conditions.actions {
            guard let entity = action.entity, action.kind.changesSensors else { continue }
            playOnValues(ActionPhase(operation: action.operation, entity: entity, begun: now, isOn: true), on: node)
        }
        wakeDevice(node)
        if case .onController = nodes[node].hosting, nodes[node].conditions.has(.linkLoss) { return }
        command(.start, of: node)
    }

    /// Lets all devices with `early_values` notify before the response to the client that subscribes.
    mutating func prepareEarlyValues() {
        for (node, device) in scenario.devices.enumerated() where device.sendsEarlyValues {
            guard !nodes[node].hosting.hasOnlyAttributes else { continue }
            inject(.respondToSubscribersLate(true), into: node)
        }
    }

    /// Notifies a value to a client that waits for the response to its subscription.
    mutating func sendEarlyValue(at handle: UInt16, of node: Int) {
        guard let value = nodes[node].device.value(of: handle) else { return }
        notify(value, of: node)
    }
}

extension Action.Kind {
    /// Whether a restart of the sensors would end it.
    fileprivate var changesSensors: Bool {
        switch self {
        case .set, .burst, .leadOff: true
        default: false
        }
    }
}
