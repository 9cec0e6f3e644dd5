import Bluetooth
import Characteristics
import GATT
import Octets
public import Sensors
import Simulation

extension PeripheralDefinition {
    /// Lubdub's own Measurements service: heart rates, several hundred in a second.
    public struct Measurements: Sendable {
        /// Beats per minute; what is outside of 0 to 65535 is moved to the nearer end.
        public var value: Signal
        /// Values in a second.
        public var rate: Int

        /// So many of these in a second.
        public init(value: Signal, rate: Int = 500) { (self.value, self.rate) = (value, rate) }
    }
}

/// What stands behind a Measurements service.
struct MeasurementsSensor: ServiceSensor {
    private var samples: HeartRateSamples
    private var stream: SampleStream
    private var values: [UInt16] = []
    private var isHeard = false

    init(_ definition: PeripheralDefinition.Measurements) {
        let clock = SampleClock(hertz: definition.rate)
        (samples, stream) = (HeartRateSamples(definition.value, clock), SampleStream(clock))
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        let rates = CharacteristicDefinition(.heartRates, properties: .notify)
        return (ServiceDefinition(uuid: VendorUUID.measurements.uuid, characteristics: [rates]), [.heartRates])
    }

    mutating func begin(_: Part.Quantity, at now: Instant, of body: inout Body) {
        isHeard = true
        stream.begin(at: now)
    }

    mutating func end(_: Part.Quantity, at now: Instant) { isHeard = false }

    func due(_: Part.Quantity, of body: Body) -> Instant { stream.due(HeartRateFrame.capacity(mtu: body.mtu)) }

    /// Where the curve has stopped, nothing is told, and what would have been is left out.
    mutating func tell(
        _: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        let ready = stream.ready(HeartRateFrame.capacity(mtu: body.mtu), at: now)
        guard !ready.isEmpty else { return false }
        samples.take(ready, into: &values)
        samples.rate.forget(before: stream.oldest(at: now))
        if let misfit = samples.saturatedValue { body.say(misfit, as: .heartRates) }
        guard !values.isEmpty else {
            stream.begin(at: now)
            return false
        }
        HeartRateFrame.append(
            sequence: stream.sequence, index: UInt32(truncatingIfNeeded: ready.lowerBound), values: values[...],
            to: &packet, in: &pool)
        stream.told(ready)
        return true
    }

    mutating func set(
        _: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard let signal = value.signal else { return false }
        samples.rate.set(signal, at: now, begun: begun)
        samples.rate.forget(before: isHeard ? stream.oldest(at: now) : now)
        return true
    }

    func number(of _: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        var rate = samples.rate
        return rate.value(at: now)
    }

    func octets(of _: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        guard let number = value.number else { return nil }
        return HeartRateFrame(
            sequence: stream.sequence, index: UInt32(truncatingIfNeeded: stream.next),
            values: [UInt16(saturating: number)])?.octets
    }
}
