import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The Battery Service, 0x180F.  Battery Service 1.1.
    package static let battery = ServiceDescription(
        "battery", .battery, "a level, notified when it changes", isAdvertised: false,
        example: [
            "service": "battery", "value": ["curve": "ramp", "start": 90, "end": 5, "over": "1 h"], "period": "10 s",
        ],
        fields: [BatteryFields.level, BatteryFields.period],
        characteristics: [
            CharacteristicDescription(
                .batteryLevel, "Battery Level", [.read, .notify], format: BatteryLevel.self,
                value: ValueDescription(.number(BatteryFields.range), unit: "%"),
                client: ClientUse(
                    "battery", 87, importance: .extra, isMeasurement: false,
                    row: ScreenFact("battery", unit: "%", warnsUpTo: 10, isAlwaysThere: true)))
        ],
        sensor: { BatterySensor($0) })
}

/// The keys of `battery` in a scenario.
package enum BatteryFields {
    static let range = 0.0...100
    /// Percent.
    package static let level = Field.curve("value", range, standard: 100, "Level in percent.")
    /// How often the level is compared; a subscribed client is notified of a change.
    package static let period = Field.period("How often a change is notified.")
}

extension BatteryLevel: CharacteristicValue {
    /// `battery 87 %`.
    package var words: String { "battery \(percent) %" }
    /// Percent.
    package func number(of _: String?) -> Double? { Double(percent) }
}

/// The Battery Service of a device: it notifies changes of the level.
struct BatterySensor: PeriodicSensor {
    var schedule: Schedule
    private var gauge: Gauge
    private var notified: UInt8?

    init(_ source: SensorSource) {
        gauge = Gauge(source.signal(BatteryFields.level, "level"))
        schedule = Schedule(every: source.configuration[BatteryFields.period])
    }

    /// Percent, rounded and clamped to 0…100.
    private mutating func level(_ id: ValueID, at now: Instant, context: inout SensorContext) -> UInt8 {
        let level = gauge.value(at: context.clock.sensorTime(at: now)) ?? 0
        context.noteSaturation(of: level, as: id, in: BatteryFields.range)
        return level > 0 ? UInt8(min(level, 100).rounded()) : 0  // NaN is 0 too
    }

    mutating func read(
        _ id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) -> [UInt8] { [level(id, at: now, context: &context)] }

    /// The client is notified of changes from the present level.
    mutating func didSubscribe(to id: ValueID, at now: Instant, context: inout SensorContext) {
        notified = level(id, at: now, context: &context)
        schedule.reschedule(after: now)
    }

    /// The client is notified if the level has changed meanwhile.
    mutating func didResumeNotifying(_ id: ValueID, at now: Instant, context: inout SensorContext) {
        reschedule(id, after: now)
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if trigger == .scheduled { schedule.reschedule(after: now) }
        let level = level(id, at: now, context: &context)
        guard trigger == .onDemand || level != notified else { return false }
        notified = level
        pool.append(level, to: &packet)
        return true
    }

    mutating func set(
        _: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        gauge.set(signal, at: now, begun: begun, by: context.clock)
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        var (copy, context) = (self, context)
        return Double(copy.level(id, at: now, context: &context))
    }

    func octets(of _: ValueID, for input: SensorInput) -> [UInt8]? {
        input.number.map { [UInt8(saturating: $0)] }
    }
}
