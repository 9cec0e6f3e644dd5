import Air
import Octets
import Peripheral
import Scenarios
import Sensors
import Simulation

/// How strong a device is heard by the script.
struct Strength: Sendable {
    var signal: Signal
    let begun: Instant
    /// When it is looked at again.
    var next: Instant
}

// What the script does to the air about a device, and to the client's controllers.
extension World {
    /// The greatest distance, in metres; nothing of it is heard.
    private static let mostMetres = 1_000_000.0
    /// How often a strength that follows a curve is looked at.
    private static let strengthPeriod = Duration.milliseconds(100)

    /// What a distance in metres is to the air.
    static func millimetres(_ metres: Double) -> Int { Int(max(0, min(mostMetres, metres)) * 1000) }

    /// Sets out for a distance, or is back at the device's own when that is nil.
    ///
    /// A way that comes back from below another one is one from the device's own distance.
    mutating func walk(_ node: Int, to metres: Double?, taking duration: Duration, begun: Instant?) {
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

    /// Is heard as strong as a value says, or as its distance has it when that is nil.
    mutating func strengthen(_ node: Int, _ value: Value?, begun: Instant?) {
        nodes[node].strength = nil
        if case .curve(let curve)? = value {
            var isSteady = false
            if case .constant = curve { isSteady = true }
            let signal = Signal(curve, seed: strengthSeed(of: node))
            nodes[node].strength = Strength(signal: signal, begun: begun ?? now, next: isSteady ? .never : now)
        }
        strengthPassed(of: node)
    }

    /// A strength that follows a curve is looked at again.
    mutating func strengthPassed(of node: Int) {
        if let next = nodes[node].strength?.next, next <= now {
            let next = now.advanced(by: Self.strengthPeriod)
            nodes[node].strength?.next = next
            wakeStrength(of: node, at: next)
        }
        updateStation(of: node)
    }

    /// Is there or away, and is heard, as the conditions of its device have it now.
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

    /// In dBm; nil: as its distance has it.
    private mutating func strengthNow(of node: Int) -> Int8? {
        guard let begun = nodes[node].strength?.begun else { return nil }
        let time = begun.duration(to: now)
        return nodes[node].strength?.signal.value(at: time).map { Int8(saturating: $0.rounded()) }
    }

    /// The client's controllers have power, or none; so have those that come meanwhile.
    mutating func setPowerOfClients(isOn: Bool) {
        for (controller, user) in users.enumerated() {
            switch user {
            case .guest: setPower(of: controller, isOn: isOn)
            case .node(let node) where isClient(node): setPower(of: controller, isOn: isOn)
            case .node, .nobody: break
            }
        }
    }
}
