import Bluetooth
import Characteristics
import GATT
import Octets
import Sensors
import Simulation

/// What stands behind a Battery Service: a level, and which one was notified last.
struct BatterySensor: ServiceSensor {
    private var schedule: Schedule
    private var gauge: Gauge
    private var told: UInt8?

    init(_ definition: PeripheralDefinition.Battery) {
        (gauge, schedule) = (Gauge(definition.level), Schedule(every: definition.period))
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        let level = CharacteristicDefinition(uuid: .batteryLevel, properties: [.read, .notify])
        return (ServiceDefinition(uuid: .battery, characteristics: [level]), [.battery])
    }

    /// Percent, rounded; what is outside of 0 to 100 is moved to the nearer end.
    private mutating func level(at now: Instant, of body: inout Body) -> UInt8 {
        let level = gauge.value(at: body.clock.sensorTime(at: now)) ?? 0
        body.say(level, as: .battery)
        return level > 0 ? UInt8(min(level, 100).rounded()) : 0  // NaN is 0 too
    }

    mutating func read(_: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        [level(at: now, of: &body)]
    }

    /// Told of changes from the present level.
    mutating func begin(_: Part.Quantity, at now: Instant, of body: inout Body) {
        told = level(at: now, of: &body)
        schedule.goOn(after: now)
    }

    /// Told of what changed meanwhile.
    mutating func resume(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) { goOn(quantity, at: now) }

    mutating func goOn(_: Part.Quantity, at now: Instant) { schedule.goOn(after: now) }

    func due(_: Part.Quantity, of body: Body) -> Instant { schedule.due }

    mutating func tell(
        _: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if occasion == .due { schedule.goOn(after: now) }
        let level = level(at: now, of: &body)
        guard occasion == .asked || level != told else { return false }
        told = level
        pool.append(level, to: &packet)
        return true
    }

    mutating func set(
        _: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard let signal = value.signal else { return false }
        gauge.set(signal, at: now, begun: begun, by: body.clock)
        return true
    }

    func number(of _: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        var (copy, body) = (self, body)
        return Double(copy.level(at: now, of: &body))
    }

    func octets(of _: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        value.number.map { [UInt8(saturating: $0)] }
    }
}
