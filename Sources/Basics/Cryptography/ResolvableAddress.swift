/// Resolvable private addresses as numbers of 48 bits: 22 random bits and a hash that only holders of the IRK can check.
/// Core 6.0, Vol 6, Part B, section 1.3.2.2.
///
/// | Bits     | Meaning                          |
/// |----------|----------------------------------|
/// | 46 to 47 | 01: resolvable private           |
/// | 24 to 45 | random, not all equal            |
/// | 0 to 23  | the hash ah of bits 24 to 47     |
///
/// Keys are 16 octets, the most significant first.
public enum ResolvableAddress {
    /// ah: the hash of the lower 24 bits of `prand`.  Core 6.0, Vol 3, Part H, section 2.2.2.
    ///
    /// - Throws: `CryptographyFailure` if the key has the wrong length or libcrypto cannot compute.
    public static func hash(of prand: UInt32, key: [UInt8]) throws(CryptographyFailure) -> UInt32 {
        let octets = [16, 8, 0].map { UInt8(truncatingIfNeeded: prand >> $0) }
        let block = [UInt8](repeating: 0, count: AES128.count - octets.count) + octets
        return try AES128.encrypted(block, key: key).suffix(octets.count).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A new address of the device with this IRK.
    ///
    /// - Throws: `CryptographyFailure` if the key has the wrong length or libcrypto cannot compute.
    public static func number(
        key: [UInt8], using generator: inout some RandomNumberGenerator
    ) throws(CryptographyFailure) -> UInt64 {
        // All bits equal are prohibited: 1 and 0x3FFFFE take their place.
        let bits = min(max(UInt32(truncatingIfNeeded: generator.next() >> 42), 1), 0x3F_FFFE)
        let prand = 0x40_0000 | bits
        return UInt64(prand) << 24 | UInt64(try hash(of: prand, key: key))
    }

    /// Whether the device with this IRK has generated a random address with this number.
    ///
    /// - Throws: `CryptographyFailure` if the key has the wrong length or libcrypto cannot compute.
    public static func isResolved(_ number: UInt64, key: [UInt8]) throws(CryptographyFailure) -> Bool {
        guard number >> 46 == 0b01 else { return false }
        return UInt64(try hash(of: UInt32(truncatingIfNeeded: number >> 24), key: key)) == number & 0xFF_FFFF
    }
}
