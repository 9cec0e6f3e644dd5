import Bluetooth
import Characteristics
import Octets
import Sensors
import ServiceFramework
import Simulation

/// The Feed service of a device.
struct FeedSensor: PeriodicSensor {
    var schedule: Schedule
    private var gauge: Gauge

    init(_ source: SensorSource) {
        gauge = Gauge(source.signal(FeedFields.value, "value"))
        schedule = Schedule(every: source.configuration[FeedFields.period])
    }

    mutating func read(
        _ id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) -> [UInt8] {
        let value = gauge.value(at: now) ?? 0
        context.noteSaturation(of: value, as: id, in: FeedFields.range)
        return VendorCount(roundingDown: value).octets
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if trigger == .scheduled { schedule.reschedule(after: now) }
        guard let value = gauge.value(at: now) else { return false }
        context.noteSaturation(of: value, as: id, in: FeedFields.range)
        VendorCount(roundingDown: value).append(to: &packet, in: &pool)
        return true
    }

    mutating func set(
        _: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context _: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        gauge.set(signal, at: now, begun: begun)
        gauge.forget(before: now)
        return true
    }

    func number(of _: ValueID, at now: Instant, context _: SensorContext) -> Double? {
        var gauge = gauge
        return gauge.value(at: now)
    }

    func octets(of _: ValueID, for input: SensorInput) -> [UInt8]? {
        input.number.map { VendorCount(roundingDown: $0).octets }
    }
}
