import Basics
import Characteristics
import Devices
import ScenarioModel
import Services

// Script actions on the values of a device, and on the clock of its sensors: the same above each kind of host.
extension World {
    /// Carries out an action on values, or undoes it.
    mutating func playOnValues(_ phase: ActionPhase, on node: Int) {
        let (entity, isOn, begun) = (phase.entity, phase.isOn, phase.begun)
        switch phase.operation {
        case .set(let value): set(entity, to: isOn ? value : nil, begun: begun)
        case .notify(let times, let value): notify(entity, times: times, value)
        case .raw(let octets, channel: nil):
            if let (node, value) = place(of: entity) { notify(value, of: node, octets: octets) }
        case .silence: updateSilence(of: node)
        case .valueFault: updateNotificationFaults(of: node)
        case .burst(let rate): burst(entity, rate: isOn ? rate : nil, begun: begun)
        case .leadOff: updateLeads(of: entity, node)
        case .drift: updateDrift(of: node)
        case .skipTime(let duration): skipTime(of: node, by: duration)
        default: assertionFailure("\(phase.operation.kind) does not act on values")
        }
    }

    private mutating func set(_ entity: EntityReference, to value: Value?, begun: Instant?) {
        guard let (node, target) = place(of: entity) else { return }
        _ = set(target, of: node, to: value.map { input($0, for: target, node) }, begun: begun)
    }

    /// Moves the wall clock of a device forward, and logs it if that stops the clock.
    private mutating func skipTime(of node: Int, by duration: Duration) {
        let hadStopped = nodes[node].device.clockHasStopped(at: now)
        nodes[node].device.skipTime(by: duration, at: now)
        if !hadStopped, nodes[node].device.clockHasStopped(at: now) { noteClock(of: node, duration) }
    }

    private mutating func notify(_ entity: EntityReference, times: Int, _ value: Value?) {
        guard let (node, target) = place(of: entity) else { return }
        let octets = value.flatMap { nodes[node].device.octets(of: target, for: input($0, for: target, node)) }
        if value != nil, octets == nil { return }
        for _ in 0..<times { notify(target, of: node, octets: octets) }
    }

    /// Updates the leads of a target's ECG services: off while `lead_off` applies to any entity that includes them.
    private mutating func updateLeads(of entity: EntityReference, _ node: Int) {
        let entities = nodes[node].conditions.entities(.leadOff)
        for service in scenario.devices[node].services.indices where entity.has(service) {
            let isOff = entities.contains { $0.has(service) }
            _ = nodes[node].device.setLead(ofService: service, isOff: isOff, at: now)
        }
    }

    /// Converts a script's value for a device.
    private func input(_ value: Value, for target: DeviceValue, _ node: Int) -> SensorInput {
        let description = scenario.devices[node].services[target.service].description.values[target.id.index]
            .description
        switch (value, description.content) {
        case (.curve(let curve), _): return .signal(Signal(curve, seed: seed(of: target, node)))
        case (.text, .custom(let format)): return .octets(value.octets(as: format) ?? [])
        case (.text(let text), _): return .octets(description.octets(of: text))
        }
    }

    /// Silences the values of a device that `silence` applies to, by their present handles.
    mutating func updateSilence(of node: Int) {
        let handles = nodes[node].conditions.entities(.silence).flatMap(handles)
        nodes[node].device.keepSilent(handles, at: now)
        wakeDevice(node)
    }
}

extension EntityReference {
    /// Whether this is a service of its device, includes it or belongs to it.
    fileprivate func has(_ service: Int) -> Bool {
        switch self {
        case .service(_, let own), .value(_, let own, _): own == service
        default: true
        }
    }
}
