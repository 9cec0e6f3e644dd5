import ScenarioModel
import Testing

@testable import Expectations

/// What wrong values look like.
@Suite struct KnownMistakeTests {
    @Test(
        arguments: [
            ("bpm", "11265", "300", "swapped octets"), ("bpm", "1", "256", "swapped octets"),
            ("bpm", "44", "300", "only one of two octets"),
            ("bpm", "12606", "62", "two octets read where one was sent"),
            ("rr_ms", "[1024, 512]", "[1000, 500]", "RR-Intervals in 1/1024 s, taken for ms"),
            ("rr_ms", "[6.8, 812.5]", "[812.5]", "Energy Expended, taken for an RR-Interval"),
            ("celsius", "97.88", "36.6", "degrees Fahrenheit, taken for Celsius"),
            (
                "contact", "false", "null",
                "bits 1 and 2 of the flags, read as one (without bit 2, the contact is unknown)"
            ),
            (
                "contact", "true", "false",
                "bits 1 and 2 of the flags, read as one (without bit 2, the contact is unknown)"
            ),
            ("bpm", "-56", "200", "a signed octet"), ("rr_ms", "[125]", "[750, 625]", "only one of two octets"),
            ("celsius", "1677721.1", "-0.5", "a number with sign, read without"),
            ("celsius", "0", "36.6", "a number of IEEE 754 where one of IEEE 11073 was sent"),
            ("celsius", "366", "36.6", "a number whose exponent or resolution is not applied"),
            ("celsius", "36.6", "null", "a special value such as NaN, taken for a number"),
            ("spo2", "-1776", "90", "swapped octets"), ("speed_mps", "0.016", "4", "swapped octets"),
            ("cadence", "90", "180", "strides per minute, taken for steps, or the reverse"),
            ("rr_ms", "[833, 0.977]", "[833]", "a single octet at the end, taken for an RR-Interval"),
            ("rr_ms", "[861]", "[861, 885]", "only the first of several values"),
            ("energy_kj", "0", "null", "a missing value, shown as 0"), ("celsius", "35.1", "36.4", nil),
            ("bpm", "200", "200", nil), ("bpm", "72", "200", nil), ("spo2", "96", "97", nil),
            ("cadence", "0", "0", nil),
            ("bpm", "61", "60", nil), ("bpm", "257", "257", nil), ("bpm", "-1", "60", nil), ("bpm", "60.5", "60", nil),
            ("rr_ms", "[1000]", "[1000]", nil), ("rr_ms", "[]", "[]", nil), ("rr_ms", "[1000, 900]", "[1000]", nil),
            ("celsius", "36.6", "36.6", nil), ("contact", "null", "true", nil), ("steps", "true", "null", nil),
        ] as [(String, String, String, String?)])
    func `A likely cause`(field: String, shown: String, right: String, cause: String?) throws {
        let shown = try #require(Datum(json: "[\(shown)]".utf8)?.elements.first)
        let right = try #require(Datum(json: "[\(right)]".utf8)?.elements.first)
        #expect(KnownMistake.mistake(in: shown, insteadOf: right, in: field)?.cause == cause)
    }
}
