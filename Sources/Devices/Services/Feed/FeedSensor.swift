import Bluetooth
import Characteristics
import Octets
import Sensors
import Simulation

/// What stands behind a Feed service.
struct FeedSensor: ServiceSensor {
    private var schedule: Schedule
    private var gauge: Gauge

    init(_ source: SensorSource) {
        gauge = Gauge(source.signal(FeedFields.value, "value"))
        schedule = Schedule(every: source.configuration[FeedFields.period])
    }

    mutating func read(
        _ quantity: SensorQuantity, at now: Instant, of body: inout SensorContext
    ) throws(ATTError) -> [UInt8] {
        let value = gauge.value(at: now) ?? 0
        body.note(value, as: quantity, in: FeedFields.range)
        return VendorCount(roundingDown: value).octets
    }

    mutating func begin(_: SensorQuantity, at now: Instant, of _: inout SensorContext) { schedule.goOn(after: now) }

    mutating func goOn(_: SensorQuantity, at now: Instant) { schedule.goOn(after: now) }

    func due(_: SensorQuantity, of _: SensorContext) -> Instant { schedule.due }

    mutating func notify(
        _ quantity: SensorQuantity, _ occasion: Occasion, at now: Instant, of body: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if occasion == .due { schedule.goOn(after: now) }
        guard let value = gauge.value(at: now) else { return false }
        body.note(value, as: quantity, in: FeedFields.range)
        VendorCount(roundingDown: value).append(to: &packet, in: &pool)
        return true
    }

    mutating func set(
        _: SensorQuantity, to input: SensorInput?, at now: Instant, begun: Instant?, of _: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        gauge.set(signal, at: now, begun: begun)
        gauge.forget(before: now)
        return true
    }

    func number(of _: SensorQuantity, at now: Instant, of _: SensorContext) -> Double? {
        var gauge = gauge
        return gauge.value(at: now)
    }

    func octets(of _: SensorQuantity, saying input: SensorInput) -> [UInt8]? {
        input.number.map { VendorCount(roundingDown: $0).octets }
    }
}
