public import Basics

/// Steps (0101), Steps Today (0102) and Feed Value (0401) of Lubdub's services: a number of four octets.
public struct VendorCount: Hashable, Sendable {
    /// 0 to 4294967295.
    public let number: UInt32

    /// A value with this number.
    public init(_ number: UInt32) { self.number = number }

    /// A number rounded down and clamped to the range; 0 for NaN.
    public init(roundingDown value: Double) { number = UInt32(saturating: value) }

    /// Decodes a value; throws unless it has four octets, in the name of `field`.
    public init(octets: [UInt8], _ field: String) throws(Malformed) {
        var reader = OctetReader(octets)
        number = try reader.uint32(field)
        try reader.finish()
    }

    /// The encoded value.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(number)
        return octets
    }

    /// Appends the encoded value to a packet, without allocating.
    public func append(to packet: inout Packet, in pool: inout PacketPool) {
        pool.append(UInt16(truncatingIfNeeded: number), to: &packet)
        pool.append(UInt16(truncatingIfNeeded: number >> 16), to: &packet)
    }
}
