import Bluetooth
import Characteristics
import GATT
import Octets
import Sensors
import Simulation

/// What stands behind a Heart Rate Service: a heart, and what of it has not been sent yet.
struct HeartRateSensor: ServiceSensor {
    /// In one of so many measurements energy expended is sent.  Heart Rate Service 1.0, section 3.1.1.3: typically ten.
    private static let energyPeriod = 10

    let definition: PeripheralDefinition.HeartRate
    private let pulse: Int
    private var schedule: Schedule
    private var contact: Gauge?
    private var energy: EnergyCurve?  // nil when it follows from the heart
    private var setEnergy: EnergyCurve?  // while a script has taken it over
    private var lastReset = Instant.start  // of the energy
    private var sent = 0
    private var measurement = HeartRateMeasurement(bpm: 0)
    private var setLocation: [UInt8]?  // while a script has taken it over

    /// Listens to one of the body's hearts.
    init(_ definition: PeripheralDefinition.HeartRate, pulse: Int) {
        (self.definition, self.pulse) = (definition, pulse)
        schedule = Schedule(every: definition.period)
        contact = definition.contact.map { Gauge($0) }
        if case .scripted(let signal) = definition.energy { energy = EnergyCurve(signal, from: .start) }
        measurement.format = definition.format
    }

    /// Heart Rate Service 1.0, table 3.1: the control point is there if and only if energy is.
    var attributes: (ServiceDefinition, [Part.Quantity]) {
        var characteristics = [CharacteristicDefinition(uuid: .heartRateMeasurement, properties: .notify)]
        var quantities = [Part.Quantity.heartRate]
        if definition.location != nil {
            characteristics.append(
                CharacteristicDefinition(
                    uuid: .bodySensorLocation, properties: .read))
            quantities.append(.location)
        }
        if hasEnergy {
            characteristics.append(CharacteristicDefinition(uuid: .heartRateControlPoint, properties: .write))
            quantities.append(.controlPoint)
        }
        return (ServiceDefinition(uuid: .heartRate, characteristics: characteristics), quantities)
    }

    private var hasEnergy: Bool { if case .none = definition.energy { false } else { true } }

    // MARK: Notifications

    /// What was measured before is not sent (section 3.4).
    mutating func begin(_: Part.Quantity, at now: Instant, of body: inout Body) {
        if definition.hasRRIntervals { body.pulses[pulse].listen(until: now) }
        body.pulses[pulse].intervals.removeAll()
        sent = 0
        schedule.goOn(after: now)
    }

    mutating func goOn(_: Part.Quantity, at now: Instant) { schedule.goOn(after: now) }

    func due(_: Part.Quantity, of body: Body) -> Instant { schedule.due }

    mutating func tell(
        _: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if occasion == .due { schedule.goOn(after: now) }
        if definition.hasRRIntervals { body.pulses[pulse].listen(until: now) }
        guard let rate = body.pulses[pulse].heart.unclampedRate(at: now) else { return false }
        body.say(rate, as: .heartRate, in: 0...Double(definition.highest))
        let bpm = min(Heart.reported(rate), definition.highest)
        measurement.bpm = bpm
        measurement.contact = contactNow(at: now)
        measurement.energyExpended =
            hasEnergy && sent % Self.energyPeriod == 0 ? kilojoules(at: now, of: &body) : nil
        // Beats that an electrocardiogram or the script has listened to are no business of a sensor without intervals.
        let most = definition.hasRRIntervals && bpm > 0 ? definition.mostRRIntervals ?? .max : 0
        let room = measurement.maximumRRIntervals(mtu: body.mtu)
        body.pulses[pulse].intervals.take(min(room, most), into: &measurement.rrIntervals)
        measurement.append(to: &packet, in: &pool)
        sent += 1
        return true
    }

    private mutating func contactNow(at now: Instant) -> SensorContact {
        guard contact != nil else { return .notSupported }
        return (contact?.value(at: now) ?? 0) >= 0.5 ? .detected : .notDetected
    }

    private mutating func kilojoules(at now: Instant, of body: inout Body) -> UInt16 {
        guard let kilojoules = setEnergy?.kilojoules(at: now) ?? energy?.kilojoules(at: now) else {
            return body.pulses[pulse].heart.kilojoules(at: now)
        }
        body.say(kilojoules, as: .energy)
        return UInt16(saturating: kilojoules)
    }

    func read(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        guard quantity == .location, let octets = setLocation ?? definition.location?.octets else {
            throw .unlikelyError
        }
        return octets
    }

    // MARK: Control point

    /// Takes a command: Heart Rate Service 1.0, section 3.3.1.
    mutating func write(
        _ value: [UInt8], to quantity: Part.Quantity, at now: Instant, of body: inout Body
    ) throws(ATTError) {
        guard quantity == .controlPoint else { throw .unlikelyError }
        do throws(Malformed) {
            switch try HeartRateControlPoint(octets: value) {
            case .resetEnergyExpended: resetEnergy(at: now, &body.pulses[pulse].heart)
            }
        } catch {
            switch error {
            case .tooShort, .tooLong: throw .invalidAttributeValueLength
            case .prohibited: throw ATTError(rawValue: HeartRateControlPoint.controlPointNotSupported)
            }
        }
    }

    /// Energy Expended counts from 0 again, wherever it comes from now or later; the next measurement says so.
    private mutating func resetEnergy(at now: Instant, _ heart: inout Heart) {
        lastReset = now
        heart.resetEnergy(at: now)
        energy?.reset(at: now)
        setEnergy?.reset(at: now)
        sent = 0
    }

    // MARK: The script

    mutating func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        if quantity == .location {
            guard definition.location != nil, value.isTextOrEnd else { return false }
            setLocation = value?.octets
            return true
        }
        guard let signal = value.signal else { return false }
        switch quantity {
        case .heartRate:
            body.pulses[pulse].listen(until: now.advanced(byNanoseconds: -1))
            body.pulses[pulse].heart.setRate(signal, at: now, begun: begun)
        case .contact where contact != nil:
            contact?.set(signal, at: now, begun: begun)
            contact?.forget(before: now)
        case .energy where hasEnergy:
            setEnergy = signal.map { EnergyCurve($0, from: begun ?? now, reset: lastReset) }
        default: return false
        }
        return true
    }

    func number(of quantity: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        switch quantity {
        case .heartRate:
            var heart = body.pulses[pulse].heart
            return heart.bpm(at: now).map { Double(min($0, definition.highest)) }
        case .contact:
            var copy = self
            return switch copy.contactNow(at: now) {
            case .detected: 1
            case .notDetected: 0
            case .notSupported: nil
            }
        default: return nil
        }
    }

    func octets(of quantity: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        guard quantity == .heartRate, let number = value.number else { return nil }
        return HeartRateMeasurement(bpm: UInt16(saturating: number)).octets
    }
}
