public import Octets

/// Service Changed, 0x2A05: 4 octets.  Core 6.0, Vol 3, Part G, section 7.1.
///
/// | Octets | Field                                    |
/// |--------|------------------------------------------|
/// | 2      | Start of Affected Attribute Handle Range |
/// | 2      | End of Affected Attribute Handle Range   |
public struct ServiceChanged: Hashable, Sendable {
    /// The range of handles whose attributes may have changed; never 0.
    public let handles: ClosedRange<UInt16>

    /// All attributes may have changed.
    public static let everything = ServiceChanged()

    /// A range of handles; nil if it begins at 0, which is not a handle.
    public init?(handles: ClosedRange<UInt16>) {
        guard handles.lowerBound > 0 else { return nil }
        self.handles = handles
    }

    private init() { handles = 1...0xFFFF }

    /// Decodes a value; throws unless it has 4 octets, a start above 0, and an end that is not below the start.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let start = try reader.uint16("Start of Affected Attribute Handle Range")
        guard start > 0 else {
            throw .prohibited(
                field: "Start of Affected Attribute Handle Range", at: 0, value: 0, allowed: "1 to 65535")
        }
        let field = "End of Affected Attribute Handle Range"
        let end = try reader.uint16(field)
        guard end >= start else {
            throw .prohibited(field: field, at: 2, value: Int(end), allowed: "\(start) to 65535")
        }
        try reader.finish()
        handles = start...end
    }

    /// The encoded value.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(handles.lowerBound)
        octets.append(handles.upperBound)
        return octets
    }
}
