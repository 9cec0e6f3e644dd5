package import ATT
package import Basics
package import Bluetooth

/// The value of a characteristic declaration.  Core 6.0, Vol 3, Part G, section 3.3.1.
///
/// | octets | field |
/// |---|---|
/// | 1 | Characteristic Properties |
/// | 2 | Characteristic Value Handle |
/// | 2 or 16 | Characteristic UUID |
package struct CharacteristicDeclaration: OctetCodable, Hashable, Sendable {
    package var properties: CharacteristicProperties
    package var valueHandle: UInt16
    package var uuid: UUID

    init(_ properties: CharacteristicProperties, valueHandle: UInt16, _ uuid: UUID) {
        (self.properties, self.valueHandle, self.uuid) = (properties, valueHandle, uuid)
    }

    package init(from reader: inout OctetReader) throws(Malformed) {
        properties = CharacteristicProperties(rawValue: try reader.uint8("Characteristic Properties"))
        valueHandle = try reader.uint16("Characteristic Value Handle")
        uuid = try UUID(rest: &reader)
    }

    package func append(to octets: inout [UInt8]) {
        octets.append(properties.rawValue)
        octets.append(valueHandle)
        octets += uuid.octets
    }
}

/// The value of an include declaration.  Core 6.0, Vol 3, Part G, section 3.2.
///
/// | octets | field |
/// |---|---|
/// | 2 | Included Service Attribute Handle |
/// | 2 | End Group Handle |
/// | 0 or 2 | Service UUID, if it has 16 bits |
package struct IncludeDeclaration: OctetCodable, Hashable, Sendable {
    /// The handles of the included service.
    package var range: HandleRange
    /// Nil for a UUID of 128 bits, which only the declaration of the included service has.
    package var uuid: UUID?

    init(_ range: HandleRange, _ uuid: UUID) { (self.range, self.uuid) = (range, uuid.number == nil ? nil : uuid) }

    package init(from reader: inout OctetReader) throws(Malformed) {
        range = HandleRange(
            try reader.uint16("Included Service Attribute Handle"), try reader.uint16("End Group Handle"))
        uuid = reader.remaining == 0 ? nil : UUID(try reader.uint16("Service UUID"))
    }

    package func append(to octets: inout [UInt8]) {
        octets.append(range.first)
        octets.append(range.last)
        if let number = uuid?.number { octets.append(number) }
    }
}

extension UUID {
    /// Reads the remaining octets as a UUID.
    init(rest reader: inout OctetReader) throws(Malformed) {
        let octets = reader.rest()
        guard let uuid = UUID(octets: octets) else {
            throw .prohibited(field: "length of UUID", at: 0, value: octets.count, allowed: "2 or 16")
        }
        self = uuid
    }
}
