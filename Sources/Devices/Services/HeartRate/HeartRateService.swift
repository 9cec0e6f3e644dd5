import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The Heart Rate Service, 0x180D.  Heart Rate Service 1.0.
    package static let heartRate = ServiceDescription(
        "heart_rate", .heartRate,
        "one or two octets, contact, energy, RR intervals, sensor location",
        example: [
            "service": "heart_rate", "value": 62, "contact": true, "energy": true, "rr_intervals": true,
            "rr_per_notification": 2, "location": "chest", "format": "uint16", "period": "500 ms",
        ],
        fields: [
            HeartRateFields.rate, HeartRateFields.period, HeartRateFields.format,
            HeartRateFields.contact, HeartRateFields.energy,
            HeartRateFields.rrIntervals, HeartRateFields.rrPerNotification,
            HeartRateFields.location,
        ],
        characteristics: [
            CharacteristicDescription(
                .heartRateMeasurement, "Heart Rate Measurement", .notify, format: HeartRateMeasurement.self,
                value: ValueDescription(.number(HeartRateFields.range), key: "bpm", label: "heart rate"),
                members: [
                    ValueDescription(
                        .truth, named: "contact", key: "contact", label: "skin contact",
                        field: HeartRateFields.contact.key),
                    ValueDescription(
                        .number(HeartRateFields.range), named: "energy_kj", key: "energy_kj", unit: "kJ",
                        label: "energy", field: HeartRateFields.energy.key),
                    ValueDescription(
                        .numbers, named: "rr_ms", key: "rr_ms", unit: "ms", label: "RR intervals", example: "812 790",
                        isSettable: false,
                        tolerance: 1, field: HeartRateFields.rrIntervals.key),
                ],
                client: ClientUse(
                    "heart_rate", ["bpm": 62, "contact": true, "rr_ms": [967.773]], role: .heartRate,
                    isMeasurement: true)),
            CharacteristicDescription(
                .bodySensorLocation, "Body Sensor Location", .read, format: BodySensorLocation.self,
                value: ValueDescription(
                    .word(BodySensorLocation.names, first: 0), named: "location", label: "place on the body",
                    example: "chest",
                    field: HeartRateFields.location.key),
                client: ClientUse("location", "chest", importance: .extra, isMeasurement: false)),
            // Table 3.1: present if and only if Energy Expended is.
            CharacteristicDescription(
                .heartRateControlPoint, "Heart Rate Control Point", .write, format: ControlPointOctet.self,
                value: ValueDescription(
                    .number(0...255), named: "control_point", isSettable: false, field: HeartRateFields.energy.key),
                client: ClientUse("control_point", role: .energyReset, importance: .none, isMeasurement: false)),
        ],
        heart: { $0.signal(HeartRateFields.rate, "rate") },
        sensor: { HeartRateSensor($0) })
}

/// The keys of `heart_rate` in a scenario.
package enum HeartRateFields {
    static let range = 0.0...65535
    /// Beats per minute.
    package static let rate = Field.curve("value", range, standard: 60, "Heart rate in bpm.")
    package static let period = Field.period("Measurement interval.")
    /// The width of the rate: `auto` takes one octet up to 255 bpm and two above.
    package static let format = Field.word(
        "format", ["auto", "uint8", "uint16"], standard: "auto", "Format of the heart rate.")
    /// Nil: the sensor does not detect contact.
    package static let contact = Field<Curve?>.truth(
        "contact", "Skin contact; without it, the sensor cannot detect contact.")
    /// Nil: the sensor has neither Energy Expended nor a control point.
    package static let energy = Field<DerivedCurve?>.derivedOrCurve(
        "energy", range, "Energy Expended in kJ; true to compute it from the heart rate.")
    package static let rrIntervals = Field.flag("rr_intervals", "Whether RR-Intervals are sent.")
    /// The maximum per measurement; nil: all new ones.
    package static let rrPerNotification = Field.optionalWhole(
        "rr_per_notification", 0...255, "Maximum number in each measurement; all new ones by default.")
    /// Nil: the device does not have the characteristic.
    package static let location = Field.optionalWord("location", BodySensorLocation.names, "Body Sensor Location.")
}

extension HeartRateMeasurement: CharacteristicValue {
    /// `62 bpm, contact, RR 967.8 ms`.
    package var words: String {
        var words = ["\(bpm) bpm"]
        switch contact {
        case .notSupported: break
        case .notDetected: words.append("no contact")
        case .detected: words.append("contact")
        }
        if let energyExpended { words.append("\(energyExpended) kJ") }
        if !rrIntervals.isEmpty {
            let list = rrIntervals.map { ticks in
                let tenths = (Int(ticks) * 10_000 + 512) / 1024
                return "\(tenths / 10).\(tenths % 10)"
            }
            words.append("RR \(list.joined(separator: " ")) ms")
        }
        return words.joined(separator: ", ")
    }
}

extension BodySensorLocation: CharacteristicValue {
    /// `worn at: chest`.
    package var words: String { "worn at: \(name ?? "place \(number)")" }
}

/// A command of the Heart Rate Control Point, known or not.
struct ControlPointOctet: NumberValue {
    static let field = "Heart Rate Control Point"
    let number: UInt8
    init(_ number: UInt8) { self.number = number }
    var words: String { "control point \(number)" }
}

/// The Heart Rate Service of a device.
struct HeartRateSensor: PeriodicSensor {
    /// Every tenth measurement has Energy Expended.  Heart Rate Service 1.0, section 3.1.1.3.
    private static let energyPeriod = 10

    /// In the order of the description.
    private enum Value: Int {
        case rate
        case contact
        case energy
        case rrIntervals
        case location
        case controlPoint
    }

