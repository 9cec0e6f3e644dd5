import Basics
package import ScenarioModel

/// The host of a device, and the controller below it.
enum DeviceHost: Sendable {
    case simulated
    case onController(ControllerHost)
    case attributes(AttributeHost)

    /// The host of a device on a radio.
    init(_ radio: RadioKind) {
        switch radio {
        case .rehearsal, .virtual, .system: self = .simulated
        case .controllers: self = .onController(ControllerHost())
        case .bluetoothd: self = .attributes(AttributeHost())
        }
    }

    /// Whether the device has no `Host` of the world: a stack outside owns its links, and pairs.
    var hasOnlyAttributes: Bool { if case .attributes = self { true } else { false } }
}

/// An action that begins, resumes or ends; the conditions of its target are up to date.
struct ActionPhase {
    let operation: Action.Operation
    let entity: EntityReference
    /// The earlier beginning of an action that resumes.
    let begun: Instant?
    /// False when it ends.
    let isOn: Bool
}

extension World {
    /// Gives the devices the hosts of a radio; without, they are simulated.  Call it before `start`.
    package mutating func placeDevices(on radio: RadioKind) {
        self.radio = radio
        for node in nodes.indices where !nodes[node].isClient { nodes[node].hosting = DeviceHost(radio) }
        if case .controllers = radio { hasSystemSecrets = true }  // keys are to protect real links
    }

    /// Carries out an action, or undoes it.
    mutating func play(_ phase: ActionPhase) {
        if case .system(let fault) = phase.operation { return tellSystems(fault, phase) }
        guard let node = phase.entity.device else { return playOnClients(phase) }
        switch nodes[node].hosting {
        case .simulated: playInSimulation(phase, on: node)
        case .onController: playOnController(phase, on: node)
        case .attributes: playOverAttributes(phase, on: node)
        }
    }

    /// Reports to the Bluetooth services of systems that something happens to them.
    private mutating func tellSystems(_ fault: Action.SystemFault, _ phase: ActionPhase) {
        let peer = phase.entity.device.flatMap { address(of: $0) }
        outbox.added.append(.system(fault, of: peer, isOn: phase.isOn))
    }

    /// Users, and `clear`, only look at the conditions.
    private mutating func playOnClients(_ phase: ActionPhase) {
        if case .powerOff = phase.operation { setPowerOfClients(isOn: !phase.isOn) }
        if case .unconfirmed = phase.operation { confirmIndications(!phase.isOn) }
    }
}
