public import Basics
public import Bluetooth

/// The value of Appearance, 0x2A01: two octets.  Core 6.0, Vol 3, Part C, section 12.2.
extension Appearance: OctetCodable {
    /// Reads 2 octets.
    public init(from reader: inout OctetReader) throws(Malformed) { self.init(try reader.uint16("Appearance")) }

    /// Appends 2 octets.
    public func append(to octets: inout [UInt8]) { octets.append(number) }
}
