public import Octets

/// Steps (0101), Steps Today (0102) and Feed Value (0401) of Lubdub's own services: four octets, a number.
public struct VendorCount: Hashable, Sendable {
    /// 0 to 4294967295.
    public let number: UInt32

    /// This number.
    public init(_ number: UInt32) { self.number = number }

    /// The whole number below; the nearest that fits for what does not, and 0 for what is no number.
    public init(roundingDown value: Double) { number = UInt32(saturating: value) }

    /// Reads a value as it came, in the name of `field`; throws unless it has four octets.
    public init(octets: [UInt8], _ field: String) throws(Malformed) { try self.init(octets: octets[...], field) }

    /// The same for octets where they lie, without a copy.
    public init(octets: ArraySlice<UInt8>, _ field: String) throws(Malformed) {
        var reader = OctetReader(octets)
        number = try reader.uint32(field)
        try reader.finish()
    }

    /// The value as it is sent.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(number)
        return octets
    }

    /// Adds the value at the end of a packet, without an allocation.
    public func append(to packet: inout Packet, in pool: inout PacketPool) {
        pool.append(UInt16(truncatingIfNeeded: number), to: &packet)
        pool.append(UInt16(truncatingIfNeeded: number >> 16), to: &packet)
    }
}
