import Characteristics
import Testing

@Suite struct MedicalFloatTests {
    @Test(
        arguments: [
            (36.4, 1, 0xFF00_016C), (37, 2, 0xFE00_0E74), (98.6, 1, 0xFF00_03DA), (-5, 1, 0xFFFF_FFCE), (0, 0, 0),
            (-0.0, 1, 0xFF00_0000), (25, 0, 0x0000_0019), (36.65, 1, 0xFF00_016F), (-0.04, 1, 0xFF00_0000),
            (36.6, -1, 0x0000_0025), (1, 99, 0xFA0F_4240),  // 9 decimals are the most, and 6 of them fit
            // a mantissa that does not fit has fewer decimals
            (838_860.5, 1, 0xFF7F_FFFD), (838_860.6, 1, 0x000C_CCCD), (-838_860.5, 1, 0xFF80_0003),
            (8_388_606, 0, 0x010C_CCCD), (1e12, 1, 0x060F_4240),
            (8_388_605e127, 0, 0x7F7F_FFFD), (-8_388_605e127, 0, 0x7F80_0003),
            // too large numbers are infinite
            (1e134, 0, 0x007F_FFFE), (1e300, 1, 0x007F_FFFE), (-1e300, 1, 0x0080_0002), (.infinity, 1, 0x007F_FFFE),
            (-.infinity, 1, 0x0080_0002), (.greatestFiniteMagnitude, 9, 0x007F_FFFE), (.nan, 1, 0x007F_FFFF),
        ] as [(Double, Int, UInt32)])
    func `A number is encoded`(value: Double, decimals: Int, bits: UInt32) {
        #expect(MedicalFloat(value, decimals: decimals).bits == bits)
    }

    @Test(
        arguments: [
            (0xFF00_016C, 364, -1, 36.4), (0xFE00_0E74, 3700, -2, 37), (0xFFFF_FFCE, -50, -1, -5), (0, 0, 0, 0),
            (0x0080_0003, -8_388_605, 0, -8_388_605), (0x007F_FFFD, 8_388_605, 0, 8_388_605),
            // the mantissas of special values are numbers with another exponent
            (0x017F_FFFF, 8_388_607, 1, 83_886_070), (0xFF80_0000, -8_388_608, -1, -838_860.8),
            (0x8000_0001, 1, -128, 1e-128), (0x7F00_0001, 1, 127, 1e127),
        ] as [(UInt32, Int, Int, Double)])
    func `Bits are decoded`(bits: UInt32, mantissa: Int, exponent: Int, value: Double) throws {
        let float = MedicalFloat(bits: bits)
        #expect((float.mantissa, float.exponent) == (mantissa, exponent))
        #expect(float.special == nil)
        #expect(abs(try #require(float.value) - value) <= value.magnitude * 1e-12)
    }

    @Test func `Special values have no number`() {
        let values = MedicalSpecialValue.allCases.map { MedicalFloat($0).value }
        #expect(values == [.infinity, nil, nil, nil, -.infinity])
        for special in MedicalSpecialValue.allCases { #expect(MedicalFloat(special).special == special) }
    }

    @Test func `Temperatures with one decimal survive encoding`() {
        for tenth in -500...1200 {
            let value = Double(tenth) / 10
            #expect(MedicalFloat(value, decimals: 1).value == value)
            #expect(MedicalFloat(value, decimals: 2).value == value)
        }
    }
}
