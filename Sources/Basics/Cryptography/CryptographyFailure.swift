/// The reason why a cryptographic function has no result.
public enum CryptographyFailure: Error, Hashable, Sendable {
    /// The key has this number of octets instead of 16 (AES) or 32 (P-256).
    case keyLength(Int)
    /// The block has this number of octets instead of 16.
    case blockLength(Int)
    /// The private key is 0, or not less than the order of the curve.
    case privateKeyRange
    /// libcrypto does not support the function, or is out of memory.
    case unavailable
}
