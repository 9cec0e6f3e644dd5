public import Basics

/// ECG Description (0202) of Lubdub's ECG service: 5 octets, the format of the samples.
///
/// | Octets | Field      | Unit       |
/// |--------|------------|------------|
/// | 2      | Rate       | Hz         |
/// | 2      | Resolution | nV per bit |
/// | 1      | Leads      |            |
public struct ECGDescription: OctetCodable, Hashable, Sendable {
    /// Samples per second.
    public var rate: UInt16
    /// Nanovolts per bit; 1000 for samples in microvolts.
    public var resolution: UInt16
    /// The number of leads.
    public var leads: UInt8

    /// A description; by default of one lead in microvolts.
    public init(rate: UInt16, resolution: UInt16 = 1000, leads: UInt8 = 1) {
        (self.rate, self.resolution, self.leads) = (rate, resolution, leads)
    }

    /// Reads 5 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        rate = try reader.uint16("Rate")
        resolution = try reader.uint16("Resolution")
        leads = try reader.uint8("Leads")
    }

    /// Appends 5 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(rate)
        octets.append(resolution)
        octets.append(leads)
    }
}
