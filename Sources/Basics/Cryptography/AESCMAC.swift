import CLubdubCrypto

/// The message authentication code AES-CMAC with keys of 128 bits (RFC 4493), on which the security functions and the
/// Database Hash are based. Core 6.0, Vol 3, Part H, section 2.2.5.
///
/// Octets are in the order of the RFC, the most significant first.
public enum AESCMAC {
    /// Length of a key and of a code, in octets.
    public static let count = 16

    /// The code of a message.
    ///
    /// - Parameters:
    ///   - message: The message, of any length.
    ///   - key: The key, 16 octets.
    /// - Returns: The code, 16 octets.
    /// - Throws: `CryptographyFailure` if the key has the wrong length or libcrypto cannot compute the code.
    public static func code(of message: [UInt8], key: [UInt8]) throws(CryptographyFailure) -> [UInt8] {
        guard key.count == count else { throw .keyLength(key.count) }
        var code = [UInt8](repeating: 0, count: count)
        var written = 0
        let result = unsafe EVP_Q_mac(
            nil, "CMAC", nil, "AES-128-CBC", nil, key, key.count, message, message.count, &code, code.count, &written)
        guard unsafe result != nil, written == count else { throw .unavailable }
        return code
    }
}
