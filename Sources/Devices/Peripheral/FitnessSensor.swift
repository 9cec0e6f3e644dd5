import Bluetooth
import Characteristics
import GATT
import Octets
public import Sensors
import Simulation

extension PeripheralDefinition {
    /// Lubdub's own Fitness service: steps and a temperature, each computed as it is read.
    public struct Fitness: Sendable {
        /// The steps since the start; nil: neither they nor those of today are there.
        public var steps: Curve?
        /// Chance of the steps comes from it.
        public var seed: UInt64
        /// In °C; nil: it is not there.
        public var temperature: Signal?
        /// When a day begins, after midnight.
        public var dailyReset: Duration
        /// How often a subscribed client is told, if a count has changed.
        public var period: Duration

        /// Nothing, until the properties are set.
        public init() {
            (steps, seed, temperature, dailyReset, period) = (nil, 0, nil, .zero, .seconds(1))
        }
    }
}

/// What stands behind a Fitness service.  Its times are those of the clock on the wall.
struct FitnessSensor: ServiceSensor {
    private struct Telling {
        var schedule: Schedule
        var told: UInt32?
    }

    private var counter: StepCounter?
    private var temperature: Gauge?
    private var total: Telling
    private var today: Telling

    init(_ definition: PeripheralDefinition.Fitness, _ clock: WallClock) {
        counter = definition.steps.map {
            StepCounter($0, seed: definition.seed, clock: clock, dailyReset: definition.dailyReset)
        }
        temperature = definition.temperature.map { Gauge($0) }
        total = Telling(schedule: Schedule(every: definition.period))
        today = total
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        var characteristics: [CharacteristicDefinition] = []
        var quantities: [Part.Quantity] = []
        if counter != nil {
            characteristics += [
                CharacteristicDefinition(.steps, properties: [.read, .notify]),
                CharacteristicDefinition(.stepsToday, properties: [.read, .notify]),
            ]
            quantities += [.steps, .stepsToday]
        }
        if temperature != nil {
            characteristics.append(
                CharacteristicDefinition(
                    uuid: .temperature, properties: .read, descriptors: [.userDescription("Body Temperature")]))
            quantities.append(.temperature)
        }
        return (ServiceDefinition(uuid: VendorUUID.fitness.uuid, characteristics: characteristics), quantities)
    }

    /// Nil when the curve has stopped.
    private mutating func count(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) -> UInt32? {
        let time = body.clock.sensorTime(at: now)
        if let wanted = counter?.unclampedTotal(at: time) { body.say(wanted, as: quantity) }
        return quantity == .steps ? counter?.total(at: time) : counter?.today(at: time)
    }

    mutating func read(
        _ quantity: Part.Quantity, at now: Instant, of body: inout Body
    ) throws(ATTError) -> [UInt8] {
        switch quantity {
        case .steps, .stepsToday: VendorCount(count(quantity, at: now, of: &body) ?? 0).octets
        case .temperature: measured(at: now, of: &body).octets
        default: throw .unlikelyError
        }
    }

    private mutating func measured(at now: Instant, of body: inout Body) -> Temperature {
        let celsius = temperature?.value(at: body.clock.sensorTime(at: now))
        if let celsius { body.say(celsius, as: .temperature) }
        return Temperature(celsius: celsius)
    }

    /// Told of changes from the present count.
    mutating func begin(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) {
        let present = count(quantity, at: now, of: &body)
        change(quantity) { telling in
            telling.told = present
            telling.schedule.goOn(after: now)
        }
    }

    /// Told of what changed meanwhile.
    mutating func resume(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) { goOn(quantity, at: now) }

    mutating func goOn(_ quantity: Part.Quantity, at now: Instant) {
        change(quantity) { $0.schedule.goOn(after: now) }
    }

    func due(_ quantity: Part.Quantity, of body: Body) -> Instant {
        quantity == .steps ? total.schedule.due : today.schedule.due
    }

    mutating func tell(
        _ quantity: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        let present = count(quantity, at: now, of: &body)
        var isNews = false
        change(quantity) { telling in
            if occasion == .due { telling.schedule.goOn(after: now) }
            isNews = occasion == .asked || telling.told != present
            telling.told = present
        }
        guard isNews, let present else { return false }
        VendorCount(present).append(to: &packet, in: &pool)
        return true
    }

    private mutating func change(_ quantity: Part.Quantity, _ body: (inout Telling) -> Void) {
        if quantity == .steps { body(&total) } else { body(&today) }
    }

    mutating func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard let signal = value.signal else { return false }
        switch quantity {
        case .steps where counter != nil:
            counter?.set(
                signal, at: body.clock.sensorTime(at: now), begun: begun.map { body.clock.sensorTime(at: $0) })
        case .temperature where temperature != nil: temperature?.set(signal, at: now, begun: begun, by: body.clock)
        default: return false
        }
        return true
    }

    func number(of quantity: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        var (copy, body) = (self, body)
        return switch quantity {
        case .steps, .stepsToday: copy.count(quantity, at: now, of: &body).map(Double.init)
        case .temperature: copy.temperature?.value(at: body.clock.sensorTime(at: now))
        default: nil
        }
    }

    func octets(of quantity: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        value.number.map {
            quantity == .temperature ? Temperature(celsius: $0).octets : VendorCount(roundingDown: $0).octets
        }
    }
}
