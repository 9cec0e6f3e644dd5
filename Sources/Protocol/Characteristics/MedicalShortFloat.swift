/// SFLOAT, a 16-bit decimal number.  IEEE 11073-20601, annex F (SFLOAT-Type); medfloat16 of the GATT Specification
/// Supplement.
///
/// | Bits     | Field    |                                                 |
/// |----------|----------|-------------------------------------------------|
/// | 0 to 11  | mantissa | two's complement                                |
/// | 12 to 15 | exponent | two's complement; value: mantissa × 10^exponent |
///
/// With exponent 0, five mantissas are special values.
public struct MedicalShortFloat: Hashable, Sendable {
    /// All 16 bits; the exponent is the most significant half octet.
    public let bits: UInt16

    /// Special values, with exponent 0.
    public enum Special: UInt16, CaseIterable, Sendable {
        /// +INFINITY: too large.
        case positiveInfinity = 0x07FE
        /// NaN: an invalid result.
        case notANumber = 0x07FF
        /// NRes: not representable at this resolution.
        case notAtThisResolution = 0x0800
        /// Reserved for future use.
        case reserved = 0x0801
        /// -INFINITY: too large, negative.
        case negativeInfinity = 0x0802
    }

    /// The numbers that are not encoded as an infinity.
    public static let range = -20_450_000_000.0...20_450_000_000.0

    /// The number or special value with these bits.
    public init(bits: UInt16) { self.bits = bits }

    /// A special value.
    public init(_ special: Special) { bits = special.rawValue }

    /// The nearest number with the given number of decimals, clamped to 0...8.
    ///
    /// If the mantissa does not fit, the result has fewer decimals; numbers that are still too large become infinite.
    public init(_ value: Double, decimals: Int) {
        let decimals = min(max(0, decimals), 8)
        var (exponent, mantissa) = (-decimals, value * Self.power(decimals))
        while mantissa.rounded().magnitude > Self.maximumMantissa, exponent <= 7 {
            mantissa /= 10
            exponent += 1
        }
        if value.isNaN {
            self.init(.notANumber)
        } else if exponent > 7 {
            self.init(value < 0 ? .negativeInfinity : .positiveInfinity)
        } else {
            let low = UInt16(bitPattern: Int16(mantissa.rounded())) & 0x0FFF
            self.init(bits: UInt16(truncatingIfNeeded: exponent) << 12 | low)
        }
    }

    /// The special value; nil for a number.
    public var special: Special? { Special(rawValue: bits) }

    /// The power of ten, -8 to 7.
    public var exponent: Int { Int(Int16(bitPattern: bits) >> 12) }

    /// The mantissa, -2048 to 2047.
    public var mantissa: Int { Int(Int16(bitPattern: bits << 4) >> 4) }

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

    private static let maximumMantissa = 2045.0  // with exponent 0, larger ones are special values

    private static func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
