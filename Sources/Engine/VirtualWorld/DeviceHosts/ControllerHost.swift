package import Basics
import Bluetooth
package import HCI
import LEHost
import ScenarioModel
import VirtualRadio

/// The host of a device above a controller outside of the world: HCI packets go out as `.toRadio`, and come in through
/// `receive(_:_:fromRadioOf:at:)`.
struct ControllerHost: Sendable {
    /// The update period of the controller's power: advertising pauses for each update.
    static let powerPeriod = Duration.seconds(1)

    /// By how many dB the controller is to advertise weaker than usual.
    fileprivate var attenuation = 0
    /// The next update of `attenuation` during a move.
    fileprivate var powerDue = Instant.start
}

// The actions that are possible with a controller outside: all that the host above it decides.
extension ControllerHost {
    /// How far an action is carried out; one that is not in the table is as in the simulation.
    static func reach(of kind: Action.Kind) -> Reach { limits[kind] ?? .whole }

    private static let limits: [Action.Kind: Reach] = [Action.Kind: Reach].onRealRadio.merging(.atExternalClient)
        .merging([
            .distance: advertisingOnly, .rssi: advertisingOnly,
            .changeAddress: .only("to a random address", else: "HCI cannot change the public address of a controller") {
                action in
                if case .changeAddress(let address?) = action.operation { address.kind == .random } else { true }
            },
        ])

    private static let advertisingOnly = Reach.part(
        "for advertising only", missing: "connections keep their power on a controller")
}

extension World {
    /// Carries out an action on a device above a controller outside, or undoes it.
    mutating func playOnController(_ phase: ActionPhase, on node: Int) {
        switch phase.operation {
        case .linkLoss: resetController(of: node)
        case .distance, .rssi:
            playInSimulation(phase, on: node)
            updatePower(of: node)
        default: playInSimulation(phase, on: node)
        }
    }

    /// Loses the links of a device above an external controller, which is off the air until `link_loss` ends.
    private mutating func resetController(of node: Int) {
        guard nodes[node].restart == nil else { return }
        let isAway = nodes[node].conditions.has(.linkLoss)
        if isAway != nodes[node].host.isOff { command(isAway ? .stop : .start, of: node) }
    }

    /// Changes the power of an external controller by as much as the script changes the strength of the device's signal,
    /// and again each second during a move.
    mutating func updatePower(of node: Int) {
        guard case .onController(var host) = nodes[node].hosting else { return }
        var station = Medium.Station()
        changeStation(of: nodes[node].controller) { station = $0 }
        let own = Medium.Station(
            millimetres: Self.millimetres(scenario.devices[node].distance), power: station.power)
        let attenuation = own.strength(at: now) - station.strength(at: now)
        let isChanged = attenuation != host.attenuation
        let isMoving = station.strength == nil && station.trajectory.isMoving(at: now) && host.powerDue <= now
        host.attenuation = attenuation
        if isMoving { host.powerDue = now.advanced(by: ControllerHost.powerPeriod) }
        nodes[node].hosting = .onController(host)
        if isChanged {
            if !nodes[node].connections.isEmpty { outbox.added.append(.radioPower(node: node, nil)) }
            command(.attenuate(attenuation), of: node)
        }
        if isMoving { wakeStrength(of: node, at: host.powerDue) }
    }

    /// Takes a packet from the external controller of a device's host: at most `PacketPool.capacity` octets, as
    /// `H4Framer` returns them.
    package mutating func receive(
        _ kind: PacketKind, _ octets: ArraySlice<UInt8>, fromRadioOf node: Int, at now: Instant
    ) {
        run(until: now)
        guard nodes.indices.contains(node), case .onController = nodes[node].hosting else { return }
        let packet = pool.take(octets)
        noteArriving(kind, packet, at: nodes[node].controller)
        schedule(.toHost(node: node, kind, packet), due: now)
    }
}

extension ControllerHost {
    /// The report to the owner of an external controller about an output of the host above it; nil for none.
    static func report(_ output: Host.Output, of node: Int) -> World.Output? {
        switch output {
        case .failed(let failure): .radioFailed(node: node, failure)
        case .advertisingPower(let power): .radioPower(node: node, power)
        case .refused, .malformed, .keptThroughReset, .dropped: .radioWarning(node: node, output)
        default: nil
        }
    }
}
