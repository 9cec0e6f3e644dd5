import Bluetooth
import Characteristics
import Octets
import Sensors
import ServiceFramework
import Simulation

/// The Pulse Oximeter Service of a device: it notifies continuous measurements and indicates spot-checks.  Pulse Oximeter
/// Service 1.0.1, section 3.
///
/// Its curves follow the wall clock.
struct PulseOximeterSensor: ServiceSensor {
    /// In the order of the description.
    private enum Value: Int {
        case spo2
        case pulseRate
        case amplitude
        case contact
        case spotCheck
        case features
    }

    private var spo2: Gauge
    private var pulseRate: Gauge
    private var amplitude: Gauge?
    private var contact: Gauge?
    private let hasSpotChecks: Bool
    private var continuous: Schedule
    private var spotChecks: Schedule
    private var isUnconfirmed = false  // the last spot-check

    init(_ source: SensorSource) {
        let configuration = source.configuration
        spo2 = Gauge(source.signal(PulseOximeterFields.spo2, "spo2"))
        pulseRate = Gauge(source.signal(PulseOximeterFields.pulseRate, "pulse_rate"))
        amplitude = source.signal(PulseOximeterFields.amplitude, "amplitude").map { Gauge($0) }
        contact = source.signal(PulseOximeterFields.contact, "contact").map { Gauge($0) }
        hasSpotChecks = configuration.has(PulseOximeterFields.spotCheckPeriod.key)
        continuous = Schedule(every: configuration[PulseOximeterFields.period])
        spotChecks = Schedule(every: configuration[PulseOximeterFields.spotCheckPeriod])
    }

    func read(_ id: ValueID, at _: Instant, context _: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard Value(id) == .features else { throw .unlikelyError }
        var features = PLXFeatures([])
        if hasSpotChecks { features.supported.insert(.timeStamp) }
        if amplitude != nil { features.supported.insert(.amplitude) }
        if contact != nil {
            features.measurementStatus = [.measurementOngoing, .fullyQualifiedData, .measurementUnavailable]
            features.sensorStatus = .unconnectedToUser
        }
        return features.octets
    }

    // MARK: Measuring

    /// Nil where the curve of SpO2 has stopped.
    private mutating func measure(
        _ id: ValueID, at now: Instant, context: inout SensorContext
    ) -> (value: SpO2PR, details: PLXDetails)? {
        let time = context.clock.sensorTime(at: now)
        guard let saturation = spo2.value(at: time) else { return nil }
        context.noteSaturation(of: saturation, as: id, in: MedicalShortFloat.range)
        let isOnFinger = contact.map { _ in (contact?.value(at: time) ?? 0) >= 0.5 }
        let rate = pulseRate.value(at: time) ?? .nan
        let index = amplitude.map { _ in amplitude?.value(at: time) ?? .nan }
        var details = PLXDetails()
        if let isOnFinger {
            details.measurementStatus = isOnFinger ? .fullyQualifiedData : .measurementUnavailable
            if Value(id) == .spo2 { details.measurementStatus?.insert(.measurementOngoing) }
            details.sensorStatus = isOnFinger ? [] : .unconnectedToUser
        }
        let isKnown = isOnFinger ?? true
        func number(_ value: Double, decimals: Int) -> MedicalShortFloat {
            isKnown ? MedicalShortFloat(value, decimals: decimals) : MedicalShortFloat(.notANumber)
        }
        details.amplitude = index.map { number($0, decimals: 1) }
        return (SpO2PR(spo2: number(saturation, decimals: 1), pulseRate: number(rate, decimals: 0)), details)
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if trigger == .scheduled { reschedule(id, after: now) }
        guard let (value, details) = measure(id, at: now, context: &context) else { return false }
        guard Value(id) == .spotCheck else {
            PLXContinuousMeasurement(value, details: details).append(to: &packet, in: &pool)
            return true
        }
        isUnconfirmed = trigger == .scheduled
        let time = context.clock.sensorTime(at: now)
        let stamp = DateTime(secondsSince1970: context.clock.seconds(at: time))
        pool.append(PLXSpotCheckMeasurement(value, timeStamp: stamp, details: details).octets[...], to: &packet)
        return true
    }

    // MARK: Subscriptions

    mutating func didSubscribe(to id: ValueID, at now: Instant, context _: inout SensorContext) {
        reschedule(id, after: now)
    }

    mutating func didUnsubscribe(from id: ValueID, at _: Instant) { settle(id) }
    mutating func indicationWasConfirmed(of id: ValueID, at _: Instant) { settle(id) }
    mutating func indicationWasDropped(of id: ValueID, at _: Instant) { settle(id) }
    mutating func notificationWasSuppressed(of id: ValueID) { settle(id) }

    /// The next spot-check waits for nothing.
    private mutating func settle(_ id: ValueID) { if Value(id) == .spotCheck { isUnconfirmed = false } }

    mutating func reschedule(_ id: ValueID, after now: Instant) {
        if Value(id) == .spotCheck { spotChecks.reschedule(after: now) } else { continuous.reschedule(after: now) }
    }

    /// A spot-check waits until the one before is confirmed.
    func nextNotification(of id: ValueID, context _: SensorContext) -> Instant {
        guard Value(id) == .spotCheck else { return continuous.due }
        return isUnconfirmed ? .never : spotChecks.due
    }

    // MARK: The script

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        switch Value(id) {
        case .spo2: spo2.set(signal, at: now, begun: begun, by: context.clock)
        case .pulseRate: pulseRate.set(signal, at: now, begun: begun, by: context.clock)
        case .amplitude where amplitude != nil: amplitude?.set(signal, at: now, begun: begun, by: context.clock)
        case .contact where contact != nil: contact?.set(signal, at: now, begun: begun, by: context.clock)
        default: return false
        }
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        let time = context.clock.sensorTime(at: now)
        var copy = self
        return switch Value(id) {
        case .spo2, .spotCheck: copy.spo2.value(at: time)
        case .pulseRate: copy.pulseRate.value(at: time)
        case .amplitude: copy.amplitude?.value(at: time)
        case .contact: copy.contact?.value(at: time).map { $0 >= 0.5 ? 1 : 0 }
        case .features, nil: nil
        }
    }

    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]? {
        guard let number = input.number else { return nil }
        let value = SpO2PR(spo2: MedicalShortFloat(number, decimals: 1), pulseRate: MedicalShortFloat(.notANumber))
        return Value(id) == .spotCheck
            ? PLXSpotCheckMeasurement(value).octets : PLXContinuousMeasurement(value).octets
    }
}
