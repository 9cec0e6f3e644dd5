public import Bluetooth
public import Octets
public import Spelling

/// A value that a client received, or that is no longer true.
///
/// It keeps the octets, which have been checked, and is put into words only when a line is written.
public struct ReceivedValue: Hashable, Sendable {
    private let id: CharacteristicID
    private let octets: [UInt8]?

    /// A value of a characteristic; throws for octets that its codec does not read.
    public init(_ octets: ArraySlice<UInt8>, of id: CharacteristicID) throws(Malformed) {
        try id.format?.check(octets)
        (self.id, self.octets) = (id, Array(octets))
    }

    /// The last value of a characteristic is no longer true.
    public init(expired id: CharacteristicID) { (self.id, octets) = (id, nil) }

    /// What the client does with the characteristic.
    public var use: ClientUse { id.description.client }

    /// Whether it says only that the last value is no longer true.
    public var isExpired: Bool { octets == nil }

    /// Whether a sensor measured it.
    public var isMeasurement: Bool { octets != nil && use.isMeasurement }

    /// For people: `battery 87 %`.
    public var words: String {
        let use = use
        guard let octets else { return "no \(use.key.replacing("_", with: " "))" }
        let words = (try? id.format?.words(octets[...])) ?? ""
        return use.member.map { "\($0): \(words)" } ?? words
    }

    /// The number that the screen shows; nil when there is none.
    public func number(of fact: ScreenFact) -> Double? {
        guard let octets else { return nil }
        return (try? id.format?.number(octets[...], of: fact.key)) ?? nil
    }
}

extension ReceivedValue: JSONWritable {
    /// Adds the value as it is in a client's line.
    public func write(to text: inout JSONText) {
        let (member, format) = (use.member, id.format)
        if let member {
            text.append("{\"")
            text.append(text: member)
            text.append("\": ")
        }
        do throws(Malformed) {
            if let octets {
                try format?.writeLine(octets[...], to: &text)
            } else {
                text.append(format?.expired ?? "null")
            }
        } catch { text.append("null") }
        if member != nil { text.append("}") }
    }
}

/// A characteristic of a service in the registry, by their places: small, and free to copy.
public struct CharacteristicID: Hashable, Sendable {
    private let service: Int16
    private let characteristic: Int16

    /// The characteristic with this UUID in a service; nil when the registry does not have it.
    public init?(_ uuid: UUID, of description: ServiceDescription) {
        guard let service = ServiceRegistry.all.firstIndex(of: description),
            let characteristic = description.characteristics.firstIndex(where: { $0.uuid == uuid })
        else { return nil }
        (self.service, self.characteristic) = (Int16(clamping: service), Int16(clamping: characteristic))
    }

    /// All of the characteristic.
    public var description: CharacteristicDescription {
        ServiceRegistry.all[Int(service)].characteristics[Int(characteristic)]
    }

    /// Only its codec, without a copy of the rest.
    var format: (any CharacteristicValue.Type)? {
        ServiceRegistry.all[Int(service)].characteristics[Int(characteristic)].format
    }
}
