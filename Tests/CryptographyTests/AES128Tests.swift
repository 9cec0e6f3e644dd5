import Cryptography
import Testing

@Suite struct AES128Tests {
    /// FIPS 197, appendix C.1; NIST SP 800-38A, section F.1.1; and the hash function of random addresses, Core 6.0, Vol
    /// 3, Part H, section D.7.
    @Test(arguments: [
        ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
        ("2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"),
        ("ec0234a357c8ad05341010a60a397d9b", "00000000000000000000000000708194", "159d5fb72ebe2311a48c1bdcc40dfbaa"),
    ])
    func `The ciphertexts of the specifications`(key: String, block: String, expected: String) throws {
        #expect(try AES128.encrypted(octets(block), key: octets(key)) == octets(expected))
    }

    /// The session key: Core 6.0, Vol 6, Part C, section 1.
    @Test func `The session key of the sample data`() throws {
        let diversifiers = octets("0213243546576879acbdcedfe0f10213")
        let key = try AES128.encrypted(diversifiers, key: octets("4c68384139f574d836bcf34e9dfb01bf"))
        #expect(key == octets("99ad1b5226a37e3e058e3b8e27c2c666"))
    }

    @Test(arguments: [0, 15, 17, 32]) func `A key or block of another length is rejected`(count: Int) {
        let (right, wrong) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: count))
        #expect(throws: CryptographyFailure.keyLength(count)) { try AES128.encrypted(right, key: wrong) }
        #expect(throws: CryptographyFailure.blockLength(count)) { try AES128.encrypted(wrong, key: right) }
    }
}
