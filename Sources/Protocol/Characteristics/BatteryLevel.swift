public import Basics

/// Battery Level, 0x2A19: one octet, 0 % to 100 %.  Battery Service 1.1, section 3.1.
public struct BatteryLevel: OctetCodable, Hashable, Sendable {
    /// 0 to 100.
    public let percent: UInt8

    /// A level in percent; nil above 100.
    public init?(percent: UInt8) {
        guard percent <= 100 else { return nil }
        self.percent = percent
    }

    /// Reads one octet, the last one; throws if it is above 100.
    public init(from reader: inout OctetReader) throws(Malformed) {
        percent = try reader.uint8("Battery Level")
        try reader.finish()
        try reader.check(percent <= 100, "Battery Level", percent, allowed: "0 to 100")
    }

    /// Appends one octet.
    public func append(to octets: inout [UInt8]) { octets.append(percent) }
}
