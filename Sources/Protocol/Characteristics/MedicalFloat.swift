/// A decimal number of IEEE 11073-20601, annex F: mantissa × 10^exponent, both two's complement.
///
/// The exponent gives the precision: 37.00 is 3700 × 10⁻².  With exponent 0, five mantissas are special values.
public protocol MedicalDecimal: Hashable, Sendable {
    /// An integer of all bits.
    associatedtype Bits: FixedWidthInteger & UnsignedInteger
    /// All bits: the exponent, then the mantissa.
    var bits: Bits { get }
    /// The number or special value with these bits.
    init(bits: Bits)
    /// The number of bits of the mantissa.
    static var mantissaBits: Int { get }
    /// The maximum number of decimals.
    static var maximumDecimals: Int { get }
}

/// FLOAT, a 32-bit decimal number.  IEEE 11073-20601, annex F (FLOAT-Type); medfloat32 of the GATT Specification
/// Supplement.
///
/// | Octets | Field    |                                               |
/// |--------|----------|-----------------------------------------------|
/// | 3      | mantissa | two's complement, the least significant first |
/// | 1      | exponent | two's complement                              |
public struct MedicalFloat: MedicalDecimal {
    /// All 32 bits; the exponent is the most significant octet.
    public let bits: UInt32

    /// The number or special value with these bits.
    public init(bits: UInt32) { self.bits = bits }

    /// 24.
    public static var mantissaBits: Int { 24 }
    /// 9.
    public static var maximumDecimals: Int { 9 }
}

/// SFLOAT, a 16-bit decimal number.  IEEE 11073-20601, annex F (SFLOAT-Type); medfloat16 of the GATT Specification
/// Supplement.
///
/// | Bits     | Field    |                  |
/// |----------|----------|------------------|
/// | 0 to 11  | mantissa | two's complement |
/// | 12 to 15 | exponent | two's complement |
public struct MedicalShortFloat: MedicalDecimal {
    /// All 16 bits; the exponent is the most significant half octet.
    public let bits: UInt16

    /// The numbers that are not encoded as an infinity.
    public static let range = -20_450_000_000.0...20_450_000_000.0

    /// The number or special value with these bits.
    public init(bits: UInt16) { self.bits = bits }

    /// 12.
    public static var mantissaBits: Int { 12 }
    /// 8.
    public static var maximumDecimals: Int { 8 }
}

/// The special values of a `MedicalDecimal`: the difference of its mantissa from the one that is not representable.
public enum MedicalSpecialValue: Int, CaseIterable, Sendable {
    /// +INFINITY: too large.
    case positiveInfinity = -2
    /// NaN: an invalid result.
    case notANumber = -1
    /// NRes: not representable at this resolution.
    case notAtThisResolution = 0
    /// Reserved for future use.
    case reserved = 1
    /// -INFINITY: too large, negative.
    case negativeInfinity = 2
}

extension MedicalDecimal {
    /// A special value.
    public init(_ special: MedicalSpecialValue) {
        self.init(bits: Bits(truncatingIfNeeded: Self.notAtThisResolution + special.rawValue))
    }

    /// The nearest number with the given number of decimals, clamped to 0 to `maximumDecimals`.
    ///
    /// If the mantissa does not fit, the result has fewer decimals; numbers that are still too large become infinite.
    public init(_ value: Double, decimals: Int) {
        let maximumMantissa = Double(Self.notAtThisResolution - 3)  // with exponent 0, larger ones are special values
        let maximumExponent = 1 << (Bits.bitWidth - Self.mantissaBits - 1) - 1
        let decimals = min(max(0, decimals), Self.maximumDecimals)
        var (exponent, mantissa) = (-decimals, value * power(decimals))
        while mantissa.rounded().magnitude > maximumMantissa, exponent <= maximumExponent {
            mantissa /= 10
            exponent += 1
        }
        if value.isNaN {
            self.init(.notANumber)
        } else if exponent > maximumExponent {
            self.init(value < 0 ? .negativeInfinity : .positiveInfinity)
        } else {
            let low = Bits(truncatingIfNeeded: Int(mantissa.rounded())) & (1 << Self.mantissaBits - 1)
            self.init(bits: Bits(truncatingIfNeeded: exponent) << Self.mantissaBits | low)
        }
    }

    /// The special value; nil for a number.
    public var special: MedicalSpecialValue? { MedicalSpecialValue(rawValue: Int(bits) - Self.notAtThisResolution) }

    /// The power of ten.
    public var exponent: Int { twosComplement(Int(bits) >> Self.mantissaBits, bits: Bits.bitWidth - Self.mantissaBits) }

    /// The digits, as a whole number.
    public var mantissa: Int { twosComplement(Int(bits), bits: Self.mantissaBits) }

    /// The nearest `Double`; infinite for the infinities, nil for other special values.
    public var value: Double? {
        switch special {
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .notANumber, .notAtThisResolution, .reserved: nil
        case nil where exponent < 0: Double(mantissa) / power(-exponent)
        case nil: Double(mantissa) * power(exponent)
        }
    }

    private static var notAtThisResolution: Int { 1 << (mantissaBits - 1) }
}

private func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { power, _ in power * 10 } }

/// The lowest bits of a number.
private func twosComplement(_ number: Int, bits: Int) -> Int {
    (number << (Int.bitWidth - bits)) >> (Int.bitWidth - bits)
}
