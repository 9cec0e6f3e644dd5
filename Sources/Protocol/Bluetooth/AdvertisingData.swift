public import Octets

/// What a device tells everyone around it: a row of AD structures.  Core 6.0, Vol 3, Part C, section 11;
/// the formats are those of the Core Specification Supplement 12, Part A, section 1.
///
/// | Octets     | Field   |                                               |
/// |------------|---------|-----------------------------------------------|
/// | 1          | Length  | of what follows; 0 ends the significant part  |
/// | 1          | AD Type | `ADType`                                      |
/// | Length − 1 | AD Data | as the type says                              |
public struct AdvertisingData: Hashable, Sendable {
    /// One length, type and data.
    public struct Structure: Hashable, Sendable {
        /// How `data` is to be read.
        public var type: ADType
        /// 254 octets at most.
        public var data: [UInt8]

        /// A structure as it is, right or wrong.
        public init(_ type: ADType, _ data: [UInt8]) { (self.type, self.data) = (type, data) }

        /// What it takes on the air, its length octet included.
        public var size: Int { 2 + data.count }
    }

    /// A structure that does not fit.  Nothing was added.
    public struct Overflow: Error, Equatable, CustomStringConvertible {
        /// What was to be added.
        public let type: ADType
        /// How many octets it takes.
        public let needs: Int
        /// How many there were room for.
        public let has: Int

        /// For people: `AD type 0x07 needs 18 octets, and 12 are free`.
        public var description: String { "AD type \(type) needs \(needs) octets, and \(has) are free" }
    }

    /// How many octets the data may have.
    public enum Limit: Int, Sendable {
        /// Legacy advertising and scan response PDUs.  Core 6.0, Vol 6, Part B, section 2.3.1.
        case legacy = 31
        /// All PDUs of an extended advertising event together.  Core 6.0, Vol 4, Part E, section 7.8.57.
        case extended = 1650
    }

    /// In the order in which they are sent.  A type that stands twice is read as its first.
    public private(set) var structures: [Structure] = []
    /// How many octets there may be.
    public let limit: Limit

    /// Without a structure.
    public init(limit: Limit = .legacy) { self.limit = limit }

    /// Reads structures up to the first length of 0; what follows must be 0 to the end.
    ///
    /// Throws for more octets than the limit, and for a structure that reaches past the end.
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

    /// As they are sent, without padding: `limit` octets at most.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(size)
        for structure in structures {
            octets.append(UInt8(truncatingIfNeeded: structure.data.count + 1))
            octets.append(structure.type.number)
            octets += structure.data
        }
        return octets
    }

    /// How many octets are left.
    public var free: Int { limit.rawValue - size }

    private var size: Int { structures.reduce(0) { $0 + $1.size } }

    /// Adds a structure at the end, or throws and adds nothing.
    public mutating func append(_ structure: Structure) throws(Overflow) {
        guard structure.size <= free else { throw Overflow(type: structure.type, needs: structure.size, has: free) }
        structures.append(structure)
    }

    /// The data of the first structure of this type; nil when there is none.
    public func data(_ type: ADType) -> [UInt8]? { structures.first { $0.type == type }?.data }
}
