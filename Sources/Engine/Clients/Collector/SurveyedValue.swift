package import Basics
package import Bluetooth

/// A value of which the client knows only the UUID.
package struct SurveyedValue: Hashable, Sendable {
    /// The service.
    package let service: UUID
    package let characteristic: UUID
    /// The type of the descriptor; nil for the characteristic's value.
    package let descriptor: UUID?
    package let handle: UInt16
    package let octets: [UInt8]

    package init(service: UUID, characteristic: UUID, descriptor: UUID?, handle: UInt16, octets: [UInt8]) {
        (self.service, self.characteristic, self.descriptor) = (service, characteristic, descriptor)
        (self.handle, self.octets) = (handle, octets)
    }

    /// `2A58: 53 74 72 61 70 "Strap"`; only the text if there are many octets.
    package var words: String {
        let name = descriptor.map { "\($0) of \(characteristic)" } ?? "\(characteristic)"
        let text = text.map(\.quoted)
        let isShort = octets.count <= 20 || text == nil
        let hex = octets.isEmpty ? "no octets" : octets.hex
        return "\(name): " + [isShort ? hex : nil, text].compactMap(\.self).joined(separator: " ")
    }

    /// The octets as printable text; nil if they are none, or too few to tell.
    private var text: String? {
        guard octets.count > 1, let text = String(validating: octets, as: UTF8.self) else { return nil }
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
    }
}

extension SurveyedValue: JSONWritable {
    /// Writes the value of a client's line.
    package func write(to text: inout JSONText) {
        text.append(text: "{\"service\": \"\(service)\", \"uuid\": \"\(characteristic)\"")
        if let descriptor { text.append(text: ", \"descriptor\": \"\(descriptor)\"") }
        text.append(text: ", \"handle\": \(handle), \"octets\": \"")
        text.append(hex: octets[...], separator: " ")
        text.append("\"}")
    }
}
