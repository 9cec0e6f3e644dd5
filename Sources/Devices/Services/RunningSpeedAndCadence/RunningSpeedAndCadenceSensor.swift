import Basics
import Bluetooth
import Characteristics
import Devices

/// The Running Speed and Cadence Service of a device.  Running Speed and Cadence Service 1.0, section 3.
struct RunningSpeedAndCadenceSensor: ServiceSensor {
    /// In the order of the description.
    private enum Value: Int {
        case speed
        case cadence
        case strideLength
        case totalDistance
        case running
        case feature
        case location
        case controlPoint

        var id: ValueID { ValueID(index: rawValue, carrier: rawValue < Self.feature.rawValue ? 0 : rawValue) }
    }

    /// The procedure of the control point.
    private enum Procedure {
        case none
        /// The response is not sent yet.
        case done(SCControlPoint)
        case awaitingConfirmation
    }

    /// The time over which steps become a cadence.
    private static let stepWindow = Duration.seconds(4)
    /// Steps per minute, of a device that counts no steps and whose scenario has no cadence.
    private static let standardCadence = 160.0

    private let feature: RSCFeature
    private var location: SettableText
    private let steps: Int?
    private let followsSteps: Bool  // the cadence
    private var schedule: Schedule
    private var speed: Gauge
    private var cadence: Gauge?  // nil while it follows the steps
    private var strideLength: Gauge?
    private var running: Gauge?
    private var distance: Signal?  // nil when it is counted
    private var counted = 0.0  // metres
    private var countedSteps = 0.0
    private var countedUntil = Instant.start
    private var shift = 0.0  // in metres, since a client set the total distance
    private var procedure = Procedure.none
    private var isConfigured = false  // the control point, by a client

    init(_ source: SensorSource) {
        let configuration = source.configuration
        var feature: RSCFeature = []
        if configuration.has(RunningFields.strideLength.key) { feature.insert(.strideLength) }
        if configuration.has(RunningFields.totalDistance.key) { feature.insert(.totalDistance) }
        if configuration.has(RunningFields.running.key) { feature.insert(.walkingOrRunning) }
        self.feature = feature
        location = SettableText(configuration[RunningFields.location].flatMap(SensorLocation.init(name:))?.octets)
        steps = source.steps
        schedule = Schedule(every: configuration[RunningFields.period])
        speed = Gauge(source.signal(RunningFields.speed, "speed"))
        followsSteps = steps != nil && configuration[RunningFields.cadence] == nil
        cadence =
            followsSteps
            ? nil : Gauge(source.signal(RunningFields.cadence, "cadence") ?? Signal(Self.standardCadence))
        strideLength = source.signal(RunningFields.strideLength, "stride_length").map { Gauge($0) }
        running = source.signal(RunningFields.running, "running").map { Gauge($0) }
        if case .curve(let curve) = configuration[RunningFields.totalDistance] {
            distance = source.signal(curve, "total_distance")
        }
    }

    // MARK: Quantities

    /// Steps per minute; nil when a curve has stopped.
    private mutating func cadence(at now: Instant, context: inout SensorContext) -> Double? {
        guard cadence == nil, let steps else { return cadence?.value(at: now) }
        let time = context.clock.sensorTime(at: now)
        let window = min(Self.stepWindow, time.sinceStart)
        guard window > .zero, let last = context.steps[steps].unclampedTotal(at: time),
            let first = context.steps[steps].unclampedTotal(at: time.advanced(by: .zero - window))
        else { return 0 }
        return max(0, last - first) * 60e9 / Double(window.inNanoseconds)
    }

    /// Counts the distance up to now: a stride for each step, or else the speed of each second.
    private mutating func count(until now: Instant, context: inout SensorContext) {
        guard feature.contains(.totalDistance), distance == nil else { return }
        if let steps {
            let total = context.steps[steps].unclampedTotal(at: context.clock.sensorTime(at: now)) ?? countedSteps
            counted += max(0, total - countedSteps) * (strideLength?.value(at: now) ?? 1)
            countedSteps = total
        } else {
            while case let next = countedUntil.advanced(by: .seconds(1)), next <= now {
                counted += max(0, speed.value(at: countedUntil) ?? 0)
                countedUntil = next
            }
        }
    }

    /// In metres, since the start or since a client set it.
    private mutating func totalDistance(at now: Instant, context: inout SensorContext) -> Double {
        count(until: now, context: &context)
        return (distance?.value(atNanoseconds: now.nanoseconds) ?? counted) + shift
    }

