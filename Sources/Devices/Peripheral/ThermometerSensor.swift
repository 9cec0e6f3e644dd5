import Bluetooth
public import Characteristics
import GATT
import Octets
public import Sensors
import Services
import Simulation

extension PeripheralDefinition {
    /// The Health Thermometer Service.
    public struct HealthThermometer: Sendable {
        /// °C.
        public var value: Signal
        /// From measurement to measurement.
        public var period: Duration
        /// Whether a client can read the period, and write it.
        public var hasInterval: Bool
        /// In what it is said.
        public var unit: TemperatureMeasurement.Unit
        /// Where it measures; nil when it does not say.
        public var type: TemperatureType?
        /// Whether what nobody listened to is told to the next who listens.
        public var isStoring: Bool

        /// One that measures this once a second, and has nothing else until the other properties are set.
        public init(value: Signal) {
            (self.value, period, hasInterval, unit) = (value, .seconds(1), false, .celsius)
            (type, isStoring) = (nil, false)
        }
    }
}

/// What stands behind a Health Thermometer Service: a temperature that is measured every so often and indicated, and in
/// between notified once a second as it is then.  Health Thermometer Service 1.0, section 3.
struct ThermometerSensor: UndescribedSensor {
    /// So many measurements are stored; then the oldest are lost.
    static let mostStored = 100
    /// What a client may make of the interval, in seconds, at the most: or what it is from the start, if that is more.
    private static let longestInterval: UInt16 = 3600

    private let definition: PeripheralDefinition.HealthThermometer
    private var gauge: Gauge
    private var measuring: Schedule
    private var between = Schedule(every: .seconds(1))
    private var waiting: [[UInt8]] = []  // measurements, the oldest first
    private var unconfirmed: [UInt8]?  // one that was told
    private var measuredUntil = Instant.start
    private var isHeard = false  // whether somebody listens to measurements
    private var intervalIsNews = false
    private var isHeldBack = false  // until the next measurement
    private var wasAsked = false  // what was told last, by a script
    private var setType: [UInt8]?  // while a script has taken it over

    init(_ definition: PeripheralDefinition.HealthThermometer) {
        self.definition = definition
        gauge = Gauge(definition.value)
        measuring = Schedule(every: definition.period)
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        var characteristics = [
            CharacteristicDefinition(uuid: .temperatureMeasurement, properties: .indicate),
            CharacteristicDefinition(uuid: .intermediateTemperature, properties: .notify),
        ]
        var quantities = [Part.Quantity.bodyTemperature, .intermediateTemperature]
        if definition.type != nil {
            characteristics.append(CharacteristicDefinition(uuid: .temperatureType, properties: .read))
            quantities.append(.temperatureType)
        }
        if definition.hasInterval {
            let range = DescriptorDefinition(uuid: .validRange, value: validRange.octets)
            characteristics.append(
                CharacteristicDefinition(
                    uuid: .measurementInterval, properties: [.read, .write, .indicate], descriptors: [range]))
            quantities.append(.measurementInterval)
        }
        return (ServiceDefinition(uuid: .healthThermometer, characteristics: characteristics), quantities)
    }

    private var validRange: MeasurementIntervalRange {
        MeasurementIntervalRange(seconds: 1...max(Self.longestInterval, Self.interval(definition.period).seconds))
    }

    // MARK: Measuring

    /// The measurement of an instant: nil where the curve has stopped.
    private mutating func measure(at instant: Instant, of body: inout SensorContext) -> [UInt8]? {
        let time = body.clock.sensorTime(at: instant)
        guard let celsius = gauge.value(at: time) else { return nil }
        body.say(celsius, as: .bodyTemperature)
        let stamp = DateTime(secondsSince1970: body.clock.seconds(at: time))
        return TemperatureMeasurement(celsius: celsius, in: definition.unit, timeStamp: stamp).octets
    }

    /// Measures what was to be measured up to now, and was not told.
    private mutating func catchUp(until now: Instant, of body: inout SensorContext) {
        let span = measuring.period * Self.mostStored
        var time = measuring.next(after: max(measuredUntil, now.advanced(by: .zero - span)))
        while time <= now {
            if let octets = measure(at: time, of: &body) { waiting.append(octets) }
            time = measuring.next(after: time)
        }
        measuredUntil = now
        waiting.removeFirst(max(0, waiting.count - Self.mostStored))
    }

    /// The same, if what was not told is stored.
    private mutating func store(until now: Instant, of body: inout SensorContext) {
        if definition.isStoring { catchUp(until: now, of: &body) } else { measuredUntil = now }
    }

    /// Measures before something changes.
    private mutating func settle(until now: Instant, of body: inout SensorContext) {
        if isHeard { catchUp(until: now, of: &body) } else { store(until: now, of: &body) }
    }

    mutating func clockSkips(at now: Instant, of body: inout SensorContext) { settle(until: now, of: &body) }

    // MARK: Who listens

    mutating func begin(_ quantity: Part.Quantity, at now: Instant, of body: inout SensorContext) {
        switch quantity {
        case .bodyTemperature:
            store(until: now, of: &body)
            (isHeard, isHeldBack) = (true, false)
            measuring.goOn(after: now)
        case .intermediateTemperature: between.goOn(after: now)
        default: intervalIsNews = false
        }
    }

