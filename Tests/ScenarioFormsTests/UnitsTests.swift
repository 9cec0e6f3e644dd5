import Testing

@testable import ScenarioForms
@testable import Scenarios

@Suite struct UnitsTests {
    @Test(
        arguments: [
            ("10 s", Duration.seconds(10)), ("0.5 ms", .microseconds(500)), ("1 day", .seconds(86_400)),
            ("2 days", .seconds(172_800)), ("7 us", .microseconds(7)), ("1.5 h", .seconds(5400)),
            ("2 min", .seconds(120)), ("10s", .seconds(10)), ("1.5h", .seconds(5400)), ("10  s", nil), ("10s ", nil),
            ("-1 s", nil), ("1e3 s", nil), (".5 s", nil),
            ("5. s", nil), ("999999999999999999 days", nil), ("", nil), ("s", nil), (" s", nil),
        ])
    func `A duration is a number and a unit`(text: String, duration: Duration?) {
        #expect(Units.duration(text) == duration)
    }

    @Test(
        arguments: [
            ("2000-01-01T00:00:00Z", 0, 0), ("2024-03-01T23:50:00+01:00", 762_652_200 + 0, 60),
            ("1999-12-31T23:59:59Z", -1, 0),
        ])
    func `A time of the wall clock is counted from 2000`(text: String, seconds: Int64, ahead: Int) {
        #expect(Units.wallTime(text) == WallTime(secondsSince2000: seconds, minutesAheadOfUTC: ahead))
    }

    @Test(arguments: ["2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01", "2024-01-01T00:00:00", "x"])
    func `Invalid dates are refused`(text: String) { #expect(Units.wallTime(text) == nil) }
}
