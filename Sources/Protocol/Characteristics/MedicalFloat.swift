/// FLOAT, a 32-bit decimal number.  IEEE 11073-20601, annex F (FLOAT-Type); medfloat32 of the GATT Specification
/// Supplement.
///
/// | Octets | Field    |                                               |
/// |--------|----------|-----------------------------------------------|
/// | 3      | mantissa | two's complement, the least significant first |
/// | 1      | exponent | two's complement; value: mantissa × 10^exponent |
///
/// The exponent gives the precision: 37.00 is 3700 × 10⁻².  With exponent 0, five mantissas are special values.
public struct MedicalFloat: Hashable, Sendable {
    /// All 32 bits; the exponent is the most significant octet.
    public let bits: UInt32

    /// Special values, with exponent 0.
    public enum Special: UInt32, CaseIterable, Sendable {
        /// +INFINITY: too large.
        case positiveInfinity = 0x007F_FFFE
        /// NaN: an invalid result.
        case notANumber = 0x007F_FFFF
        /// NRes: not representable at this resolution.
        case notAtThisResolution = 0x0080_0000
        /// Reserved for future use.
        case reserved = 0x0080_0001
        /// -INFINITY: too large, negative.
        case negativeInfinity = 0x0080_0002
    }

    /// The number or special value with these bits.
    public init(bits: UInt32) { self.bits = bits }

    /// A special value.
    public init(_ special: Special) { bits = special.rawValue }

    /// The nearest number with the given number of decimals, clamped to 0...9.
    ///
    /// If the mantissa does not fit, the result has fewer decimals; numbers that are still too large become infinite.
    public init(_ value: Double, decimals: Int) {
        let decimals = min(max(0, decimals), 9)
        var (exponent, mantissa) = (-decimals, value * Self.power(decimals))
        while mantissa.rounded().magnitude > Self.maximumMantissa, exponent <= 127 {
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

    /// The special value; nil for a number.
    public var special: Special? { Special(rawValue: bits) }

    /// The power of ten, -128 to 127.
    public var exponent: Int { Int(Int8(truncatingIfNeeded: Int32(bitPattern: bits) >> 24)) }

    /// The mantissa, -8388608 to 8388607.
    public var mantissa: Int { Int(Int32(bitPattern: bits << 8) >> 8) }

    /// The nearest `Double`; infinite for the infinities, nil for other special values.
    public var value: Double? {
        switch special {
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .notANumber, .notAtThisResolution, .reserved: nil
        case nil where exponent < 0: Double(mantissa) / Self.power(-exponent)
        case nil: Double(mantissa) * Self.power(exponent)
        }
    }

    private static let maximumMantissa = 8_388_605.0  // with exponent 0, larger ones are special values

    private static func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
