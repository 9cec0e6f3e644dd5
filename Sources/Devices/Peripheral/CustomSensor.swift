import Bluetooth
import Characteristics
import GATT
import Octets
import Sensors
import Simulation

/// What stands behind a custom service.
struct CustomSensor: ServiceSensor {
    private struct Content {
        let format: ValueFormat
        var schedule: Schedule
        private var base: PartValue
        /// In place of that: what a client wrote.
        private var written: [UInt8]?
        /// In place of both: what a script gave, and since when it counts.
        private var taken: (value: PartValue, begun: Instant)?

        init(_ definition: PeripheralDefinition.Custom.Characteristic) {
            (format, schedule) = (definition.format, Schedule(every: definition.period))
            base = definition.value.limited
        }

        /// What a client writes stays, also when a script gives back what it had taken before.
        mutating func write(_ octets: [UInt8]) { (written, taken) = (octets, nil) }

        mutating func take(_ value: PartValue?, from begun: Instant) { taken = value.map { ($0.limited, begun) } }

        /// Nil for what has no number, and when its curve has stopped.
        mutating func number(at now: Instant) -> Double? {
            if let begun = taken?.begun { return taken?.value.number(at: now, begun: begun) }
            return written == nil ? base.number(at: now, begun: .start) : nil
        }

        /// Octets that no curve gives.
        var fixed: [UInt8]? { taken == nil ? written ?? base.octets : taken?.value.octets }
    }

    private let definition: PeripheralDefinition.Custom
    private var contents: [Content]

    init(_ definition: PeripheralDefinition.Custom) {
        self.definition = definition
        contents = definition.characteristics.map { Content($0) }
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        let characteristics = definition.characteristics.map { characteristic in
            CharacteristicDefinition(
                uuid: characteristic.uuid, properties: characteristic.properties,
                permissions: AttributePermissions(characteristic.properties, needing: characteristic.security),
                descriptors: characteristic.descriptors, handle: characteristic.handle)
        }
        return (
            ServiceDefinition(uuid: definition.uuid, characteristics: characteristics),
            characteristics.indices.map { .custom($0) }
        )
    }

    private func index(_ quantity: Part.Quantity) -> Int? {
        guard case .custom(let index) = quantity, contents.indices.contains(index) else { return nil }
        return index
    }

    /// Nil when its curve has stopped.
    private mutating func octets(_ index: Int, at now: Instant, of body: inout Body) -> [UInt8]? {
        if let fixed = contents[index].fixed { return fixed }
        guard let number = contents[index].number(at: now) else { return nil }
        if let range = contents[index].format.range { body.say(number, as: .custom(index), in: range) }
        return contents[index].format.octets(of: number)
    }

    mutating func read(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        guard let index = index(quantity) else { throw .unlikelyError }
        return octets(index, at: now, of: &body) ?? []
    }

    mutating func write(
        _ value: [UInt8], to quantity: Part.Quantity, at now: Instant, of body: inout Body
    ) throws(ATTError) {
        guard let index = index(quantity) else { throw .unlikelyError }
        guard value.count == contents[index].format.count ?? value.count else { throw .invalidAttributeValueLength }
        contents[index].write(value)
    }

    mutating func begin(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) {
        if let index = index(quantity) { contents[index].schedule.goOn(after: now) }
    }

    mutating func goOn(_ quantity: Part.Quantity, at now: Instant) {
        if let index = index(quantity) { contents[index].schedule.goOn(after: now) }
    }

    func due(_ quantity: Part.Quantity, of body: Body) -> Instant {
        index(quantity).map { contents[$0].schedule.due } ?? .never
    }

    /// All of it; each client's server sends what its MTU has room for.
    mutating func tell(
        _ quantity: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        guard let index = index(quantity) else { return false }
        if occasion == .due { contents[index].schedule.goOn(after: now) }
        guard let octets = octets(index, at: now, of: &body) else { return false }
        pool.append(octets[...], to: &packet)
        return true
    }

    mutating func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard let index = index(quantity) else { return false }
        let isNumber = contents[index].format.count != nil
        switch value {
        case .signal where !isNumber, .octets where isNumber: return false
        default: contents[index].take(value, from: begun ?? now)
        }
        return true
    }

    func number(of quantity: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        guard let index = index(quantity) else { return nil }
        var content = contents[index]
        return content.number(at: now)
    }

    func octets(of quantity: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        guard let index = index(quantity) else { return nil }
        return value.limited.octets ?? value.number.flatMap(contents[index].format.octets)
    }
}

extension PartValue {
    /// No more octets than an attribute can have.
    fileprivate var limited: PartValue {
        octets.map { .octets(Array($0.prefix(AttributeTable.maximumValueLength))) } ?? self
    }

    /// Nil for octets, and when its curve has stopped.
    fileprivate mutating func number(at now: Instant, begun: Instant) -> Double? {
        guard case .signal(var signal) = self else { return nil }
        self = .octets([])  // so that the signal has one owner, and is not copied
        let number = signal.value(atNanoseconds: now.nanoseconds - begun.nanoseconds)
        self = .signal(signal)  // with what it remembers of a walk
        return number
    }
}
