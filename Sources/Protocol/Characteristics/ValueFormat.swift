import Basics

/// The format of a custom value; numbers are little-endian.
public enum ValueFormat: String, CaseIterable, Sendable {
    /// One octet.
    case uint8
    /// Two octets.
    case uint16
    /// Four octets.
    case uint32
    /// Two octets, two's complement.
    case sint16
    /// Text in UTF-8.
    case utf8
    /// Raw octets.
    case octets

    /// Encodes a number, rounded down and clamped to the range; nil for a format without numbers.
    public func octets(of number: Double) -> [UInt8]? {
        var octets: [UInt8] = []
        switch self {
        case .uint8: octets.append(UInt8(saturating: number))
        case .uint16: octets.append(UInt16(saturating: number))
        case .uint32: octets.append(UInt32(saturating: number))
        case .sint16: octets.append(UInt16(bitPattern: Int16(saturating: number.rounded(.down))))
        case .utf8, .octets: return nil
        }
        return octets
    }

    /// The numbers that fit; nil for a format without numbers.
    public var range: ClosedRange<Double>? {
        switch self {
        case .uint8: 0...255
        case .uint16: 0...65535
        case .uint32: 0...4_294_967_295
        case .sint16: -32768...32767
        case .utf8, .octets: nil
        }
    }

    /// The length in octets; nil for a variable length.
    public var count: Int? {
        switch self {
        case .uint8: 1
        case .uint16, .sint16: 2
        case .uint32: 4
        case .utf8, .octets: nil
        }
    }
}
