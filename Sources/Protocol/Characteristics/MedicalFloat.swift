/// FLOAT, a decimal number of 32 bits.  IEEE 11073-20601, annex F (FLOAT-Type);
/// medfloat32 of the GATT Specification Supplement.
///
/// | Octets | Field    |                                        |
/// |--------|----------|----------------------------------------|
/// | 3      | mantissa | two's complement, the lowest first     |
/// | 1      | exponent | two's complement: mantissa × 10^exponent |
///
/// The exponent says how precise the number is: 37.00 is 3700 × 10⁻², and stays so.  With an exponent of 0, five
/// mantissas are no numbers.
public struct MedicalFloat: Hashable, Sendable {
    /// All 32 bits: the exponent is the highest octet.
    public let bits: UInt32

    /// What no number has: special values, all with the exponent 0.
    public enum Special: UInt32, CaseIterable, Sendable {
        /// +INFINITY: too large to be said.
        case positiveInfinity = 0x007F_FFFE
        /// NaN: an invalid result.
        case notANumber = 0x007F_FFFF
        /// NRes: it cannot be said with this resolution.
        case notAtThisResolution = 0x0080_0000
        /// Reserved for future use.
        case reserved = 0x0080_0001
        /// -INFINITY: too large to be said.
        case negativeInfinity = 0x0080_0002
    }

    /// The number, or the special value, that these bits are; every pattern is one.
    public init(bits: UInt32) { self.bits = bits }

    /// One that is no number.
    public init(_ special: Special) { bits = special.rawValue }

    /// The nearest number with so many decimals, 0 to 9.
    ///
    /// A mantissa that does not fit takes fewer decimals; what is too large even so is infinite.
    public init(_ value: Double, decimals: Int) {
        let decimals = min(max(0, decimals), 9)
        var (exponent, mantissa) = (-decimals, value * Self.power(decimals))
        while mantissa.rounded().magnitude > Self.most, exponent <= 127 {
            mantissa /= 10
            exponent += 1
        }
        if value.isNaN {
            self.init(.notANumber)
        } else if exponent > 127 {
            self.init(value < 0 ? .negativeInfinity : .positiveInfinity)
        } else {
            let low = UInt32(bitPattern: Int32(mantissa.rounded())) & 0x00FF_FFFF
            self.init(bits: UInt32(UInt8(bitPattern: Int8(exponent))) << 24 | low)
        }
    }

    /// Nil for a number.
    public var special: Special? { Special(rawValue: bits) }

    /// How many decimals there are when negative, and how many zeros behind the mantissa when not.
    public var exponent: Int { Int(Int8(truncatingIfNeeded: Int32(bitPattern: bits) >> 24)) }

    /// The digits: -8388608 to 8388607.
    public var mantissa: Int { Int(Int32(bitPattern: bits << 8) >> 8) }

    /// The number, to the last bits of a `Double`; infinities are infinite, and other special values nil.
    public var value: Double? {
        switch special {
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .notANumber, .notAtThisResolution, .reserved: nil
        case nil where exponent < 0: Double(mantissa) / Self.power(-exponent)
        case nil: Double(mantissa) * Self.power(exponent)
        }
    }

    private static let most = 8_388_605.0  // those above are special with an exponent of 0

    private static func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
