import Basics
import Bluetooth
import Characteristics
import Devices
import GATT

/// The Health Thermometer Service of a device: it indicates a temperature once per interval, and notifies the present
/// one once per second in between. Health Thermometer Service 1.0, section 3.
struct HealthThermometerSensor: ServiceSensor {
    /// In the order of the description.
    private enum Value: Int {
        case temperature
        case intermediate
        case type
        case interval
    }

    /// The maximum number of stored measurements; further ones replace the oldest.
    private static let mostStored = 100
    /// The longest interval in seconds that a client may write, unless the scenario starts with a longer one.
    private static let longestInterval: UInt16 = 3600
    /// The range of numbers in a measurement.
    private static let range = -8_388_605e127...8_388_605e127

    private let configuration: ServiceConfiguration
    private let unit: TemperatureMeasurement.Unit
    private let isStoring: Bool
    private var gauge: Gauge
    private var measuring: Schedule
    private var between = Schedule(every: .seconds(1))
    private var waiting: [[UInt8]] = []  // measurements, the oldest first
    private var unconfirmed: [UInt8]?  // an indication
    private var measuredUntil = Instant.start
    private var isSubscribed = false  // to measurements
    private var intervalHasChanged = false
    private var isHeldBack = false  // until the next measurement
    private var wasOnDemand = false  // the last measurement
    private var type: SettableText

    init(_ source: SensorSource) {
        configuration = source.configuration
        unit = TemperatureMeasurement.Unit(rawValue: configuration[HealthThermometerFields.unit]) ?? .celsius
        isStoring = configuration[HealthThermometerFields.isStoring]
        gauge = Gauge(source.signal(HealthThermometerFields.temperature, "temperature"))
        measuring = Schedule(every: configuration[HealthThermometerFields.period])
        let site = configuration[HealthThermometerFields.site].flatMap(HealthThermometerFields.sites.firstIndex)
        type = SettableText(site.map { [UInt8(truncatingIfNeeded: $0 + 1)] })
    }

    static func validRange(_ configuration: ServiceConfiguration) -> MeasurementIntervalRange {
        let first = interval(configuration[HealthThermometerFields.period]).seconds
        return MeasurementIntervalRange(seconds: 1...max(longestInterval, first))
    }

    private func id(_ value: Value) -> ValueID { ValueID(index: value.rawValue, carrier: value.rawValue) }

    // MARK: Measuring

    /// The measurement at an instant; nil where the curve has stopped.
    private mutating func measure(at instant: Instant, context: inout SensorContext) -> [UInt8]? {
        let time = context.clock.sensorTime(at: instant)
        guard let celsius = gauge.value(at: time) else { return nil }
        context.noteSaturation(of: celsius, as: id(.temperature), in: Self.range)
        let stamp = DateTime(secondsSince1970: context.clock.seconds(at: time))
        return TemperatureMeasurement(celsius: celsius, in: unit, timeStamp: stamp).octets
    }

    /// Takes the measurements that were due until now and not sent.
    private mutating func catchUp(until now: Instant, context: inout SensorContext) {
        let span = measuring.period * Self.mostStored
        var time = measuring.next(after: max(measuredUntil, now.advanced(by: .zero - span)))
        while time <= now {
            if let octets = measure(at: time, context: &context) { waiting.append(octets) }
            time = measuring.next(after: time)
        }
        measuredUntil = now
        waiting.removeFirst(max(0, waiting.count - Self.mostStored))
    }

    /// The same, if the device stores unsent measurements.
    private mutating func store(until now: Instant, context: inout SensorContext) {
        if isStoring { catchUp(until: now, context: &context) } else { measuredUntil = now }
    }

    /// Takes the measurements that are due before a setting changes.
    private mutating func settle(until now: Instant, context: inout SensorContext) {
        if isSubscribed { catchUp(until: now, context: &context) } else { store(until: now, context: &context) }
    }

    mutating func wallClockWillSkip(at now: Instant, context: inout SensorContext) {
        settle(until: now, context: &context)
    }

    // MARK: Subscriptions

    mutating func didSubscribe(to id: ValueID, at now: Instant, context: inout SensorContext) {
        switch Value(id) {
        case .temperature:
            store(until: now, context: &context)
            (isSubscribed, isHeldBack) = (true, false)
            measuring.reschedule(after: now)
        case .intermediate: between.reschedule(after: now)
        default: intervalHasChanged = false
        }
    }

    mutating func didResumeNotifying(_ id: ValueID, at now: Instant, context: inout SensorContext) {
        if Value(id) == .temperature, !isStoring { waiting = [] }
        didSubscribe(to: id, at: now, context: &context)
    }

