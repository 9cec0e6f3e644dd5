import Basics

/// The number of a command: a group of 6 bits (OGF) and a number in the group of 10 bits (OCF).  Core 6.0, Vol 4,
/// Part E, section 5.4.1.  `Command.reset.opcode` is that of a known kind.
public struct Opcode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, as it is sent.
    public let rawValue: UInt16

    /// Any 16 bits are an opcode.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Not a command: an event with it states only how many commands may be sent.  Section 7.7.14.
    public static let none = Opcode(rawValue: 0)

    /// The first two octets of a command packet, whatever follows them; nil when there are fewer.
    public init?(ofCommand octets: [UInt8]) {
        guard octets.count >= 2 else { return nil }
        rawValue = UInt16(octets[0]) | UInt16(octets[1]) << 8
    }

    /// The specification's name without `HCI_`; the number of an unknown command: `0xFC01`.
    public var name: String { Command.kindByOpcode[self]?.name ?? "0x" + rawValue.zeroPadded(to: 4, radix: 16) }

    /// The bit of Supported Commands (section 6.27); nil for a command that has none.
    public var supportedBit: (octet: Int, bit: Int)? { Command.kindByOpcode[self]?.supportedBit }

    /// The name.
    public var description: String { name }
}
