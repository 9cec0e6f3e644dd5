package import Basics
package import Bluetooth
package import Devices

/// A value that a client received, or its expiry.
///
/// It keeps the octets, which were checked, and decodes them only for output.
package struct ReceivedValue: Hashable, Sendable {
    private let id: CharacteristicID
    private let octets: [UInt8]?

    package init(_ octets: ArraySlice<UInt8>, of id: CharacteristicID) throws(Malformed) {
        try id.format?.check(octets)
        (self.id, self.octets) = (id, Array(octets))
    }

    package init(expired id: CharacteristicID) { (self.id, octets) = (id, nil) }

    package var use: ClientUse { id.description.client }

    package var isExpired: Bool { octets == nil }

    package var isMeasurement: Bool { octets != nil && use.isMeasurement }

    /// In words: `battery 87 %`.
    package var words: String {
        let use = use
        guard let octets else { return "no \(use.key.replacing("_", with: " "))" }
        let words = (try? id.format?.words(octets[...])) ?? ""
        return use.member.map { "\($0): \(words)" } ?? words
    }

    /// The number that the screen shows; nil when there is none.
    package func number(of fact: ScreenFact) -> Double? {
        guard let octets else { return nil }
        return (try? id.format?.number(octets[...], of: fact.key)) ?? nil
    }
}

extension ReceivedValue: JSONWritable {
    /// Writes the value of a client's line.
    package func write(to text: inout JSONText) {
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

/// A characteristic in the registry, by index: small, and free to copy.
package struct CharacteristicID: Hashable, Sendable {
    private let service: Int16
    private let characteristic: Int16

    /// The characteristic with this UUID in a service; nil when it is not in the registry.
    package init?(_ uuid: UUID, of description: ServiceDescription) {
        guard let service = ServiceRegistry.all.firstIndex(of: description),
            let characteristic = description.characteristics.firstIndex(where: { $0.uuid == uuid })
        else { return nil }
        (self.service, self.characteristic) = (Int16(clamping: service), Int16(clamping: characteristic))
    }

    package var description: CharacteristicDescription {
        ServiceRegistry.all[Int(service)].characteristics[Int(characteristic)]
    }

    /// Only its codec, without copying the rest.
    var format: (any CharacteristicValue.Type)? {
        ServiceRegistry.all[Int(service)].characteristics[Int(characteristic)].format
    }
}
