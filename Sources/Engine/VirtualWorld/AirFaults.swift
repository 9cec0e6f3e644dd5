import Basics
import Devices
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
            var period = Self.strengthPeriod
            if case .onController = nodes[node].hosting { period = ControllerHost.powerPeriod }
            let next = now.advanced(by: period)
            nodes[node].strength?.next = next
            wakeStrength(of: node, at: next)
        }
        updateStation(of: node)
    }

    /// Applies the present conditions of a device to its radio.
    mutating func updateStation(of node: Int) {
        let (conditions, strength) = (nodes[node].conditions, strengthNow(of: node))
        var loss: UInt32 = 0
        if case .loss(let rate)? = conditions.last(.loss) {
            loss = UInt32(min(Double(UInt32.max), (max(0, rate) * 0x1p32).rounded()))
        }
        var isUnknown = false
        if case .rssi(nil)? = conditions.last(.rssi) { isUnknown = true }
        changeStation(of: nodes[node].controller) { station in
            (station.isPresent, station.strength, station.loss) = (!conditions.has(.linkLoss), strength, loss)
            station.hidesStrength = isUnknown
        }
    }

    /// In dBm; nil: as the distance gives it.
    private mutating func strengthNow(of node: Int) -> Int8? {
        guard let begun = nodes[node].strength?.begun else { return nil }
        let time = begun.duration(to: now)
        return nodes[node].strength?.signal.value(at: time).map { Int8(saturating: $0.rounded()) }
    }

    /// Switches the power of all clients' controllers; `addGuest` does so for later ones.
    mutating func setPowerOfClients(isOn: Bool) {
        for (controller, user) in users.all.enumerated() {
            switch user {
            case .guest: setPower(of: controller, isOn: isOn)
            case .node(let node) where nodes[node].isClient: setPower(of: controller, isOn: isOn)
            case .node, .nobody: break
            }
        }
    }
}
