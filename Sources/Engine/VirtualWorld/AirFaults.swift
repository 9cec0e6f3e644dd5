import Basics
import Devices
import LEHost
import ScenarioModel
import VirtualRadio

/// A signal strength that the script sets.
struct Strength: Sendable {
    var signal: Signal
    let begun: Instant
    /// The next update; `.never` if it is constant.
    var next: Instant
}

// Script actions on the air around a device, and on the clients' controllers.
extension World {
    /// The greatest distance, in metres.
    private static let maximumMetres = 1_000_000.0
    /// The update period of a strength that follows a curve.
    private static let strengthPeriod = Duration.milliseconds(100)
    /// The update period of an external controller's power: advertising pauses for each update.
    private static let powerPeriod = Duration.seconds(1)

    /// Converts a distance in metres, limited to the range that the air supports.
    static func millimetres(_ metres: Double) -> Int { Int(max(0, min(maximumMetres, metres)) * 1000) }

    /// Moves a device evenly to a distance, or puts it back if that is nil.  A move that resumes has `begun` earlier, at the
    /// device's own distance.
    mutating func move(_ node: Int, to metres: Double?, over duration: Duration, begun: Instant?) {
        let (own, now) = (Self.millimetres(scenario.devices[node].distance), now)
        changeStation(of: nodes[node].controller) { station in
            guard let metres else {
                station.trajectory = Trajectory(at: own)
                return
            }
            let start = begun == nil ? station.trajectory.millimetres(at: now) : own
            station.trajectory = Trajectory(
                from: start, to: Self.millimetres(metres), leaving: begun ?? now, taking: duration)
        }
        if hostBackend == .radios { updatePower(of: node) }
    }

    /// Sets the signal strength of a device; nil: as its distance gives it.
    mutating func setStrength(of node: Int, _ value: Value?, begun: Instant?) {
        nodes[node].strength = nil
        if case .curve(let curve)? = value {
            var isSteady = false
            if case .constant = curve { isSteady = true }
            let signal = Signal(curve, seed: strengthSeed(of: node))
            nodes[node].strength = Strength(signal: signal, begun: begun ?? now, next: isSteady ? .never : now)
        }
        updateStrength(of: node)
    }

    /// Updates a strength that follows a curve, and schedules the next update.
    mutating func updateStrength(of node: Int) {
        if let next = nodes[node].strength?.next, next <= now {
            let next = now.advanced(by: hostBackend == .radios ? Self.powerPeriod : Self.strengthPeriod)
            nodes[node].strength?.next = next
            wakeStrength(of: node, at: next)
        }
        updateStation(of: node)
        if hostBackend == .radios { updatePower(of: node) }
    }

    /// Changes the power of an external controller by as much as the script changes the strength of the device's signal,
    /// and again each second during a move.
    private mutating func updatePower(of node: Int) {
        var station = Medium.Station()
        changeStation(of: nodes[node].controller) { station = $0 }
        let own = Medium.Station(
            millimetres: Self.millimetres(scenario.devices[node].distance), power: station.power)
        let attenuation = own.strength(at: now) - station.strength(at: now)
        if attenuation != nodes[node].attenuation {
            nodes[node].attenuation = attenuation
            if !nodes[node].connections.isEmpty { outbox.added.append(.radioPower(node: node, nil)) }
            command(.attenuate(attenuation), of: node)
        }
        guard station.strength == nil, station.trajectory.isMoving(at: now), nodes[node].powerDue <= now else { return }
        nodes[node].powerDue = now.advanced(by: Self.powerPeriod)
        wakeStrength(of: node, at: nodes[node].powerDue)
    }

    /// Applies the present conditions of a device to its radio.
    mutating func updateStation(of node: Int) {
        let (conditions, strength) = (nodes[node].conditions, strengthNow(of: node))
        var loss: UInt32 = 0
        if case .loss(let rate)? = conditions.last(.loss) {
            loss = UInt32(min(Double(UInt32.max), (max(0, rate) * 0x1p32).rounded()))
        }
        changeStation(of: nodes[node].controller) { station in
            (station.isPresent, station.strength, station.loss) = (!conditions.has(.linkLoss), strength, loss)
        }
    }

    /// Loses the links of a device above an external controller, which is off the air until `link_loss` ends.
    mutating func resetController(of node: Int) {
        let isAway = nodes[node].conditions.has(.linkLoss)
        if isAway != nodes[node].host.isOff { command(isAway ? .stop : .start, of: node) }
    }

    /// In dBm; nil: as the distance gives it.
    private mutating func strengthNow(of node: Int) -> Int8? {
        guard let begun = nodes[node].strength?.begun else { return nil }
        let time = begun.duration(to: now)
        return nodes[node].strength?.signal.value(at: time).map { Int8(saturating: $0.rounded()) }
    }

    /// Switches the power of all clients' controllers; `addGuest` does so for later ones.
    mutating func setPowerOfClients(isOn: Bool) {
        for (controller, user) in users.enumerated() {
            switch user {
            case .guest: setPower(of: controller, isOn: isOn)
            case .node(let node) where nodes[node].isClient: setPower(of: controller, isOn: isOn)
            case .node, .nobody: break
            }
        }
    }
}
