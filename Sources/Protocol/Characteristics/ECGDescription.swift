public import Octets

/// ECG Description (0202) of Lubdub's ECG service: 5 octets, the format of the samples.
///
/// | Octets | Field      | Unit       |
/// |--------|------------|------------|
/// | 2      | Rate       | Hz         |
/// | 2      | Resolution | nV per bit |
/// | 1      | Leads      |            |
public struct ECGDescription: Hashable, Sendable {
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

    /// Decodes a value; throws unless it has 5 octets.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        rate = try reader.uint16("Rate")
        resolution = try reader.uint16("Resolution")
        leads = try reader.uint8("Leads")
        try reader.finish()
    }

    /// The encoded value.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(rate)
        octets.append(resolution)
        return octets + [leads]
    }
}
