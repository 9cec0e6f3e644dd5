import CLubdubCrypto

/// The block cipher AES with keys of 128 bits (FIPS 197): the security function e.  Core 6.0, Vol 3, Part H, section
/// 2.2.1.
///
/// Octets are in the order of FIPS 197, the most significant first.
public enum AES128 {
    /// Length of a key and of a block, in octets.
    public static let count = 16

    /// Encrypts one block.
    ///
    /// - Parameters:
    ///   - block: The plaintext, 16 octets.
    ///   - key: The key, 16 octets.
    /// - Returns: The ciphertext, 16 octets.
    /// - Throws: `CryptographyFailure` if a length is wrong or libcrypto cannot encrypt.
    public static func encrypted(_ block: [UInt8], key: [UInt8]) throws(CryptographyFailure) -> [UInt8] {
        guard key.count == count else { throw .keyLength(key.count) }
        guard block.count == count else { throw .blockLength(block.count) }
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unavailable }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var ciphertext = [UInt8](repeating: 0, count: count)
        var written: Int32 = 0
        guard unsafe EVP_EncryptInit_ex2(context, EVP_aes_128_ecb(), key, nil, nil) == 1,
            unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            unsafe EVP_EncryptUpdate(context, &ciphertext, &written, block, Int32(count)) == 1, written == count
        else { throw .unavailable }
        return ciphertext
    }
}
