import Basics
import Testing

/// LE Encrypt, LE Read Local P-256 Public Key and LE Generate DHKey.  Core 6.0, Vol 4, Part E, sections 7.8.22, 7.8.36
/// and 7.8.37.
struct KeyAgreementTests {
    /// The second public key and the DHKey of the debug key and it: Core 6.0, Vol 2, Part G, section 7.1.2.1.  Numbers are
    /// in the order of HCI.
    static let publicKey =
        reversed("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190")
        + reversed("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")
    static let sharedSecret = reversed("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")

    static func reversed(_ digits: String) -> String { hex(octets(digits).reversed()) }

    static func generate(_ key: String, version: Int = 1, type: String = "01") -> String {
        version == 1 ? "2620 40" + key : "5E20 41" + key + type
    }

    static func harness(controllers: Int = 1) -> AirspaceHarness {
        var harness = AirspaceHarness.unmasked(controllers: controllers)
        for host in 0..<controllers { _ = harness.ask(host, "0120 08 8001000000000000") }
        return harness
    }

    /// The event with the public key.
    private static func publicKey(of host: Int, _ harness: inout AirspaceHarness) -> String {
        let answers = harness.ask(host, "2520 00")
        #expect(answers.first == "0F0400012520")
        #expect(answers.last?.hasPrefix("3E420800") == true && answers.count == 2)
        return String(answers.last?.dropFirst(8) ?? "")
    }

    /// FIPS 197, appendix C.1.
    @Test func `A block is encrypted`() {
        var harness = Self.harness()
        let (key, block) = ("0F0E0D0C0B0A09080706050403020100", "FFEEDDCCBBAA99887766554433221100")
        #expect(harness.ask(0, "1720 20" + key + block) == ["0E1401172000" + "5AC5B47080B7CDD830047B6AD8E0C469"])
    }

    @Test func `Two controllers agree on a secret`() {
        var harness = Self.harness(controllers: 2)
        let keys = [0, 1].map { Self.publicKey(of: $0, &harness) }
        let secrets = [0, 1].map { harness.ask($0, Self.generate(keys[1 - $0])) }
        #expect(secrets[0] == secrets[1])
        #expect(secrets[0].first == "0F0400012620")
        #expect(secrets[0].last?.hasPrefix("3E220900") == true)
        #expect(harness.ask(0, Self.generate(keys[1], version: 2, type: "00")).last == secrets[0].last)
        #expect(Self.publicKey(of: 0, &harness) != keys[0], "each time another pair")
    }

    @Test func `The debug key is that of the specification`() {
        var harness = Self.harness()
        #expect(
            harness.ask(0, Self.generate(Self.publicKey, version: 2)) == [
                "0F0400015E20", "3E220900" + Self.sharedSecret,
            ])
    }

    @Test func `There is no secret without a key pair`() {
        var harness = Self.harness()
        #expect(harness.ask(0, Self.generate(Self.publicKey)) == ["0F040C012620"])
        #expect(harness.ask(0, Self.generate(Self.publicKey, version: 2, type: "00")) == ["0F040C015E20"])
        #expect(harness.ask(0, Self.generate(Self.publicKey, version: 2, type: "02")) == ["0F0412015E20"])
        _ = Self.publicKey(of: 0, &harness)
        _ = harness.ask(0, "030C 00")
        #expect(harness.ask(0, Self.generate(Self.publicKey)) == ["0F040C012620"])
    }

    /// CVE-2018-5383.
    @Test func `A point that is not on the curve is rejected`() {
        var harness = Self.harness()
        _ = Self.publicKey(of: 0, &harness)
        let zeros = String(repeating: "00", count: 32)
        for point in ["00" + Self.publicKey.dropFirst(2), Self.publicKey.prefix(64) + zeros, zeros + zeros] {
            #expect(harness.ask(0, Self.generate(point)) == ["0F0400012620", "3E220912" + zeros])
        }
    }

    @Test func `Masked events are not sent`() {
        var harness = Self.harness()
        _ = harness.ask(0, "0120 08 1F00000000000000")
        #expect(harness.ask(0, "2520 00") == ["0F0400012520"])
        #expect(harness.ask(0, Self.generate(Self.publicKey)) == ["0F0400012620"])
    }
}
