public import Basics

/// A device address.  Core 6.0, Vol 6, Part B, section 1.3.
///
/// Text has the most significant octet first, `C0:FF:EE:00:00:01/random`; PDUs have the least significant first.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address type, with HCI's octet: Core 6.0, Vol 4, Part E, section 7.8.12.
    public enum Kind: UInt8, Sendable {
        /// An address that the IEEE assigned.
        case `public` = 0
        /// A static or private address.
        case random = 1
    }

    /// The address in the lower 48 bits.
    public let number: UInt64
    /// The address type: equal numbers with different types are different devices.
    public let kind: Kind

    /// The address in the lower 48 bits of `number`.
    public init(_ number: UInt64, _ kind: Kind) { (self.number, self.kind) = (number & 0xFFFF_FFFF_FFFF, kind) }

    /// Parses six pairs of hexadecimal digits, separated by colons and followed by `/random`, `/public` or nothing
    /// (public); nil for other text.
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

    /// Reads six octets, the least significant first; throws if there are fewer, in the name of `field`.
    public init(kind: Kind, from reader: inout OctetReader, _ field: String) throws(Malformed) {
        self.init(try reader.uint48(field), kind)
    }

    /// Whether this is a resolvable private address: section 1.3.2.2.
    public var isResolvable: Bool { kind == .random && number >> 46 == 0b01 }

    /// Whether this can be an identity address: a public or a static random address.
    public var isIdentity: Bool { kind == .public || number >> 46 == 0b11 }

    /// Six octets, the least significant first.
    public var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    /// `C0:FF:EE:00:00:01/random`.
    public var description: String {
        var text = JSONText()
        write(to: &text)
        return String(text.string.dropFirst().dropLast())
    }
}

extension DeviceAddress: JSONWritable {
    /// Appends `"C0:FF:EE:00:00:01/random"` with its quotes.
    public func write(to text: inout JSONText) {
        text.append("\"")
        let octets = [6 of UInt8] { place in UInt8(truncatingIfNeeded: number >> UInt64(40 - 8 * place)) }
        text.append(hex: octets.span, separator: ":")
        text.append(kind == .random ? "/random\"" : "/public\"")
    }
}