    private static let energyID = ValueID(index: Value.energy.rawValue, carrier: Value.rate.rawValue)

    private let pulse: Int
    private let highest: UInt16
    private let hasEnergy: Bool
    private let hasRRIntervals: Bool
    /// The maximum in one measurement; nil: as many as fit into the MTU.
    private let mostRRIntervals: Int?
    private var location: SettableText
    var schedule: Schedule
    private var contact: Gauge?
    private var energy: EnergyCurve?  // nil when it is computed from the heart
    private var setEnergy: EnergyCurve?  // by a script
    private var lastReset = Instant.start  // of the energy
    private var sent = 0
    private var measurement = HeartRateMeasurement(bpm: 0)

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
        location = SettableText(
            configuration[HeartRateFields.location].flatMap(BodySensorLocation.init(name:))?.octets)
    }

    // MARK: Notifications

    /// Earlier intervals are not sent (section 3.4).
    mutating func didSubscribe(to _: ValueID, at now: Instant, context: inout SensorContext) {
        if hasRRIntervals { context.pulses[pulse].listen(until: now) }
        context.pulses[pulse].intervals.removeAll()
        sent = 0
        schedule.reschedule(after: now)
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if trigger == .scheduled { schedule.reschedule(after: now) }
        if hasRRIntervals { context.pulses[pulse].listen(until: now) }
        guard let rate = context.pulses[pulse].heart.unclampedRate(at: now) else { return false }
        context.noteSaturation(of: rate, as: id, in: 0...Double(highest))
        let bpm = min(Heart.reported(rate), highest)
        measurement.bpm = bpm
        measurement.contact = contactNow(at: now)
        measurement.energyExpended =
            hasEnergy && sent % Self.energyPeriod == 0 ? kilojoules(at: now, context: &context) : nil
        // An ECG or a script may have consumed beats that this sensor must not send.
        let most = hasRRIntervals && bpm > 0 ? mostRRIntervals ?? .max : 0
        let room = measurement.maximumRRIntervals(mtu: context.mtu)
        context.pulses[pulse].intervals.take(min(room, most), into: &measurement.rrIntervals)
        measurement.append(to: &packet, in: &pool)
        sent += 1
        return true
    }

    private mutating func contactNow(at now: Instant) -> SensorContact {
        guard contact != nil else { return .notSupported }
        return (contact?.value(at: now) ?? 0) >= 0.5 ? .detected : .notDetected
    }

    private mutating func kilojoules(at now: Instant, context: inout SensorContext) -> UInt16 {
        guard let kilojoules = setEnergy?.kilojoules(at: now) ?? energy?.kilojoules(at: now) else {
            return context.pulses[pulse].heart.kilojoules(at: now)
        }
        context.noteSaturation(of: kilojoules, as: Self.energyID, in: HeartRateFields.range)
        return UInt16(saturating: kilojoules)
    }

    func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard Value(id) == .location, let octets = location.octets else { throw .unlikelyError }
        return octets
    }

    // MARK: Control point

    /// Handles a command. Heart Rate Service 1.0, section 3.3.1.
    mutating func write(
        _ octets: [UInt8], to id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) {
        guard Value(id) == .controlPoint else { throw .unlikelyError }
        do throws(Malformed) {
            switch try HeartRateControlPoint(octets: octets) {
            case .resetEnergyExpended: resetEnergy(at: now, &context.pulses[pulse].heart)
            }
        } catch {
            switch error {
            case .tooShort, .tooLong: throw .invalidAttributeValueLength
            case .prohibited: throw ATTError(rawValue: HeartRateControlPoint.controlPointNotSupported)
            }
        }
    }

    /// Energy Expended restarts from 0, and the next measurement includes it.
    private mutating func resetEnergy(at now: Instant, _ heart: inout Heart) {
        lastReset = now
        heart.resetEnergy(at: now)
        energy?.reset(at: now)
        setEnergy?.reset(at: now)
        sent = 0
    }

    // MARK: Scripts

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        if Value(id) == .location { return location.set(input) }
        guard let signal = input.signal else { return false }
        switch Value(id) {
        case .rate:
            context.pulses[pulse].listen(until: now.advanced(byNanoseconds: -1))
            context.pulses[pulse].heart.setRate(signal, at: now, begun: begun)
        case .contact where contact != nil:
            contact?.set(signal, at: now, begun: begun)
            contact?.forget(before: now)
        case .energy where hasEnergy:
            setEnergy = signal.map { EnergyCurve($0, from: begun ?? now, reset: lastReset) }
        default: return false
        }
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        switch Value(id) {
        case .rate:
            var heart = context.pulses[pulse].heart
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

    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]? {
        guard Value(id) == .rate, let number = input.number else { return nil }
        return HeartRateMeasurement(bpm: UInt16(saturating: number)).octets
    }
}

/// Energy Expended as a curve, counted from the last reset.
struct EnergyCurve: Sendable {
    private var signal: Signal
    private let begin: Instant
    private var takenOff: Double = 0

    /// A curve from an instant on, with a reset at another, if that is later.
    init(_ signal: Signal, from begin: Instant, reset: Instant = .start) {
        (self.signal, self.begin) = (signal, begin)
        if reset > begin { self.reset(at: reset) }
    }

    /// Restarts from 0.
    mutating func reset(at now: Instant) { takenOff = value(at: now) }

    /// Kilojoules since the last reset; a curve that has stopped counts as 0.
    mutating func kilojoules(at now: Instant) -> Double { value(at: now) - takenOff }

    private mutating func value(at now: Instant) -> Double {
        signal.value(atNanoseconds: now.nanoseconds - begin.nanoseconds) ?? 0
    }
}
