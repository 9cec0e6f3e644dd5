import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The vendor-specific Fitness service, 0x0100: steps and a temperature, each computed when it is read.
    package static let fitness = ServiceDescription(
        "fitness", VendorUUID.fitness.uuid,
        "vendor service: total steps and today's steps, read or notified, and body temperature, read on demand",
        example: [
            "service": "fitness", "steps": ["curve": "ramp", "start": 0, "end": 6600, "over": "1 h"],
            "temperature": 36.6,
            "daily_reset": "04:00", "period": "2 s",
        ],
        fields: [
            FitnessFields.steps, FitnessFields.temperature,
            FitnessFields.dailyReset, FitnessFields.period,
        ],
        characteristics: [
            CharacteristicDescription(
                .steps, [.read, .notify], format: StepCount.self,
                value: ValueDescription(.number(FitnessFields.counts), named: "steps", field: FitnessFields.steps.key),
                client: ClientUse("steps", 4211, isMeasurement: true, isPolled: true, row: ScreenFact(.steps))),
            CharacteristicDescription(
                .stepsToday, [.read, .notify], format: StepCountOfDay.self,
                value: ValueDescription(
                    .number(FitnessFields.counts), named: "steps_today", isSettable: false,
                    field: FitnessFields.steps.key),
                client: ClientUse(
                    "steps_today", 812, isMeasurement: true, isPolled: true, row: ScreenFact(.stepsToday))),
            CharacteristicDescription(
                .temperature, "Temperature", .read, userDescription: "Body Temperature", format: Temperature.self,
                value: ValueDescription(
                    .number(FitnessFields.celsius), named: "temperature", key: "celsius", unit: "°C",
                    label: "temperature", example: "36.6",
                    tolerance: 0.05, field: FitnessFields.temperature.key),
                client: ClientUse(
                    "temperature", ["celsius": 36.6], isMeasurement: true, isPolled: true, row: .temperature)),
        ],
        problem: { configuration in
            let isEmpty = [FitnessFields.steps.key, FitnessFields.temperature.key].allSatisfy { !configuration.has($0) }
            guard isEmpty else { return nil }
            return .missing("\"steps\", \"temperature\" or both are missing: this service has nothing to say")
        },
        steps: { source in
            source.configuration[FitnessFields.steps].map {
                StepCounter(
                    $0, seed: source.seed("steps"), clock: source.clock,
                    dailyReset: source.configuration[FitnessFields.dailyReset])
            }
        },
        sensor: { FitnessSensor($0) })
}

/// The keys of `fitness` in a scenario.
package enum FitnessFields {
    static let counts = 0.0...4_294_967_295
    static let celsius = -273.15...327.67
    /// Nil: the device has neither Steps nor Steps Today.
    package static let steps = Field.optionalCurve("steps", counts, "Steps since the start.")
    /// °C; nil: the device does not have the characteristic.
    package static let temperature = Field.optionalCurve("temperature", celsius, "Body temperature in °C.")
    /// The time after midnight.
    package static let dailyReset = Field.timeOfDay("daily_reset", "Start of the day.")
    /// How often the count is compared; a subscribed client is notified of a change.
    package static let period = Field.period("How often changes are notified.")
}

/// Steps, vendor 0x0101: a `VendorCount`.
package struct StepCount: NumberValue {
    package static let field = "Steps"
    package let number: UInt32
    package init(_ number: UInt32) { self.number = number }
    /// `4211 steps`.
    package var words: String { number.counted("step") }
}

/// Steps Today, vendor 0x0102: a `VendorCount`.
package struct StepCountOfDay: NumberValue {
    package static let field = "Steps Today"
    package let number: UInt32
    package init(_ number: UInt32) { self.number = number }
    /// `4211 steps today`.
    package var words: String { "\(number.counted("step")) today" }
}

extension Temperature: CharacteristicValue {
    /// `36.6 °C`.
    package var words: String { celsius.degrees }
    /// °C.
    package func number(of _: String?) -> Double? { celsius }
}

