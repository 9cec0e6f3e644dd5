public import Octets

/// Battery Level, 0x2A19: one octet, 0 % to 100 %.  Battery Service 1.1, section 3.1.
public struct BatteryLevel: Hashable, Sendable {
    /// 0 to 100.
    public let percent: UInt8

    /// A level in percent; nil above 100.
    public init?(percent: UInt8) {
        guard percent <= 100 else { return nil }
        self.percent = percent
    }

    /// Decodes a value; throws unless it is one octet of at most 100.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let percent = try reader.uint8("Battery Level")
        try reader.finish()
        guard let level = Self(percent: percent) else {
            throw .prohibited(field: "Battery Level", at: 0, value: Int(percent), allowed: "0 to 100")
        }
        self = level
    }

    /// The encoded value.
    public var octets: [UInt8] { [percent] }
}
