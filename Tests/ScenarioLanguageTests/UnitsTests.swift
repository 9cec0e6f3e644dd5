import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

@Suite struct UnitsTests {
    @Test(
        arguments: [
            ("2000-01-01T00:00:00Z", 0, 0), ("2024-03-01T23:50:00+01:00", 762_652_200 + 0, 60),
            ("1999-12-31T23:59:59Z", -1, 0),
        ])
    func `A time of the wall clock is counted from 2000`(text: String, seconds: Int64, ahead: Int) {
        #expect(WallTime(text) == WallTime(secondsSince2000: seconds, minutesAheadOfUTC: ahead))
    }

    @Test(arguments: ["2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01", "2024-01-01T00:00:00", "x"])
    func `Invalid dates are refused`(text: String) { #expect(WallTime(text) == nil) }
}
