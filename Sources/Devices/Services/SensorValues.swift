import Bluetooth
public import Characteristics
public import GATT
public import Sensors
public import Simulation

// What the sensors say in the same words.

extension SensorInput? {
    /// A signal or its end; nil for what no signal can take.
    public var signal: Signal?? {
        switch self {
        case .signal(let signal): .some(signal)
        case nil: .some(nil)
        case .octets: nil
        }
    }

    /// Whether it is octets, or their end.
    public var isTextOrEnd: Bool { if case .signal = self { false } else { true } }
}

extension Gauge {
    /// Takes over or gives back by a clock on the wall; nobody asks for what was before.
    public mutating func set(_ signal: Signal?, at now: Instant, begun: Instant?, by clock: WallClock) {
        set(signal, at: clock.sensorTime(at: now), begun: begun.map { clock.sensorTime(at: $0) })
        forget(before: clock.sensorTime(at: now))
    }
}

extension CharacteristicDefinition {
    /// One of Lubdub's own, with what people read about it.
    public init(_ kind: VendorUUID, properties: CharacteristicProperties) {
        let descriptors = kind.userDescription.map { [DescriptorDefinition.userDescription($0)] }
        self.init(uuid: kind.uuid, properties: properties, descriptors: descriptors ?? [])
    }
}

extension DescriptorDefinition {
    /// Characteristic User Description.  Core 6.0, Vol 3, Part G, section 3.3.3.2.
    public static func userDescription(_ text: String) -> DescriptorDefinition {
        DescriptorDefinition(uuid: .characteristicUserDescription, value: Array(text.utf8))
    }
}

extension String {
    /// The whole characters that fit into so many octets, from the first on.
    public func utf8(atMost count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for character in self {
            guard octets.count + character.utf8.count <= count else { break }
            octets += character.utf8
        }
        return octets
    }
}
