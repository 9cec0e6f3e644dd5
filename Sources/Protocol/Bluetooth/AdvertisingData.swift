public import Basics

/// Advertising or scan response data: a list of AD structures.  Core 6.0, Vol 3, Part C, section 11; Core Specification
/// Supplement 12, Part A, section 1.
///
/// | Octets     | Field   |                                               |
/// |------------|---------|-----------------------------------------------|
/// | 1          | Length  | of AD Type and AD Data; 0 ends the list       |
/// | 1          | AD Type | `ADType`                                      |
/// | Length − 1 | AD Data | depends on AD Type                            |
public struct AdvertisingData: Hashable, Sendable {
    /// One AD structure.
    public struct Structure: Hashable, Sendable {
        /// The type of `data`.
        public var type: ADType
        /// At most 254 octets, valid or not.
        public var data: [UInt8]

        /// A structure with this data.
        public init(_ type: ADType, _ data: [UInt8]) { (self.type, self.data) = (type, data) }

        /// Its encoded length in octets.
        public var size: Int { 2 + data.count }

        /// Length, type and data.
        public var octets: [UInt8] { [UInt8(truncatingIfNeeded: data.count + 1), type.number] + data }
    }

    /// A structure does not fit, and was not added.
    public struct Overflow: Error, Equatable, CustomStringConvertible {
        /// The type of the structure.
        public let type: ADType
        /// Its encoded length in octets.
        public let needs: Int
        /// The number of free octets.
        public let has: Int

        /// `AD type 0x07 needs 18 octets, but only 12 are free`.
        public var description: String { "AD type \(type) needs \(needs) octets, but only \(has) are free" }
    }

    /// The maximum length of the data, in octets.
    public enum Limit: Int, Sendable {
        /// Legacy advertising and scan response PDUs.  Core 6.0, Vol 6, Part B, section 2.3.1.
        case legacy = 31
        /// All PDUs of an extended advertising event together.  Core 6.0, Vol 4, Part E, section 7.8.57.
        case extended = 1650
    }

    /// The structures in order.  Properties such as `flags` use the first structure of their type.
    public private(set) var structures: [Structure] = []
    /// The maximum length.
    public let limit: Limit

    /// Empty data.
    public init(limit: Limit = .legacy) { self.limit = limit }

    /// Decodes structures up to the first Length of 0; only zeros may follow.
    ///
    /// Throws for more octets than the limit, for a structure that is not complete, and for other padding.
    public init(octets: [UInt8], limit: Limit = .legacy) throws(Malformed) {
        self.limit = limit
        guard octets.count <= limit.rawValue else {
            throw .tooLong(at: limit.rawValue, surplus: octets.count - limit.rawValue)
        }
        var reader = OctetReader(octets)
        while reader.remaining > 0 {
            let length = try reader.uint8("Length")
            guard length > 0 else { break }
            let type = ADType(try reader.uint8("AD Type"))
            structures.append(Structure(type, try reader.octets("AD Data", count: Int(length) - 1)))
        }
        while reader.remaining > 0 {
            let at = reader.position
            let padding = try reader.uint8("Length")
            guard padding == 0 else {
                throw .prohibited(field: "padding", at: at, value: Int(padding), allowed: "0 after a Length of 0")
            }
        }
    }

    /// The encoded structures, without padding: at most `limit` octets.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(size)
        for structure in structures { octets += structure.octets }
        return octets
    }

    /// The number of free octets.
    public var free: Int { limit.rawValue - size }

    private var size: Int { structures.reduce(0) { $0 + $1.size } }

    /// Appends a structure; throws if it does not fit.
    public mutating func append(_ structure: Structure) throws(Overflow) {
        guard structure.size <= free else { throw Overflow(type: structure.type, needs: structure.size, has: free) }
        structures.append(structure)
    }

    /// The data of the first structure of this type; nil if there is none.
    public func data(_ type: ADType) -> [UInt8]? { structures.first { $0.type == type }?.data }
}
