import Basics
import Cryptography

/// One end's part of what makes the keys of two sessions differ: SKD_C and IV_C of the central, or SKD_P and IV_P of
/// the peripheral.  Core 6.0, Vol 6, Part B, sections 2.4.2.4 and 2.4.2.5.
struct SessionPart: Hashable, Sendable {
    /// The part of the session key diversifier, SKD.
    var diversifier: UInt64
    /// The part of the initialization vector, IV, which only real encryption would use.
    var vector: UInt32
}

extension SessionPart {
    /// Random numbers.
    init(from chance: inout RandomStream) {
        self.init(diversifier: chance.next(), vector: UInt32(truncatingIfNeeded: chance.next()))
    }
}

/// The contents of LL_ENC_REQ.  Core 6.0, Vol 6, Part B, section 2.4.2.4.
///
/// | Octets | Field       | Meaning            |
/// |--------|-------------|--------------------|
/// | 8      | Rand        | `random`           |
/// | 2      | EDIV        | `diversifier`      |
/// | 8 + 4  | SKD_C, IV_C | `part`             |
struct EncryptionRequest: Hashable, Sendable {
    /// With `diversifier`, it identifies the Long Term Key to the peripheral's host; 0 for LE Secure Connections.
    var random: UInt64
    /// The encrypted diversifier, EDIV.
    var diversifier: UInt16
    /// The central's part of the session.
    var part: SessionPart
}

/// The key of the packets between two encryption procedures.  Core 6.0, Vol 6, Part B, section 5.1.3.1.
struct SessionKey: Hashable, Sendable {
    /// The more significant 8 octets.
    let high: UInt64
    /// The less significant 8 octets.
    let low: UInt64

    /// The Long Term Key encrypts the session key diversifier, SKD_P ‖ SKD_C.
    ///
    /// - Parameters:
    ///   - longTermKey: 16 octets, the most significant first.
    ///   - central: The part that the central sent.
    ///   - peripheral: The part that the peripheral sent.
    /// - Throws: `CryptographyFailure` if the key has another length or libcrypto cannot encrypt.
    init(
        longTermKey: [UInt8], central: SessionPart, peripheral: SessionPart
    ) throws(CryptographyFailure) {
        let diversifier = Self.octets(of: peripheral.diversifier) + Self.octets(of: central.diversifier)
        let key = try AES128.encrypted(diversifier, key: longTermKey)
        (high, low) = (Self.number(key.prefix(8)), Self.number(key.suffix(8)))
    }

    private static func octets(of number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }

    private static func number(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
}
