import ScenarioModel
import Testing

/// Octets in the text of scenarios, also in the form in which Lubdub prints them.
@Suite struct OctetTests {
    @Test(
        arguments: [
            ("", []), ("06", [0x06]), ("063c", [0x06, 0x3C]), ("063C", [0x06, 0x3C]), ("06 3C", [0x06, 0x3C]),
            ("06 3c ff", [0x06, 0x3C, 0xFF]), ("063C fF", [0x06, 0x3C, 0xFF]),
        ] as [(String, [UInt8])])
    func `Pairs of digits may be separated by a space`(text: String, octets: [UInt8]) {
        #expect(Value.octets(of: text) == octets)
    }

    @Test(arguments: ["0", "06 3", "06  3C", " 06", "06 ", "0 6", "0x06", "06,3C", "g0", "٠٦", "é0"])
    func `Other text has no octets`(text: String) { #expect(Value.octets(of: text) == nil) }
}
