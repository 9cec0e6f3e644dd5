import Cryptography
import Testing

/// Core 6.0, Vol 2, Part G, section 7.1.2.
@Suite struct P256Tests {
    struct Sample: Sendable {
        let privateKeys: [String]
        let publicKeys: [(x: String, y: String)]
        let sharedSecret: String
    }

    static let samples = [
        Sample(
            privateKeys: [
                "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
                "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
            ],
            publicKeys: [
                (
                    "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6",
                    "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b"
                ),
                (
                    "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190",
                    "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a"
                ),
            ],
            sharedSecret: "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"),
        Sample(
            privateKeys: [
                "06a516693c9aa31a6084545d0c5db641b48572b97203ddffb7ac73f7d0457663",
                "529aa0670d72cd6497502ed473502b037e8803b5c60829a5a3caa219505530ba",
            ],
            publicKeys: [
                (
                    "2c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd",
                    "919512183898dfbecd52e2408e43871fd021109117bd3ed4eaf8437743715d4f"
                ),
                (
                    "f465e43ff23d3f1b9dc7dfc04da8758184dbc966204796eccf0d6cf5e16500cc",
                    "0201d048bcbbd899eeefc424164e33c201c2b010ca6b4d43a8a155cad8ecb279"
                ),
            ],
            sharedSecret: "ab85843a2f6d883f62e5684b38e307335fe6e1945ecd19604105c6f23221eb69"),
    ]

    @Test(arguments: samples) func `Keys and secrets of the sample data`(sample: Sample) throws {
        let pairs = try sample.privateKeys.map { try P256KeyPair(privateKey: octets($0)) }
        for (pair, expected) in zip(pairs, sample.publicKeys) {
            #expect(pair.publicKey.x == octets(expected.x))
            #expect(pair.publicKey.y == octets(expected.y))
            #expect(P256PublicKey(x: pair.publicKey.x, y: pair.publicKey.y) == pair.publicKey)
        }
        let (first, second) = (try #require(pairs.first), try #require(pairs.last))
        #expect(try first.sharedSecret(with: second.publicKey) == octets(sample.sharedSecret))
        #expect(try second.sharedSecret(with: first.publicKey) == octets(sample.sharedSecret))
    }

    /// The order of the curve, and the prime of its field: FIPS 186-4, section D.1.2.3.
    static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    static let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    static let zero = String(repeating: "0", count: 64)

    @Test func `A private key is from 1 to the order minus 1`() throws {
        for digits in [Self.zero, Self.order, String(repeating: "f", count: 64)] {
            #expect(throws: CryptographyFailure.privateKeyRange) { try P256KeyPair(privateKey: octets(digits)) }
        }
        let one = try P256KeyPair(privateKey: octets(Self.zero.dropLast() + "1"))
        let last = try P256KeyPair(privateKey: octets(Self.order.dropLast() + "0"))
        // The base point and its negative.
        #expect(one.publicKey.x == octets("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"))
        #expect(one.publicKey.x == last.publicKey.x)
        #expect(one.publicKey.y != last.publicKey.y)
    }

    @Test(arguments: [0, 31, 33]) func `A private key of another length is rejected`(count: Int) {
        let key = [UInt8](repeating: 1, count: count)
        #expect(throws: CryptographyFailure.keyLength(count)) { try P256KeyPair(privateKey: key) }
    }

    /// CVE-2018-5383.
    @Test func `A point that is not on the curve is not a public key`() throws {
        let key = try P256KeyPair(privateKey: octets(Self.samples[0].privateKeys[0])).publicKey
        var x = key.x
        x[31] ^= 1
        let zeros = octets(Self.zero)
        #expect(P256PublicKey(x: x, y: key.y) == nil)
        #expect(P256PublicKey(x: key.x, y: zeros) == nil)
        #expect(P256PublicKey(x: zeros, y: zeros) == nil)
        #expect(P256PublicKey(x: key.y, y: key.x) == nil)
    }

    /// x = 0 is on the curve, y being the square root of b; x = p is the same number of the field, but not a coordinate.
    @Test func `A coordinate is less than the prime`() {
        let root = octets("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
        #expect(P256PublicKey(x: octets(Self.zero), y: root) != nil)
        #expect(P256PublicKey(x: octets(Self.prime), y: root) == nil)
        #expect(P256PublicKey(x: octets(String(repeating: "f", count: 64)), y: root) == nil)
    }

    @Test(arguments: [0, 31, 33]) func `A coordinate of another length is rejected`(count: Int) throws {
        let key = try P256KeyPair(privateKey: octets(Self.samples[0].privateKeys[0])).publicKey
        let wrong = count < 32 ? Array(key.x.prefix(count)) : [0] + key.x
        #expect(P256PublicKey(x: wrong, y: key.y) == nil)
        #expect(P256PublicKey(x: key.x, y: wrong) == nil)
    }
}
