public import Octets

/// Battery Level, 0x2A19: one octet, 0 % to 100 %.  Battery Service 1.1, section 3.1.
public struct BatteryLevel: Hashable, Sendable {
    /// 0 to 100.
    public let percent: UInt8

    /// Nil above 100.
    public init?(percent: UInt8) {
        guard percent <= 100 else { return nil }
        self.percent = percent
    }

    /// Reads a value as it came; throws unless it has one octet, and above 100.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let percent = try reader.uint8("Battery Level")
        try reader.finish()
        guard let level = Self(percent: percent) else {
            throw .prohibited(field: "Battery Level", at: 0, value: Int(percent), allowed: "0 to 100")
        }
        self = level
    }

    /// The value as it is sent.
    public var octets: [UInt8] { [percent] }
}
