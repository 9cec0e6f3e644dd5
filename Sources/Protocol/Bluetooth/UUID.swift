import Basics

/// The identifier of a service, a characteristic or a descriptor.  Core 6.0, Vol 3, Part B, section 2.5.1.
///
/// The 16-bit UUID XXXX equals the 128-bit UUID `0000XXXX-0000-1000-8000-00805F9B34FB`.
public struct UUID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    /// A 16-bit UUID.
    public init(_ number: UInt16) { self.init(high: UInt64(number) << 32 | Self.baseHigh, low: Self.baseLow) }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Decodes 2 or 16 octets, the least significant first; nil for any other number of octets.
    public init?(octets: [UInt8]) {
        func number(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        switch octets.count {
        case 2: self.init(UInt16(octets[0]) | UInt16(octets[1]) << 8)
        case 16: self.init(high: number(octets[8...]), low: number(octets[..<8]))
        default: return nil
        }
    }

    /// Parses four hexadecimal digits, or 32 in groups of 8, 4, 4, 4 and 12 separated by hyphens; nil for other text.
    public init?(_ text: some StringProtocol) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isHex = text.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte) || byte == 45
        }
        guard isHex else { return nil }
        switch groups.map(\.utf8.count) {
        case [4]:
            guard let number = UInt16(groups[0], radix: 16) else { return nil }
            self.init(number)
        case [8, 4, 4, 4, 12]:
            guard let high = UInt64(groups[0...2].joined(), radix: 16),
                let low = UInt64(groups[3...4].joined(), radix: 16)
            else { return nil }
            self.init(high: high, low: low)
        default: return nil
        }
    }

    /// The 16-bit form; nil if there is none.
    public var number: UInt16? {
        low == Self.baseLow && high & 0xFFFF_0000_FFFF_FFFF == Self.baseHigh
            ? UInt16(truncatingIfNeeded: high >> 32) : nil
    }

    /// The shortest form, 2 or 16 octets, the least significant first.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        if let number { octets.append(number) } else { octets = fullOctets }
        return octets
    }

    /// The 128-bit form, 16 octets, the least significant first.
    public var fullOctets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(low)
        octets.append(high)
        return octets
    }

    /// `180D` for a 16-bit UUID; else 32 digits in groups, in lower case.
    public var description: String {
        func hex(_ value: UInt64, _ digits: Int) -> String { value.zeroPadded(to: digits, radix: 16).lowercased() }
        if let number { return number.zeroPadded(to: 4, radix: 16) }
        return [
            hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
            hex(low & 0xFFFF_FFFF_FFFF, 12),
        ].joined(separator: "-")
    }
}
