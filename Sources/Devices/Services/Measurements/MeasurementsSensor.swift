import Bluetooth
import Characteristics
import Octets
import Sensors
import ServiceFramework
import Simulation

/// The Measurements service of a device.
struct MeasurementsSensor: ServiceSensor {
    private var samples: HeartRateSamples
    private var stream: SampleStream
    private var values: [UInt16] = []
    private var isSubscribed = false

    init(_ source: SensorSource) {
        let clock = SampleClock(hertz: source.configuration[MeasurementsFields.rate])
        samples = HeartRateSamples(source.signal(MeasurementsFields.value, "rate"), clock)
        stream = SampleStream(clock)
    }

    mutating func didSubscribe(to _: ValueID, at now: Instant, context: inout SensorContext) {
        isSubscribed = true
        stream.start(at: now)
    }

    mutating func didUnsubscribe(from _: ValueID, at now: Instant) { isSubscribed = false }

    func nextNotification(of _: ValueID, context: SensorContext) -> Instant {
        stream.due(HeartRateFrame.capacity(mtu: context.mtu))
    }

    /// Where the curve has stopped, values are left out.
    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        let ready = stream.ready(HeartRateFrame.capacity(mtu: context.mtu), at: now)
        guard !ready.isEmpty else { return false }
        samples.take(ready, into: &values)
        samples.rate.forget(before: stream.oldest(at: now))
        if let saturated = samples.saturated {
            context.noteSaturation(of: saturated, as: id, in: MeasurementsFields.range)
        }
        guard !values.isEmpty else {
            stream.start(at: now)
            return false
        }
        HeartRateFrame.append(
            sequence: stream.sequence, index: UInt32(truncatingIfNeeded: ready.lowerBound), values: values[...],
            to: &packet, in: &pool)
        stream.didNotify(ready)
        return true
    }

    mutating func set(
        _: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        samples.rate.set(signal, at: now, begun: begun)
        samples.rate.forget(before: isSubscribed ? stream.oldest(at: now) : now)
        return true
    }

    func number(of _: ValueID, at now: Instant, context: SensorContext) -> Double? {
        var rate = samples.rate
        return rate.value(at: now)
    }

    func octets(of _: ValueID, for input: SensorInput) -> [UInt8]? {
        guard let number = input.number else { return nil }
        return HeartRateFrame(
            sequence: stream.sequence, index: UInt32(truncatingIfNeeded: stream.next),
            values: [UInt16(saturating: number)])?.octets
    }
}
