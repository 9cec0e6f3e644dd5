public import Octets

/// ECG Description (0202) of Lubdub's own service: 5 octets, how samples are to be read.
///
/// | Octets | Field      | Unit       |
/// |--------|------------|------------|
/// | 2      | Rate       | Hz         |
/// | 2      | Resolution | nV per bit |
/// | 1      | Leads      |            |
public struct ECGDescription: Hashable, Sendable {
    /// Samples per second.
    public var rate: UInt16
    /// In nanovolts; 1000 for microvolts.
    public var resolution: UInt16
    /// How many leads there are.
    public var leads: UInt8

    /// Microvolts of one lead, unless said otherwise.
    public init(rate: UInt16, resolution: UInt16 = 1000, leads: UInt8 = 1) {
        (self.rate, self.resolution, self.leads) = (rate, resolution, leads)
    }

    /// Reads a value as it came; throws unless it has 5 octets.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        rate = try reader.uint16("Rate")
        resolution = try reader.uint16("Resolution")
        leads = try reader.uint8("Leads")
        try reader.finish()
    }

    /// The value as it is sent.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(rate)
        octets.append(resolution)
        return octets + [leads]
    }
}
