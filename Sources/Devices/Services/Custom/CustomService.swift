import Basics
package import Bluetooth
import Characteristics
package import Devices
import GATT

extension ConfiguredService {
    /// A service that a scenario file describes: `custom`.
    package static func custom(_ uuid: UUID, _ characteristics: [CustomCharacteristic]) -> ConfiguredService {
        let description = ServiceDescription(
            "custom", uuid, "what the file describes", fields: [],
            characteristics: characteristics.map { characteristic in
                CharacteristicDescription(
                    characteristic.uuid, characteristic.name, characteristic.properties,
                    format: characteristic.format.codec,
                    value: ValueDescription(.custom(characteristic.format), named: characteristic.name),
                    client: ClientUse("custom", importance: .none, isMeasurement: false)
                ) { definition, _ in
                    definition.permissions = characteristic.permissions
                    definition.descriptors = characteristic.descriptors
                    definition.declarationHandle = characteristic.declarationHandle
                    definition.handle = characteristic.handle
                }
            },
            sensor: { CustomSensor(characteristics, $0) })
        return ConfiguredService(
            description, ServiceConfiguration(("characteristics", .characteristics(characteristics))))
    }
}

/// A service that a scenario file describes.
struct CustomSensor: ServiceSensor {
    private struct Content {
        let format: ValueFormat
        private var schedule: Schedule
        /// Its notifications instead of the present value at each period; nil for none.
        private var playback: Playback?
        private var base: SensorInput
        /// The value that a client wrote; overrides the initial one.
        private var written: [UInt8]?
        /// The value that a script set, and its start; overrides both.
        private var taken: (value: SensorInput, begun: Instant)?
        /// The octets of these three that count now; nil if a curve does.
        private(set) var fixed: [UInt8]?

        init(_ characteristic: CustomCharacteristic, seed: UInt64) {
            (format, schedule) = (characteristic.format, Schedule(every: characteristic.period))
            playback = characteristic.recording.map { Playback($0) }
            base =
                switch characteristic.initial {
                case .curve(let curve): .signal(Signal(curve, seed: seed))
                case .octets(let octets): SensorInput.octets(octets).limited
                }
            fixed = base.octets
        }

        /// The written value persists after a script ends its override.
        mutating func write(_ octets: [UInt8]) { (written, taken, fixed) = (octets, nil, octets) }

        mutating func take(_ value: SensorInput?, from begun: Instant) {
            taken = value.map { ($0.limited, begun) }
            fixed = taken == nil ? written ?? base.octets : taken?.value.octets
        }

        var due: Instant { playback?.due ?? schedule.due }

        mutating func didSubscribe(at now: Instant) {
            playback?.start(at: now)
            schedule.reschedule(after: now)
        }

        mutating func reschedule(after now: Instant) {
            playback?.skip(to: now)
            schedule.reschedule(after: now)
        }

        /// The value that is due is about to be sent.
        mutating func advance(at now: Instant) {
            schedule.reschedule(after: now)
            guard playback != nil else { return }
            playback?.advance()
            if taken == nil, let octets = playback?.current { (written, fixed) = (octets, octets) }
        }

        /// Nil for a value without a number, and when its curve has stopped.
        mutating func number(at now: Instant) -> Double? {
            if let begun = taken?.begun { return taken?.value.number(at: now, begun: begun) }
            return written == nil ? base.number(at: now, begun: .start) : nil
        }
    }

    private var contents: [Content]

    init(_ characteristics: [CustomCharacteristic], _ source: SensorSource) {
        contents = characteristics.enumerated().map { index, characteristic in
            Content(characteristic, seed: source.seed("characteristic \(index)"))
        }
    }

    private func index(_ id: ValueID) -> Int? {
        contents.indices.contains(id.index) ? id.index : nil
    }

    /// Nil when its curve has stopped.
    private mutating func octets(_ index: Int, at now: Instant, context: inout SensorContext) -> [UInt8]? {
        if let fixed = contents[index].fixed { return fixed }
        guard let number = contents[index].number(at: now) else { return nil }
        if let range = contents[index].format.range {
            context.noteSaturation(of: number, as: ValueID(index: index, carrier: index), in: range)
        }
        return contents[index].format.octets(of: number)
    }

    mutating func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard let index = index(id) else { throw .unlikelyError }
        return octets(index, at: now, context: &context) ?? []
    }

    func fixedLength(of id: ValueID) -> Int? { index(id).flatMap { contents[$0].format.count } }

    mutating func write(
        _ octets: [UInt8], to id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) {
        guard let index = index(id) else { throw .unlikelyError }
        guard octets.count == contents[index].format.count ?? octets.count else { throw .invalidAttributeValueLength }
        contents[index].write(octets)
    }

    mutating func didSubscribe(to id: ValueID, at now: Instant, context: inout SensorContext) {
        if let index = index(id) { contents[index].didSubscribe(at: now) }
    }

    mutating func reschedule(_ id: ValueID, after now: Instant) {
        if let index = index(id) { contents[index].reschedule(after: now) }
    }

    func nextNotification(of id: ValueID, context: SensorContext) -> Instant {
        index(id).map { contents[$0].due } ?? .never
    }

    /// The whole value; each client's server truncates it to the MTU.
    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        guard let index = index(id) else { return false }
        if trigger == .scheduled { contents[index].advance(at: now) }
        guard let octets = octets(index, at: now, context: &context) else { return false }
        pool.append(octets[...], to: &packet)
        return true
    }

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard let index = index(id) else { return false }
        let isNumber = contents[index].format.count != nil
        switch input {
        case .signal where !isNumber, .octets where isNumber: return false
        default: contents[index].take(input, from: begun ?? now)
        }
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        guard let index = index(id) else { return nil }
        var content = contents[index]
        return content.number(at: now)
    }

    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]? {
        guard let index = index(id) else { return nil }
        return input.limited.octets ?? input.number.flatMap(contents[index].format.octets)
    }
}

extension SensorInput {
    /// Truncates octets to the maximum length of an attribute.
    fileprivate var limited: SensorInput {
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

extension ValueFormat {
    /// The codec of this format; nil for octets.
    var codec: (any CharacteristicValue.Type)? {
        switch self {
        case .uint8: CustomNumber<UInt8>.self
        case .uint16: CustomNumber<UInt16>.self
        case .uint32: CustomNumber<UInt32>.self
        case .sint16: CustomNumber<Int16>.self
        case .utf8: UTF8Text.self
        case .octets: nil
        }
    }
}

private struct CustomNumber<Number: FixedWidthInteger & Sendable>: NumberValue {
    static var field: String { "value" }
    let number: Number
    init(_ number: Number) { self.number = number }
    var words: String { "\(number)" }
}
