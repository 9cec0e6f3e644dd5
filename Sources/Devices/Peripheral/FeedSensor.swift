import Bluetooth
import Characteristics
import GATT
import Octets
public import Sensors
import Simulation

extension PeripheralDefinition {
    /// Lubdub's own Feed service: a number that is told again and again.
    public struct Feed: Sendable {
        /// Rounded down; what is outside of 0 to 4294967295 is moved to the nearer end.
        public var value: Signal
        /// From one notification to the next.
        public var period: Duration

        /// A feed of this.
        public init(value: Signal, period: Duration = .seconds(1)) { (self.value, self.period) = (value, period) }
    }
}

/// What stands behind a Feed service.
struct FeedSensor: ServiceSensor {
    private var schedule: Schedule
    private var gauge: Gauge

    init(_ definition: PeripheralDefinition.Feed) {
        (gauge, schedule) = (Gauge(definition.value), Schedule(every: definition.period))
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        let value = CharacteristicDefinition(.feedValue, properties: [.read, .notify])
        return (ServiceDefinition(uuid: VendorUUID.feed.uuid, characteristics: [value]), [.feed])
    }

    mutating func read(_: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        let value = gauge.value(at: now) ?? 0
        body.say(value, as: .feed)
        return VendorCount(roundingDown: value).octets
    }

    mutating func begin(_: Part.Quantity, at now: Instant, of body: inout Body) { schedule.goOn(after: now) }

    mutating func goOn(_: Part.Quantity, at now: Instant) { schedule.goOn(after: now) }

    func due(_: Part.Quantity, of body: Body) -> Instant { schedule.due }

    mutating func tell(
        _: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if occasion == .due { schedule.goOn(after: now) }
        guard let value = gauge.value(at: now) else { return false }
        body.say(value, as: .feed)
        VendorCount(roundingDown: value).append(to: &packet, in: &pool)
        return true
    }

    mutating func set(
        _: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard let signal = value.signal else { return false }
        gauge.set(signal, at: now, begun: begun)
        gauge.forget(before: now)
        return true
    }

    func number(of _: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        var gauge = gauge
        return gauge.value(at: now)
    }

    func octets(of _: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        value.number.map { VendorCount(roundingDown: $0).octets }
    }
}
