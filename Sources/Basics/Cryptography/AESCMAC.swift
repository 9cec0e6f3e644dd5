import CCrypto

/// The message authentication code AES-CMAC with keys of 128 bits, as RFC 4493 has it: what the security functions and
/// the Database Hash are made of.  Core 6.0, Vol 3, Part H, section 2.2.5.
///
/// Octets stand as in the RFC: the first is the most significant.
public enum AESCMAC {
    /// How many octets a key has, and a code.
    public static let count = 16

    /// Why there is no code.
    public enum Failure: Error, Hashable, Sendable {
        /// A key has 16 octets, not so many.
        case keyLength(Int)
        /// The system's libcrypto does not know AES-CMAC, or is out of memory.
        case unavailable
    }

    /// The code of a message of any length, 16 octets.
    public static func code(of message: [UInt8], key: [UInt8]) throws(Failure) -> [UInt8] {
        guard key.count == count else { throw .keyLength(key.count) }
        var code = [UInt8](repeating: 0, count: count)
        var written = 0
        let result = unsafe EVP_Q_mac(
            nil, "CMAC", nil, "AES-128-CBC", nil, key, key.count, message, message.count, &code, code.count, &written)
        guard unsafe result != nil, written == count else { throw .unavailable }
        return code
    }
}
