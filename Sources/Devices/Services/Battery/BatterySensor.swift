import Bluetooth
import Characteristics
import Octets
import Sensors
import Simulation

/// What stands behind a Battery Service: a level, and which one was notified last.
struct BatterySensor: ServiceSensor {
    private var schedule: Schedule
    private var gauge: Gauge
    private var notified: UInt8?

    init(_ source: SensorSource) {
        gauge = Gauge(source.signal(BatteryFields.level, "level"))
        schedule = Schedule(every: source.configuration[BatteryFields.period])
    }

    /// Percent, rounded; what is outside of 0 to 100 is moved to the nearer end.
    private mutating func level(_ value: SensorQuantity, at now: Instant, of body: inout SensorContext) -> UInt8 {
        let level = gauge.value(at: body.clock.sensorTime(at: now)) ?? 0
        body.note(level, as: value, in: BatteryFields.range)
        return level > 0 ? UInt8(min(level, 100).rounded()) : 0  // NaN is 0 too
    }

    mutating func read(
        _ value: SensorQuantity, at now: Instant, of body: inout SensorContext
    ) throws(ATTError) -> [UInt8] { [level(value, at: now, of: &body)] }

    /// Notified of changes from the present level.
    mutating func begin(_ value: SensorQuantity, at now: Instant, of body: inout SensorContext) {
        notified = level(value, at: now, of: &body)
        schedule.goOn(after: now)
    }

    /// Notified of what changed meanwhile.
    mutating func resume(_ value: SensorQuantity, at now: Instant, of body: inout SensorContext) {
        goOn(value, at: now)
    }

    mutating func goOn(_: SensorQuantity, at now: Instant) { schedule.goOn(after: now) }

    func due(_: SensorQuantity, of _: SensorContext) -> Instant { schedule.due }

    mutating func notify(
        _ value: SensorQuantity, _ occasion: Occasion, at now: Instant, of body: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if occasion == .due { schedule.goOn(after: now) }
        let level = level(value, at: now, of: &body)
        guard occasion == .asked || level != notified else { return false }
        notified = level
        pool.append(level, to: &packet)
        return true
    }

    mutating func set(
        _: SensorQuantity, to input: SensorInput?, at now: Instant, begun: Instant?, of body: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        gauge.set(signal, at: now, begun: begun, by: body.clock)
        return true
    }

    func number(of value: SensorQuantity, at now: Instant, of body: SensorContext) -> Double? {
        var (copy, body) = (self, body)
        return Double(copy.level(value, at: now, of: &body))
    }

    func octets(of _: SensorQuantity, saying input: SensorInput) -> [UInt8]? {
        input.number.map { [UInt8(saturating: $0)] }
    }
}
