import Bluetooth
import GATT
import LEHost
import ScenarioModel
import SecurityManager

/// The host of a device and the virtual controller below it, which carry out every action.
enum SimulatedHost {
    /// How far an action is carried out for a client that is not the built-in one.
    static func reach(of kind: Action.Kind) -> Reach { [Action.Kind: Reach].atExternalClient[kind] ?? .whole }
}

extension World {
    /// Carries out an action on a simulated device, or undoes it.
    mutating func playInSimulation(_ phase: ActionPhase, on node: Int) {
        let (isOn, begun) = (phase.isOn, phase.begun)
        switch phase.operation {
        case .linkLoss, .loss: updateStation(of: node)
        case .distance(let metres, let duration): move(node, to: isOn ? metres : nil, over: duration, begun: begun)
        case .rssi(let value): setStrength(of: node, isOn ? value : nil, begun: begun)
        case .stopAdvertising: restartAdvertising(of: node)
        case .changeAdvertising: changeAdvertising(of: node, begun: begun)
        case .changeAddress(let address): changeAddress(of: node, to: address ?? randomAddress(of: node))
        case .rotateAddress: command(.rotateAddress, of: node)
        case .connect(let target): connect(node, to: target)
        case .disconnect(let code):
            stopConnecting(node)
            let reason = code.flatMap(HCIStatus.init) ?? .remoteUserTerminated
            for connection in nodes[node].connections { command(.disconnect(connection.id, reason: reason), of: node) }
        case .restart(let restart): begin(restart, of: node)
        case .raw(let octets, let channel?): sendRaw(octets, on: channel, of: node)
        case .stall(let request): stall(node, isOn ? request.map(ErrorInjection.Requests.init) ?? .all : [])
        case .attError: inject(.injectErrors(errorInjection(of: node)), into: node)
        case .mtu: updateMTU(of: node)
        case .moveHandles(let distance, let announce): moveHandles(of: node, by: distance, announce)
        case .changeServices(let add, let remove, let announce): changeServices(of: node, remove, add, announce)
        case .forgetBond(let side):
            if side != .client { forgetBonds(of: node) }
            if side != .device { forgetBondsOfClients(with: node) }
        case .refusePairing, .stallPairing, .alterPairing, .wrongKey: updateSecurityFaults(of: node)
        case .requestSecurity:
            for connection in nodes[node].connections { command(.security(connection.id, .secure), of: node) }
        case .set, .notify, .raw, .silence, .valueFault, .burst, .leadOff, .drift, .skipTime:
            playOnValues(phase, on: node)
        case .user, .clear: break  // users look at the conditions; the script runner clears
        case .powerOff, .unconfirmed, .system: break  // of clients, and of their systems
        }
    }
}
