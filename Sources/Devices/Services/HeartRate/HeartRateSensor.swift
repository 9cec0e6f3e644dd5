import Bluetooth
import Characteristics
import Octets
import Sensors
import Simulation

/// What stands behind a Heart Rate Service: a heart, and what of it has not been sent yet.
struct HeartRateSensor: ServiceSensor {
    /// In one of so many measurements energy expended is sent.  Heart Rate Service 1.0, section 3.1.1.3: typically ten.
    private static let energyPeriod = 10

    /// In the order of the description.
    private enum Place: Int {
        case rate
        case contact
        case energy
        case rrIntervals
        case location
        case controlPoint
    }

    private static let energyID = ValueID(Place.energy.rawValue, in: Place.rate.rawValue)

    private let pulse: Int
    /// The highest that is said: what is more is said as this.
    private let highest: UInt16
    private let hasEnergy: Bool
    private let hasRRIntervals: Bool
    /// No more of them in one measurement; nil: as many as the MTU has room for.
    private let mostRRIntervals: Int?
    private let location: BodySensorLocation?
    private var schedule: Schedule
    private var contact: Gauge?
    private var energy: EnergyCurve?  // nil when it follows from the heart
    private var setEnergy: EnergyCurve?  // while a script has taken it over
    private var lastReset = Instant.start  // of the energy
    private var sent = 0
    private var measurement = HeartRateMeasurement(bpm: 0)
    private var setLocation: [UInt8]?  // while a script has taken it over

    init(_ source: SensorSource) {
        let configuration = source.configuration
        pulse = source.heart
        let format = configuration[HeartRateFields.format]
        highest = format == "uint8" ? 255 : .max
        measurement.format = format == "uint16" ? .uint16 : .automatic
        schedule = Schedule(every: configuration[HeartRateFields.period])
        contact = source.signal(HeartRateFields.contact, "contact").map { Gauge($0) }
        hasEnergy = configuration[HeartRateFields.energy] != nil
        if case .curve(let curve) = configuration[HeartRateFields.energy] {
            energy = EnergyCurve(source.signal(curve, "energy"), from: .start)
        }
        hasRRIntervals = configuration[HeartRateFields.rrIntervals]
        mostRRIntervals = configuration[HeartRateFields.rrPerNotification]
        location = configuration[HeartRateFields.location].flatMap(BodySensorLocation.init(name:))
    }

    // MARK: Notifications

    /// What was measured before is not sent (section 3.4).
    mutating func begin(_: SensorQuantity, at now: Instant, of body: inout SensorContext) {
        if hasRRIntervals { body.pulses[pulse].listen(until: now) }
        body.pulses[pulse].intervals.removeAll()
        sent = 0
        schedule.goOn(after: now)
    }

    mutating func goOn(_: SensorQuantity, at now: Instant) { schedule.goOn(after: now) }

    func due(_: SensorQuantity, of body: SensorContext) -> Instant { schedule.due }

    mutating func notify(
        _ quantity: SensorQuantity, _ occasion: Occasion, at now: Instant, of body: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if occasion == .due { schedule.goOn(after: now) }
        if hasRRIntervals { body.pulses[pulse].listen(until: now) }
        guard let rate = body.pulses[pulse].heart.wanted(at: now) else { return false }
        body.note(rate, as: quantity, in: 0...Double(highest))
        let bpm = min(Heart.shown(rate), highest)
        measurement.bpm = bpm
        measurement.contact = contactNow(at: now)
        measurement.energyExpended =
            hasEnergy && sent % Self.energyPeriod == 0 ? kilojoules(at: now, of: &body) : nil
        // Beats that an electrocardiogram or the script has listened to are no business of a sensor without intervals.
        let most = hasRRIntervals && bpm > 0 ? mostRRIntervals ?? .max : 0
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

    private mutating func kilojoules(at now: Instant, of body: inout SensorContext) -> UInt16 {
        guard let kilojoules = setEnergy?.kilojoules(at: now) ?? energy?.kilojoules(at: now) else {
            return body.pulses[pulse].heart.kilojoules(at: now)
        }
        body.note(kilojoules, as: .described(Self.energyID), in: HeartRateFields.numbers)
        return UInt16(saturating: kilojoules)
    }

    func read(_ quantity: SensorQuantity, at now: Instant, of body: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard quantity.place == Place.location.rawValue, let octets = setLocation ?? location?.octets else {
            throw .unlikelyError
        }
        return octets
    }

    // MARK: Control point

    /// Takes a command: Heart Rate Service 1.0, section 3.3.1.
    mutating func write(
        _ value: [UInt8], to quantity: SensorQuantity, at now: Instant, of body: inout SensorContext
    ) throws(ATTError) {
        guard quantity.place == Place.controlPoint.rawValue else { throw .unlikelyError }
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
        _ quantity: SensorQuantity, to value: SensorInput?, at now: Instant, begun: Instant?, of body: inout SensorContext
    ) -> Bool {
        let place = quantity.place.flatMap(Place.init)
        if place == .location {
            guard location != nil, value.isTextOrEnd else { return false }
            setLocation = value?.octets
            return true
        }
        guard let signal = value.signal else { return false }
        switch place {
        case .rate:
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

    func number(of quantity: SensorQuantity, at now: Instant, of body: SensorContext) -> Double? {
        switch quantity.place.flatMap(Place.init) {
        case .rate:
            var heart = body.pulses[pulse].heart
            return heart.bpm(at: now).map { Double(min($0, highest)) }
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

    func octets(of quantity: SensorQuantity, saying value: SensorInput) -> [UInt8]? {
        guard quantity.place == Place.rate.rawValue, let number = value.number else { return nil }
        return HeartRateMeasurement(bpm: UInt16(saturating: number)).octets
    }
}
