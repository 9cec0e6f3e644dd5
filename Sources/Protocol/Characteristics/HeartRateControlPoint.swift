public import Octets

/// Heart Rate Control Point, 0x2A39: one octet.  Heart Rate Service 1.0, section 3.3.
public enum HeartRateControlPoint: UInt8, CaseIterable, Sendable {
    /// Energy Expended starts again from 0.
    case resetEnergyExpended = 1

    /// What a server answers to a command that it does not know.  Heart Rate Service 1.0, section 1.6.
    public static let controlPointNotSupported: UInt8 = 0x80

    /// Reads a value as it came.  Throws `.tooShort` or `.tooLong` unless it has one octet, and `.prohibited` for a
    /// command that is reserved for future use: these two differ in the ATT error they get.
    public init(octets: [UInt8]) throws(Malformed) {
        let field = "Heart Rate Control Point"
        var reader = OctetReader(octets)
        let number = try reader.uint8(field)
        try reader.finish()
        guard let command = Self(rawValue: number) else {
            throw .prohibited(field: field, at: 0, value: Int(number), allowed: "1")
        }
        self = command
    }

    /// The value as it is sent.
    public var octets: [UInt8] { [rawValue] }
}
