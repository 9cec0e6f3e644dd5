import Bluetooth
import SecurityManager
import Testing

/// The sample data of Core 6.0, Vol 3, Part H, sections 2.2.3 and 2.2.4 (c1, s1), and Appendix D.
@Suite struct FunctionTests {
    static let u = octets("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
    static let v = octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    static let n1: UInt128 = 0xd5cb_8454_d177_733e_ffff_b2ec_712b_aeab
    static let n2: UInt128 = 0xa6e8_e7cc_25a7_5f6e_2165_83f7_ff3d_c4cf
    static let a1 = DeviceAddress(0x5612_3737_bfce, .public)
    static let a2 = DeviceAddress(0xa713_702d_cfc1, .public)

    @Test func `c1: the confirm value of LE legacy pairing`() throws {
        let value = try SecurityFunctions.c1(
            key: 0, random: 0x5783_D521_56AD_6F0E_6388_274E_C670_2EE0, request: octets("01010000100707"),
            response: octets("02030000080005"), initiator: DeviceAddress(0xA1A2_A3A4_A5A6, .random),
            responder: DeviceAddress(0xB1B2_B3B4_B5B6, .public))
        #expect(value == 0x1e1e_3fef_8789_88ea_d2a7_4dc5_bef1_3b86)
    }

    @Test func `s1: the Short Term Key`() throws {
        let value = try SecurityFunctions.s1(
            key: 0, responder: 0x000F_0E0D_0C0B_0A09_1122_3344_5566_7788,
            initiator: 0x0102_0304_0506_0708_99AA_BBCC_DDEE_FF00)
        #expect(value == 0x9a1f_e1f0_e8b0_f49b_5b42_16ae_796d_a062)
    }

    @Test func `f4: the confirm value of LE Secure Connections`() throws {
        #expect(try SecurityFunctions.f4(Self.u, Self.v, Self.n1, 0) == 0xf2c9_16f1_07a9_bd1c_f1ed_a1be_a974_872d)
    }

    @Test func `f5: MacKey and LTK`() throws {
        let keys = try SecurityFunctions.f5(
            dhKey: octets("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"),
            initiator: (Self.n1, Self.a1), responder: (Self.n2, Self.a2))
        #expect(keys.macKey == 0x2965_f176_a108_4a02_fd3f_6a20_ce63_6e20)
        #expect(keys.longTermKey == 0x6986_7911_69d7_cd23_9805_22b5_9475_0a38)
    }

    @Test func `f6: the DHKey check`() throws {
        let value = try SecurityFunctions.f6(
            key: 0x2965_f176_a108_4a02_fd3f_6a20_ce63_6e20, sender: (Self.n1, Self.a1), receiver: (Self.n2, Self.a2),
            0x12a3_343b_b453_bb54_08da_42d2_0c2d_0fc8, ioCap: [1, 1, 2])
        #expect(value == 0xe3c4_7398_9cd0_e8c5_d26c_0b09_da95_8f61)
    }

    @Test func `g2: the number to compare`() throws {
        #expect(try SecurityFunctions.g2(Self.u, Self.v, Self.n1, Self.n2) == 0x2f9e_d5ba % 1_000_000)
    }

    @Test func `ah: the hash of a resolvable private address`() throws {
        let key: UInt128 = 0xec02_34a3_57c8_ad05_3410_10a6_0a39_7d9b
        let address = DeviceAddress(0x7081_940d_fbaa, .random)
        #expect(try address.isResolved(by: key))
        #expect(try !address.isResolved(by: key ^ 1))
        #expect(try !DeviceAddress(0x7081_940d_fbaa, .public).isResolved(by: key))
    }

    @Test(arguments: [0, .max, 0x1234_5678_9ABC_DEF0] as [UInt64])
    func `A generated address is resolvable, with random bits that are not all equal`(draw: UInt64) throws {
        var draws = Draws([draw])
        let address = try DeviceAddress(resolvingKey: 7, using: &draws)
        #expect(address.isResolvable)
        #expect(!address.isIdentity)
        #expect(try address.isResolved(by: 7))
        #expect(![0x40_0000, 0x7F_FFFF].contains(address.number >> 24))
    }
}

/// The octets of a text with hexadecimal digits.
func octets(_ digits: some StringProtocol) -> [UInt8] {
    stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
}

/// A generator with listed numbers, followed by zeros.
struct Draws: RandomNumberGenerator {
    private(set) var rest: ArraySlice<UInt64>

    init(_ numbers: [UInt64]) { rest = numbers[...] }

    /// Numbers of 128 bits, the most significant octet first; 64 bits take two octets of each pair of draws.
    init(octets: [UInt8]) {
        rest =
            stride(from: 0, to: octets.count, by: 8).map { place in
                octets[place..<min(place + 8, octets.count)].reduce(0) { $0 << 8 | UInt64($1) }
            }[...]
    }

    mutating func next() -> UInt64 { rest.popFirst() ?? 0 }
}
