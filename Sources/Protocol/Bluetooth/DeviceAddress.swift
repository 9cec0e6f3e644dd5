public import Octets
public import Spelling

/// What a device is called on the air.  Core 6.0, Vol 6, Part B, section 1.3.
///
/// Written `C0:FF:EE:00:00:01/random`, the highest octet first; sent the lowest octet first.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The octet that HCI uses for it: Core 6.0, Vol 4, Part E, section 7.8.12.
    public enum Kind: UInt8, Sendable {
        /// A number that the IEEE assigned.
        case `public` = 0
        /// A static or private number.
        case random = 1
    }

    /// The lower 48 bits are the address.
    public let number: UInt64
    /// Part of the address: the same number of the other kind is another device.
    public let kind: Kind

    /// The lower 48 bits of `number`.
    public init(_ number: UInt64, _ kind: Kind) { (self.number, self.kind) = (number & 0xFFFF_FFFF_FFFF, kind) }

    /// Reads six pairs of hexadecimal digits with colons between, and `/public` or `/random` behind them
    /// (left out: public); nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let pairs = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        let kinds = ["public": Kind.public, "random": Kind.random]
        guard pairs.count == 6, parts.count <= 2, let kind = parts.count == 1 ? .public : kinds[String(parts[1])]
        else { return nil }
        var number: UInt64 = 0
        for pair in pairs {
            guard pair.utf8.count == 2, pair.first != "+", let octet = UInt8(pair, radix: 16) else { return nil }
            number = number << 8 | UInt64(octet)
        }
        self.init(number, kind)
    }

    /// Takes six octets, the lowest first; throws when there are fewer.
    public init(kind: Kind, from reader: inout OctetReader, _ field: String) throws(Malformed) {
        let octets = try reader.octets(field, count: 6)
        self.init(octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }, kind)
    }

    /// Six octets, the lowest first.
    public var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    /// `C0:FF:EE:00:00:01/random`.
    public var description: String {
        var text = JSONText()
        write(to: &text)
        return String(text.string.dropFirst().dropLast())
    }
}

extension DeviceAddress: JSONWritable {
    /// Adds `"C0:FF:EE:00:00:01/random"`, with its quotes.
    public func write(to text: inout JSONText) {
        text.append("\"")
        text.append(hex: octets.reversed()[...], separator: ":")
        text.append(kind == .random ? "/random\"" : "/public\"")
    }
}