/// The Fitness service of a device. Its times are wall clock times.
struct FitnessSensor: ServiceSensor {
    /// In the order of the description.
    private enum Value: Int {
        case steps
        case stepsToday
        case temperature
    }

    private struct Count {
        var schedule: Schedule
        var notified: UInt32?
    }

    private let steps: Int?
    private var temperature: Gauge?
    private var total: Count
    private var today: Count

    init(_ source: SensorSource) {
        let configuration = source.configuration
        steps = source.steps
        temperature = source.signal(FitnessFields.temperature, "temperature").map { Gauge($0) }
        total = Count(schedule: Schedule(every: configuration[FitnessFields.period]))
        today = total
    }

    /// Nil when the curve has stopped.
    private func count(_ id: ValueID, at now: Instant, context: inout SensorContext) -> UInt32? {
        guard let steps else { return nil }
        let time = context.clock.sensorTime(at: now)
        if let wanted = context.steps[steps].unclampedTotal(at: time) {
            context.noteSaturation(of: wanted, as: id, in: FitnessFields.counts)
        }
        return Value(id) == .steps ? context.steps[steps].total(at: time) : context.steps[steps].today(at: time)
    }

    mutating func read(
        _ id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) -> [UInt8] {
        switch Value(id) {
        case .steps, .stepsToday: VendorCount(count(id, at: now, context: &context) ?? 0).octets
        case .temperature: measured(id, at: now, context: &context).octets
        case nil: throw .unlikelyError
        }
    }

    private mutating func measured(_ id: ValueID, at now: Instant, context: inout SensorContext) -> Temperature {
        let celsius = temperature?.value(at: context.clock.sensorTime(at: now))
        if let celsius { context.noteSaturation(of: celsius, as: id, in: FitnessFields.celsius) }
        return Temperature(celsius: celsius)
    }

    /// The client is notified of changes from the present count.
    mutating func didSubscribe(to id: ValueID, at now: Instant, context: inout SensorContext) {
        let present = count(id, at: now, context: &context)
        change(id) { count in
            count.notified = present
            count.schedule.reschedule(after: now)
        }
    }

    /// The client is notified if the count has changed meanwhile.
    mutating func didResumeNotifying(_ id: ValueID, at now: Instant, context: inout SensorContext) {
        reschedule(id, after: now)
    }

    mutating func reschedule(_ id: ValueID, after now: Instant) {
        change(id) { $0.schedule.reschedule(after: now) }
    }

    func nextNotification(of id: ValueID, context: SensorContext) -> Instant {
        Value(id) == .steps ? total.schedule.due : today.schedule.due
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        let present = count(id, at: now, context: &context)
        var isNews = false
        change(id) { count in
            if trigger == .scheduled { count.schedule.reschedule(after: now) }
            isNews = trigger == .onDemand || count.notified != present
            count.notified = present
        }
        guard isNews, let present else { return false }
        VendorCount(present).append(to: &packet, in: &pool)
        return true
    }

    private mutating func change(_ id: ValueID, _ body: (inout Count) -> Void) {
        if Value(id) == .steps { body(&total) } else { body(&today) }
    }

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        switch Value(id) {
        case .steps:
            guard let steps else { return false }
            let clock = context.clock
            context.steps[steps].set(
                signal, at: clock.sensorTime(at: now), begun: begun.map { clock.sensorTime(at: $0) })
        case .temperature where temperature != nil: temperature?.set(signal, at: now, begun: begun, by: context.clock)
        default: return false
        }
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        var (copy, context) = (self, context)
        return switch Value(id) {
        case .steps, .stepsToday: copy.count(id, at: now, context: &context).map(Double.init)
        case .temperature: copy.temperature?.value(at: context.clock.sensorTime(at: now))
        default: nil
        }
    }

    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]? {
        input.number.map {
            Value(id) == .temperature ? Temperature(celsius: $0).octets : VendorCount(roundingDown: $0).octets
        }
    }
}
