public import Basics

/// Service Changed, 0x2A05: 4 octets.  Core 6.0, Vol 3, Part G, section 7.1.
///
/// | Octets | Field                                    |
/// |--------|------------------------------------------|
/// | 2      | Start of Affected Attribute Handle Range |
/// | 2      | End of Affected Attribute Handle Range   |
public struct ServiceChanged: OctetCodable, Hashable, Sendable {
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

    /// Reads 4 octets; throws unless the start is above 0, and the end not below the start.
    public init(from reader: inout OctetReader) throws(Malformed) {
        func handle(_ field: String, from least: UInt16) throws(Malformed) -> UInt16 {
            let handle = try reader.uint16(field)
            try reader.check(handle >= least, field, handle, allowed: "\(least) to 65535")
            return handle
        }
        let start = try handle("Start of Affected Attribute Handle Range", from: 1)
        handles = start...(try handle("End of Affected Attribute Handle Range", from: start))
    }

    /// Appends 4 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handles.lowerBound)
        octets.append(handles.upperBound)
    }
}
