public import Basics

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
