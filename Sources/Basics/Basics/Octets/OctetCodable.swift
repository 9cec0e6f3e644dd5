/// A value with a layout: fields that are read and written in a fixed order.
public protocol OctetCodable: SendableMetatype {
    /// Reads the fields; throws if they are incomplete or prohibited.
    init(from reader: inout OctetReader) throws(Malformed)

    /// Appends the fields in the order of the layout.
    func append(to octets: inout [UInt8])
}

extension OctetCodable {
    /// Reads exactly these octets; throws if they are too few, too many, or prohibited.
    @inlinable public init(octets: [UInt8]) throws(Malformed) { try self.init(octets: octets[...]) }

    /// Reads exactly these octets; throws if they are too few, too many, or prohibited.
    @inlinable public init(octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = OctetReader(octets)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// The encoded value.
    @inlinable public var octets: [UInt8] {
        var octets: [UInt8] = []
        append(to: &octets)
        return octets
    }
}
