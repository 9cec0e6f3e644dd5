package import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The vendor-specific Measurements service, 0x0300: several hundred heart rates per second.
    package static let measurements = ServiceDescription(
        "measurements", VendorUUID.measurements.uuid, "vendor service: a stream of heart rates, hundreds per second",
        example: ["service": "measurements", "rate": "500 Hz", "value": 62],
        fields: [MeasurementsFields.rate, MeasurementsFields.value],
        characteristics: [
            CharacteristicDescription(
                .heartRates, .notify, format: HeartRateFrame.self,
                value: ValueDescription(.number(MeasurementsFields.range)),
                client: ClientUse(
                    "measurements", ["samples": 476, "lost": 0, "index": 500, "bpm": 61], role: .heartRates,
                    isMeasurement: true))
        ],
        rate: { $0[MeasurementsFields.rate] },
        sensor: { MeasurementsSensor($0) })
}

/// The keys of `measurements` in a scenario.
package enum MeasurementsFields {
    static let range = 0.0...65535
    package static let rate = Field.rate("rate", 1...4000, "Values per second, 1 to 4000.")
    /// Beats per minute.
    package static let value = Field.curve("value", range, "Heart rate in bpm.")
}

extension HeartRateFrame: CharacteristicValue {
    /// `500 heart rates`.
    package var words: String { "\(values.count) heart rates" }

    package static func index(in octets: ArraySlice<UInt8>) throws(Malformed) -> UInt32? {
        try header(of: octets).index
    }
}

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
