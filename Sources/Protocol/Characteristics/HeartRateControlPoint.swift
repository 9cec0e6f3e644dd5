public import Basics

/// Heart Rate Control Point, 0x2A39: one octet.  Heart Rate Service 1.0, section 3.3.
public enum HeartRateControlPoint: UInt8, OctetCodable, CaseIterable, Sendable {
    /// Reset Energy Expended to 0.
    case resetEnergyExpended = 1

    /// The ATT error for an unknown command: Control Point Not Supported.  Heart Rate Service 1.0, section 1.6.
    public static let controlPointNotSupported: UInt8 = 0x80

    /// Reads one octet.  Throws `.tooShort` or `.tooLong` unless it is the only one, and `.prohibited` for a reserved
    /// command: a server answers them with different ATT errors.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let field = "Heart Rate Control Point"
        let number = try reader.uint8(field)
        try reader.finish()
        guard let command = Self(rawValue: number) else {
            throw .prohibited(field: field, at: 0, value: Int(number), allowed: "1")
        }
        self = command
    }

    /// Appends one octet.
    public func append(to octets: inout [UInt8]) { octets.append(rawValue) }
}
