public import Basics
public import Bluetooth

/// PnP ID, 0x2A50: 7 octets.  Device Information Service 1.2, section 3.9.
///
/// | Octets | Field            |                                        |
/// |--------|------------------|----------------------------------------|
/// | 1      | Vendor ID Source | 1 Bluetooth SIG, 2 USB Forum           |
/// | 2      | Vendor ID        | assigned by that source                |
/// | 2      | Product ID       | assigned by the vendor                 |
/// | 2      | Product Version  | 0xJJMN for version JJ.M.N              |
public struct PnPID: OctetCodable, Hashable, Sendable {
    /// The organization that assigned a vendor ID.
    public enum Source: UInt8, CaseIterable, Sendable {
        /// Assigned Numbers, section 7.1.
        case bluetoothSIG = 1
        /// The USB Implementers Forum.
        case usbForum = 2
    }

    /// The organization that assigned `vendor`.
    public var source: Source
    /// The vendor ID.
    public var vendor: UInt16
    /// The vendor's product ID.
    public var product: UInt16
    /// The product version: 0x0213 is 2.1.3.
    public var version: UInt16

    /// A product of a vendor.
    public init(source: Source, vendor: UInt16, product: UInt16, version: UInt16) {
        (self.source, self.vendor, self.product, self.version) = (source, vendor, product, version)
    }

    /// Reads 7 octets; throws for a source that is not assigned.
    public init(from reader: inout OctetReader) throws(Malformed) {
        source = try reader.choice("Vendor ID Source", allowed: "1 or 2")
        vendor = try reader.uint16("Vendor ID")
        product = try reader.uint16("Product ID")
        version = try reader.uint16("Product Version")
    }

    /// Appends 7 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(source.rawValue)
        octets.append(vendor)
        octets.append(product)
        octets.append(version)
    }
}

/// System ID, 0x2A23: 8 octets.  Device Information Service 1.2, section 3.7.
///
/// | Octets | Field                               |
/// |--------|-------------------------------------|
/// | 5      | Manufacturer-defined Identifier     |
/// | 3      | Organizationally Unique Identifier  |
public struct SystemID: OctetCodable, Hashable, Sendable {
    /// The Manufacturer-defined Identifier: 40 bits.
    public let manufacturerDefined: UInt64
    /// The Organizationally Unique Identifier: 24 bits.
    public let organization: UInt32

    /// A System ID from the lower 40 and the lower 24 bits of the arguments.
    public init(manufacturerDefined: UInt64, organization: UInt32) {
        self.manufacturerDefined = manufacturerDefined & 0xFF_FFFF_FFFF
        self.organization = organization & 0xFF_FFFF
    }

    /// The System ID of a public device address: 0xFFFE between the halves of the address.
    public init(_ address: DeviceAddress) {
        self.init(
            manufacturerDefined: 0xFF_FE00_0000 | address.number & 0xFF_FFFF,
            organization: UInt32(truncatingIfNeeded: address.number >> 24))
    }

    /// Reads 8 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let number = try reader.uint64("System ID")
        self.init(manufacturerDefined: number, organization: UInt32(truncatingIfNeeded: number >> 40))
    }

    /// Appends 8 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(manufacturerDefined | UInt64(organization) << 40)
    }
}