    /// The unconfirmed measurement is stored too.
    mutating func didUnsubscribe(from id: ValueID, at now: Instant) {
        guard Value(id) == .temperature else { return }
        isSubscribed = false
        takeBack()
        if !isStoring { waiting = [] }
    }

    mutating func indicationWasConfirmed(of id: ValueID, at now: Instant) {
        if Value(id) == .temperature { unconfirmed = nil }
    }

    /// The measurement is lost.
    mutating func notificationWasSuppressed(of id: ValueID) {
        if Value(id) == .temperature, !wasOnDemand { unconfirmed = nil }
    }

    mutating func reschedule(_ id: ValueID, after now: Instant) {
        switch Value(id) {
        case .temperature:
            (measuredUntil, isHeldBack) = (now, false)
            if !isStoring { waiting = [] }
            measuring.reschedule(after: now)
        case .intermediate: between.reschedule(after: now)
        default: break
        }
    }

    /// Retries it with the next measurement.
    mutating func indicationWasDropped(of id: ValueID, at now: Instant) {
        guard Value(id) == .temperature, !wasOnDemand else { return }
        takeBack()
        isHeldBack = true
    }

    private mutating func takeBack() {
        if let unconfirmed { waiting.insert(unconfirmed, at: 0) }
        unconfirmed = nil
    }

    /// A measurement waits until the one before is confirmed.
    func nextNotification(of id: ValueID, context: SensorContext) -> Instant {
        switch Value(id) {
        case .temperature: unconfirmed != nil ? .never : waiting.isEmpty || isHeldBack ? measuring.due : .start
        case .intermediate: between.due
        default: intervalHasChanged ? .start : .never
        }
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        var octets: [UInt8]?
        switch Value(id) {
        case .temperature: octets = nextMeasurement(trigger, at: now, context: &context)
        case .intermediate:
            between.reschedule(after: now)
            octets = measure(at: now, context: &context)
        default:
            intervalHasChanged = false
            octets = interval.octets
        }
        guard let octets else { return false }
        pool.append(octets[...], to: &packet)
        return true
    }

    private mutating func nextMeasurement(
        _ trigger: NotificationTrigger, at now: Instant, context: inout SensorContext
    ) -> [UInt8]? {
        wasOnDemand = trigger == .onDemand
        if wasOnDemand { return measure(at: now, context: &context) }
        catchUp(until: now, context: &context)
        measuring.reschedule(after: now)
        isHeldBack = false
        guard !waiting.isEmpty else { return nil }
        unconfirmed = waiting.removeFirst()
        return unconfirmed
    }

    // MARK: The interval

    private var interval: MeasurementInterval { Self.interval(measuring.period) }

    /// In whole seconds, rounded up.
    private static func interval(_ period: Duration) -> MeasurementInterval {
        let (seconds, rest) = max(0, period.inNanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        return MeasurementInterval(seconds: UInt16(clamping: seconds + (rest > 0 ? 1 : 0)))
    }

    func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8] {
        switch Value(id) {
        case .interval: return interval.octets
        case .type: return type.octets ?? []
        default: throw .unlikelyError
        }
    }

    func fixedLength(of id: ValueID) -> Int? { Value(id) == .interval ? interval.octets.count : nil }

    mutating func write(
        _ octets: [UInt8], to id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) {
        guard Value(id) == .interval else { throw .unlikelyError }
        guard let interval = try? MeasurementInterval(octets: octets) else { throw .invalidAttributeValueLength }
        guard Self.validRange(configuration).allows(interval) else {
            throw ATTError(rawValue: MeasurementInterval.outOfRange)
        }
        measure(every: .seconds(Int64(interval.seconds)), from: now, context: &context)
    }

    private mutating func measure(every period: Duration, from now: Instant, context: inout SensorContext) {
        settle(until: now, context: &context)
        measuring = Schedule(every: period)
        if isSubscribed { measuring.reschedule(after: now) }
        intervalHasChanged = true
    }

    // MARK: The script

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        if Value(id) == .type { return type.set(input) }
        guard let signal = input.signal else { return false }
        switch Value(id) {
        case .temperature:
            settle(until: now, context: &context)
            gauge.set(signal, at: now, begun: begun, by: context.clock)
        case .interval:
            let seconds = input?.number.map { Duration.seconds(max(1, min(65535, $0))) }
            measure(every: seconds ?? configuration[HealthThermometerFields.period], from: now, context: &context)
        default: return false
        }
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        var gauge = gauge
        return switch Value(id) {
        case .temperature, .intermediate: gauge.value(at: context.clock.sensorTime(at: now))
        case .interval: Double(interval.seconds)
        default: nil
        }
    }

    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]? {
        guard let number = input.number else { return nil }
        return Value(id) == .interval
            ? MeasurementInterval(seconds: UInt16(saturating: number)).octets
            : TemperatureMeasurement(celsius: number, in: unit).octets
    }
}
