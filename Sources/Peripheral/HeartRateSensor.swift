import Characteristics
import Octets
import Sensors
import Simulation

/// What stands behind a Heart Rate Service: a heart, and what of it has not been sent yet.
struct HeartRateSensor: Sendable {
    /// In one of so many measurements energy expended is sent.  Heart Rate Service 1.0, section 3.1.1.3: typically ten.
    private static let energyPeriod = 10

    let definition: PeripheralDefinition.HeartRate
    private var heart: Heart
    private var contact: Gauge?
    private var energy: EnergyCurve?  // nil when it follows from the heart
    private var setEnergy: EnergyCurve?  // while a script has taken it over
    private var lastReset = Instant.start  // of the energy
    private var intervals = RRIntervals()
    private var sent = 0
    private var measurement = HeartRateMeasurement(bpm: 0)

    init(_ definition: PeripheralDefinition.HeartRate, seed: UInt64) {
        self.definition = definition
        heart = Heart(rate: definition.rate, seed: seed)
        contact = definition.contact.map { Gauge($0) }
        if case .scripted(let signal) = definition.energy { energy = EnergyCurve(signal, from: .start) }
        measurement.format = definition.format
    }

    var hasEnergy: Bool { if case .none = definition.energy { false } else { true } }

    /// Somebody listens from now on: what was measured before is not sent (section 3.4).
    mutating func begin(at now: Instant) {
        if definition.hasRRIntervals { heart.beats(until: now) { _ in } }
        intervals.removeAll()
        sent = 0
    }

    /// Adds the measurement of now to a packet that has room for an MTU; false when the sensor has none, and nothing is added.
    mutating func measure(at now: Instant, mtu: Int, into packet: inout Packet, pool: inout PacketPool) -> Bool {
        if definition.hasRRIntervals { takeBeats(until: now) }
        guard let bpm = heart.bpm(at: now) else { return false }
        measurement.bpm = bpm
        measurement.contact = contactNow(at: now)
        measurement.energyExpended = hasEnergy && sent % Self.energyPeriod == 0 ? kilojoules(at: now) : nil
        let most = min(measurement.maximumRRIntervals(mtu: mtu), definition.mostRRIntervals ?? .max)
        intervals.take(bpm == 0 ? 0 : most, into: &measurement.rrIntervals)
        measurement.append(to: &packet, in: &pool)
        sent += 1
        return true
    }

    private mutating func takeBeats(until instant: Instant) {
        var waiting = intervals
        intervals = RRIntervals(capacity: 0)
        heart.beats(until: instant) { waiting.add($0) }
        intervals = waiting
    }

    private mutating func contactNow(at now: Instant) -> SensorContact {
        guard contact != nil else { return .notSupported }
        return (contact?.value(at: now) ?? 0) >= 0.5 ? .detected : .notDetected
    }

    /// Beats per minute, as the next measurement would say; nil when the curve has stopped.
    func bpm(at now: Instant) -> UInt16? {
        var heart = heart
        return heart.bpm(at: now)
    }

    /// Whether the skin is touched; nil when the sensor cannot know.
    func isTouching(at now: Instant) -> Bool? {
        var copy = self
        return switch copy.contactNow(at: now) {
        case .detected: true
        case .notDetected: false
        case .notSupported: nil
        }
    }

    private mutating func kilojoules(at now: Instant) -> UInt16 {
        setEnergy?.kilojoules(at: now) ?? energy?.kilojoules(at: now) ?? heart.kilojoules(at: now)
    }

    /// Energy Expended counts from 0 again, wherever it comes from now or later; the next measurement says so.
    mutating func resetEnergy(at now: Instant) {
        lastReset = now
        heart.resetEnergy(at: now)
        energy?.reset(at: now)
        setEnergy?.reset(at: now)
        sent = 0
    }

    /// Takes a quantity over from its curve, or gives it back when `signal` is nil; false when it has none to take over.
    mutating func set(_ quantity: Part.Quantity, to signal: Signal?, at now: Instant, begun: Instant?) -> Bool {
        switch quantity {
        case .heartRate:
            takeBeats(until: now.advanced(byNanoseconds: -1))
            heart.setRate(signal, at: now, begun: begun)
        case .contact where contact != nil:
            contact?.set(signal, at: now, begun: begun)
            contact?.forget(before: now)
        case .energy where hasEnergy:
            setEnergy = signal.map { EnergyCurve($0, from: begun ?? now, reset: lastReset) }
        default: return false
        }
        return true
    }
}
