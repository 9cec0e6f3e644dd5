public import Bluetooth
public import Cryptography

/// Resolvable private addresses: 22 random bits and a hash that only holders of the IRK can check.
/// Core 6.0, Vol 6, Part B, section 1.3.2.2; Vol 3, Part H, section 2.2.2.
///
/// | Bits     | Meaning                |
/// |----------|------------------------|
/// | 46 to 47 | 01: resolvable private |
/// | 24 to 45 | random, not all equal  |
/// | 0 to 23  | ah of bits 24 to 47    |
extension DeviceAddress {
    /// A new resolvable private address of the device with this IRK.
    public init(
        resolvingKey: UInt128, using generator: inout some RandomNumberGenerator
    ) throws(CryptographyFailure) {
        // All bits equal are prohibited: 1 and 0x3FFFFE take their place.
        let bits = min(max(UInt32(truncatingIfNeeded: generator.next() >> 42), 1), 0x3F_FFFE)
        let prand = 0x40_0000 | bits
        let hash = try SecurityFunctions.ah(key: resolvingKey, prand)
        self.init(UInt64(prand) << 24 | UInt64(hash), .random)
    }

    /// Whether the device with this IRK has generated this address.
    public func isResolved(by resolvingKey: UInt128) throws(CryptographyFailure) -> Bool {
        guard isResolvable else { return false }
        let hash = try SecurityFunctions.ah(key: resolvingKey, UInt32(truncatingIfNeeded: number >> 24))
        return UInt64(hash) == number & 0xFF_FFFF
    }

    /// Whether this is a resolvable private address.
    public var isResolvable: Bool { kind == .random && number >> 46 == 0b01 }

    /// Whether this can be an identity address: a public or a static random address.
    public var isIdentity: Bool { kind == .public || number >> 46 == 0b11 }
}