    /// Nil where the curve of the speed has stopped.
    private mutating func measure(at now: Instant, context: inout SensorContext) -> RSCMeasurement? {
        guard let speed = speed.value(at: now) else { return nil }
        context.noteSaturation(of: speed, as: Value.speed.id, in: RunningFields.speeds)
        let cadence = cadence(at: now, context: &context) ?? 0
        context.noteSaturation(of: cadence, as: Value.cadence.id, in: RunningFields.cadences)
        let strideLength = strideLength?.value(at: now)
        if let strideLength {
            context.noteSaturation(of: strideLength, as: Value.strideLength.id, in: RunningFields.strideLengths)
        }
        var metres: Double?
        if feature.contains(.totalDistance) {
            let total = totalDistance(at: now, context: &context)
            context.noteSaturation(of: total, as: Value.totalDistance.id, in: RunningFields.distances)
            metres = total
        }
        return RSCMeasurement(
            metresPerSecond: speed, stepsPerMinute: cadence, strideMetres: strideLength, metres: metres,
            isRunning: (running?.value(at: now) ?? 0) >= 0.5)
    }

    // MARK: Notifications

    mutating func didSubscribe(to id: ValueID, at now: Instant, context: inout SensorContext) {
        if Value(id) == .controlPoint { isConfigured = true } else { schedule.reschedule(after: now) }
    }

    mutating func didUnsubscribe(from id: ValueID, at now: Instant) {
        if Value(id) == .controlPoint { (isConfigured, procedure) = (false, .none) }
    }

    mutating func indicationWasConfirmed(of id: ValueID, at now: Instant) { endProcedure(id) }

    mutating func indicationWasDropped(of id: ValueID, at now: Instant) { endProcedure(id) }

    mutating func notificationWasSuppressed(of id: ValueID) { endProcedure(id) }

    private mutating func endProcedure(_ id: ValueID) {
        if Value(id) == .controlPoint { procedure = .none }
    }

    mutating func reschedule(_ id: ValueID, after now: Instant) {
        if Value(id) == .speed { schedule.reschedule(after: now) }
    }

    func nextNotification(of id: ValueID, context: SensorContext) -> Instant {
        guard Value(id) == .controlPoint else { return schedule.due }
        if case .done = procedure { return .start }
        return .never
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if Value(id) == .controlPoint {
            guard case .done(let response) = procedure else { return false }
            procedure = .awaitingConfirmation
            pool.append(response.octets[...], to: &packet)
            return true
        }
        if trigger == .scheduled { schedule.reschedule(after: now) }
        guard let measurement = measure(at: now, context: &context) else { return false }
        measurement.append(to: &packet, in: &pool)
        return true
    }

    // MARK: Reads and the control point

    func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8] {
        switch Value(id) {
        case .feature: return feature.octets
        case .location: return location.octets ?? []
        default: throw .unlikelyError
        }
    }

    /// Starts a procedure, whose response is indicated.  Section 3.4.
    mutating func write(
        _ octets: [UInt8], to id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) {
        guard Value(id) == .controlPoint else { throw .unlikelyError }
        guard let request = try? SCControlPoint(octets: octets[...]) else { throw .invalidAttributeValueLength }
        guard isConfigured else { throw ATTError(rawValue: SCControlPoint.configurationImproper) }
        guard case .none = procedure else { throw ATTError(rawValue: SCControlPoint.procedureAlreadyInProgress) }
        let result: SCControlPoint.Result
        if let value = request.cumulativeValue {
            shift += Double(value) / 10 - totalDistance(at: now, context: &context)
            result = .success
        } else {
            result = request.opCode == SCControlPoint.setCumulativeValueOpCode ? .invalidParameter : .opCodeNotSupported
        }
        procedure = .done(.response(to: request.opCode, result))
    }

    // MARK: The script

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        if Value(id) == .location { return location.set(input) }
        guard let signal = input.signal else { return false }
        count(until: now, context: &context)
        switch Value(id) {
        case .speed: speed.set(signal, at: now, begun: begun)
        case .cadence where followsSteps: cadence = signal.map { Gauge($0, begun: begun ?? now) }
        case .cadence: cadence?.set(signal, at: now, begun: begun)
        case .strideLength where strideLength != nil: strideLength?.set(signal, at: now, begun: begun)
        case .running where running != nil: running?.set(signal, at: now, begun: begun)
        default: return false
        }
        let known = now.advanced(by: .seconds(-1))  // the distance is counted up to then
        speed.forget(before: known)
        cadence?.forget(before: known)
        strideLength?.forget(before: known)
        running?.forget(before: known)
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        var (copy, context) = (self, context)
        return switch Value(id) {
        case .speed: copy.speed.value(at: now)
        case .cadence: copy.cadence(at: now, context: &context)
        case .strideLength: copy.strideLength?.value(at: now)
        case .totalDistance: copy.totalDistance(at: now, context: &context)
        case .running: copy.running?.value(at: now).map { $0 >= 0.5 ? 1 : 0 }
        default: nil
        }
    }

    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]? {
        guard Value(id) == .speed, let number = input.number else { return nil }
        return RSCMeasurement(metresPerSecond: number).octets
    }
}
