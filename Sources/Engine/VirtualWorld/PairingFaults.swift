import Basics
import Bluetooth
import LEHost
import ScenarioModel
import SecurityManager

// Script actions on pairing and encryption.
extension World {
    /// Removes the keys of a device.
    mutating func forgetBonds(of node: Int) {
        for peer in nodes[node].host.security.bonds.map(\.peer) { command(.forget(peer), of: node) }
        let advertising = scenario.devices[node].advertising
        if advertising.isForBonded || advertising.isDirected { restartAdvertising(of: node) }
    }

    /// Removes the keys that the built-in client has for a device.
    mutating func forgetBondsOfClients(with node: Int) {
        // The device may have had other addresses.
        let others = nodes.indices.filter { $0 != node }.flatMap {
            [nodes[$0].host.address, nodes[$0].host.identityAddress]
        }
        for client in nodes.indices where nodes[client].isClient {
            for peer in nodes[client].host.security.bonds.map(\.peer) where !others.contains(peer) {
                command(.forget(peer), of: client)
            }
            // A phone disconnects a device that its user removes.
            for connection in nodes[client].host.connectedPeers where !others.contains(connection.peer) {
                command(.disconnect(connection.id, reason: .remoteUserTerminated), of: client)
            }
        }
    }

    /// Passes the present faults of pairing on to a device's host.
    mutating func updateSecurityFaults(of node: Int) {
        var faults = SecurityFaults()
        for action in nodes[node].conditions.actions {
            switch action.operation {
            case .refusePairing(let reason): faults.refusal = reason
            case .stallPairing(let step, let delay): faults.stall = SecurityFaults.Stall(at: step, for: delay)
            case .alterPairing(let alteration): faults.alteration = alteration
            case .wrongKey: faults.hasWrongKeys = true
            default: break
            }
        }
        inject(.injectSecurityFaults(faults), into: node)
    }
}
