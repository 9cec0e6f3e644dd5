public import Bluetooth
public import GATT
import Octets
import Sensors
import Simulation

extension PeripheralDefinition {
    /// A service that is whatever its author says.
    public struct Custom: Sendable {
        /// Its UUID.
        public var uuid: UUID
        /// In the order of their handles.
        public var characteristics: [Characteristic]

        /// A service with these characteristics.
        public init(uuid: UUID, characteristics: [Characteristic]) {
            (self.uuid, self.characteristics) = (uuid, characteristics)
        }

        /// How a value is encoded; numbers have the lowest octet first.
        public enum Format: String, CaseIterable, Sendable {
            /// One octet.
            case uint8
            /// Two octets.
            case uint16
            /// Four octets.
            case uint32
            /// Two octets, negative ones as two's complement.
            case sint16
            /// Text.
            case utf8
            /// As they are.
            case octets

            /// The whole number below; the nearest that can be said for what cannot.  Nil for what is no number.
            public func octets(of number: Double) -> [UInt8]? {
                var octets: [UInt8] = []
                switch self {
                case .uint8: octets.append(UInt8(saturating: number))
                case .uint16: octets.append(UInt16(saturating: number))
                case .uint32: octets.append(UInt32(saturating: number))
                case .sint16: octets.append(UInt16(bitPattern: Int16(saturating: number.rounded(.down))))
                case .utf8, .octets: return nil
                }
                return octets
            }

            /// So many octets, always; nil for those of any length.
            public var count: Int? {
                switch self {
                case .uint8: 1
                case .uint16, .sint16: 2
                case .uint32: 4
                case .utf8, .octets: nil
                }
            }
        }

        /// A characteristic of a custom service.
        public struct Characteristic: Sendable {
            /// Its UUID.
            public var uuid: UUID
            /// How its value is encoded.
            public var format: Format
            /// What a client may do.
            public var properties: CharacteristicProperties
            /// What the link needs before a client may.
            public var security: LinkSecurity
            /// What it says until it is written or set.
            public var value: PartValue
            /// From one notification or indication to the next.
            public var period: Duration
            /// Where its value stands; nil: the next free one.
            public var handle: UInt16?
            /// Besides those that its properties need.
            public var descriptors: [DescriptorDefinition]

            /// One that is told once a second, at the next free handle, without more descriptors.
            public init(uuid: UUID, format: Format, properties: CharacteristicProperties, value: PartValue) {
                (self.uuid, self.format, self.properties, self.value) = (uuid, format, properties, value)
                (security, period, handle, descriptors) = ([], .seconds(1), nil, [])
            }
        }
    }
}

/// What stands behind a custom service.
struct CustomSensor: ServiceSensor {
    private struct Content {
        let format: PeripheralDefinition.Custom.Format
        var schedule: Schedule
        var gauge: Gauge?
        let fixed: [UInt8]
        /// In place of the rest: what a client wrote, or a script.
        var replacement: [UInt8]?

        init(_ definition: PeripheralDefinition.Custom.Characteristic) {
            (format, schedule) = (definition.format, Schedule(every: definition.period))
            switch definition.value {
            case .signal(let signal): (gauge, fixed) = (Gauge(signal), [])
            case .octets(let octets): (gauge, fixed) = (nil, octets)
            }
        }

        /// Nil when its curve has stopped.
        mutating func octets(at now: Instant) -> [UInt8]? {
            if let replacement { return replacement }
            guard gauge != nil else { return fixed }
            return gauge?.value(at: now).flatMap(format.octets)
        }
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

    mutating func read(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        guard let index = index(quantity) else { throw .unlikelyError }
        return contents[index].octets(at: now) ?? []
    }

    mutating func write(
        _ value: [UInt8], to quantity: Part.Quantity, at now: Instant, of body: inout Body
    ) throws(ATTError) {
        guard let index = index(quantity) else { throw .unlikelyError }
        guard value.count == contents[index].format.count ?? value.count else { throw .invalidAttributeValueLength }
        contents[index].replacement = value
    }

    mutating func begin(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) {
        if let index = index(quantity) { contents[index].schedule.goOn(after: now) }
    }

    func due(_ quantity: Part.Quantity, of body: Body) -> Instant {
        index(quantity).map { contents[$0].schedule.due } ?? .never
    }

    mutating func tell(
        _ quantity: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        guard let index = index(quantity) else { return false }
        if occasion == .due { contents[index].schedule.goOn(after: now) }
        guard let octets = contents[index].octets(at: now) else { return false }
        pool.append(octets.prefix(max(0, body.mtu - 3)), to: &packet)
        return true
    }

    mutating func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard let index = index(quantity) else { return false }
        switch value {
        case .octets(let octets): contents[index].replacement = octets
        case .signal(let signal):
            guard contents[index].format.count != nil else { return false }
            if contents[index].gauge == nil { contents[index].gauge = Gauge(Signal(0)) }
            contents[index].replacement = nil
            contents[index].gauge?.set(signal, at: now, begun: begun)
            contents[index].gauge?.forget(before: now)
        case nil:
            contents[index].replacement = nil
            contents[index].gauge?.set(nil, at: now)
            contents[index].gauge?.forget(before: now)
        }
        return true
    }

    func number(of quantity: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        guard let index = index(quantity), contents[index].replacement == nil else { return nil }
        var gauge = contents[index].gauge
        return gauge?.value(at: now)
    }

    func octets(of quantity: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        guard let index = index(quantity) else { return nil }
        if case .octets(let octets) = value { return octets }
        return value.number.flatMap(contents[index].format.octets)
    }
}