    mutating func resume(_ quantity: Part.Quantity, at now: Instant, of body: inout SensorContext) {
        if quantity == .bodyTemperature, !definition.isStoring { waiting = [] }
        begin(quantity, at: now, of: &body)
    }

    /// What was told and not confirmed is stored too.
    mutating func end(_ quantity: Part.Quantity, at now: Instant) {
        guard quantity == .bodyTemperature else { return }
        isHeard = false
        takeBack()
        if !definition.isStoring { waiting = [] }
    }

    mutating func confirmed(_ quantity: Part.Quantity, at now: Instant) {
        if quantity == .bodyTemperature { unconfirmed = nil }
    }

    /// What was measured is lost.
    mutating func withheld(_ quantity: Part.Quantity) {
        if quantity == .bodyTemperature, !wasAsked { unconfirmed = nil }
    }

    mutating func goOn(_ quantity: Part.Quantity, at now: Instant) {
        switch quantity {
        case .bodyTemperature:
            (measuredUntil, isHeldBack) = (now, false)
            if !definition.isStoring { waiting = [] }
            measuring.goOn(after: now)
        case .intermediateTemperature: between.goOn(after: now)
        default: break
        }
    }

    /// Tried again with the next measurement.
    mutating func dropped(_ quantity: Part.Quantity, at now: Instant) {
        guard quantity == .bodyTemperature, !wasAsked else { return }
        takeBack()
        isHeldBack = true
    }

    private mutating func takeBack() {
        if let unconfirmed { waiting.insert(unconfirmed, at: 0) }
        unconfirmed = nil
    }

    /// A measurement waits until the one before is confirmed.
    func due(_ quantity: Part.Quantity, of body: SensorContext) -> Instant {
        switch quantity {
        case .bodyTemperature: unconfirmed != nil ? .never : waiting.isEmpty || isHeldBack ? measuring.due : .start
        case .intermediateTemperature: between.due
        default: intervalIsNews ? .start : .never
        }
    }

    mutating func notify(
        _ quantity: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        var octets: [UInt8]?
        switch quantity {
        case .bodyTemperature: octets = nextMeasurement(occasion, at: now, of: &body)
        case .intermediateTemperature:
            between.goOn(after: now)
            octets = measure(at: now, of: &body)
        default:
            intervalIsNews = false
            octets = interval.octets
        }
        guard let octets else { return false }
        pool.append(octets[...], to: &packet)
        return true
    }

    private mutating func nextMeasurement(_ occasion: Occasion, at now: Instant, of body: inout SensorContext) -> [UInt8]? {
        wasAsked = occasion == .asked
        if wasAsked { return measure(at: now, of: &body) }
        catchUp(until: now, of: &body)
        measuring.goOn(after: now)
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

    func read(_ quantity: Part.Quantity, at now: Instant, of body: inout SensorContext) throws(ATTError) -> [UInt8] {
        switch quantity {
        case .measurementInterval: return interval.octets
        case .temperatureType: return setType ?? definition.type?.octets ?? []
        default: throw .unlikelyError
        }
    }

    mutating func write(
        _ value: [UInt8], to quantity: Part.Quantity, at now: Instant, of body: inout SensorContext
    ) throws(ATTError) {
        guard quantity == .measurementInterval else { throw .unlikelyError }
        guard let interval = try? MeasurementInterval(octets: value) else { throw .invalidAttributeValueLength }
        guard validRange.allows(interval) else { throw ATTError(rawValue: MeasurementInterval.outOfRange) }
        measure(every: .seconds(Int64(interval.seconds)), from: now, of: &body)
    }

    private mutating func measure(every period: Duration, from now: Instant, of body: inout SensorContext) {
        settle(until: now, of: &body)
        measuring = Schedule(every: period)
        if isHeard { measuring.goOn(after: now) }
        intervalIsNews = true
    }

    // MARK: The script

    mutating func set(
        _ quantity: Part.Quantity, to value: SensorInput?, at now: Instant, begun: Instant?, of body: inout SensorContext
    ) -> Bool {
        if quantity == .temperatureType {
            guard definition.type != nil, value.isTextOrEnd else { return false }
            setType = value?.octets
            return true
        }
        guard let signal = value.signal else { return false }
        switch quantity {
        case .bodyTemperature:
            settle(until: now, of: &body)
            gauge.set(signal, at: now, begun: begun, by: body.clock)
        case .measurementInterval:
            let seconds = value?.number.map { Duration.seconds(max(1, min(65535, $0))) }
            measure(every: seconds ?? definition.period, from: now, of: &body)
        default: return false
        }
        return true
    }

    func number(of quantity: Part.Quantity, at now: Instant, of body: SensorContext) -> Double? {
        var gauge = gauge
        return switch quantity {
        case .bodyTemperature, .intermediateTemperature: gauge.value(at: body.clock.sensorTime(at: now))
        case .measurementInterval: Double(interval.seconds)
        default: nil
        }
    }

    func octets(of quantity: Part.Quantity, saying value: SensorInput) -> [UInt8]? {
        guard let number = value.number else { return nil }
        return quantity == .measurementInterval
            ? MeasurementInterval(seconds: UInt16(saturating: number)).octets
            : TemperatureMeasurement(celsius: number, in: definition.unit).octets
    }
}
