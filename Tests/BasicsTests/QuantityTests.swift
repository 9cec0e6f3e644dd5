import Basics
import Testing

@Suite struct QuantityTests {
    @Test(arguments: [
        ("5 s", Duration.seconds(5)), ("5s", .seconds(5)), ("2min", .seconds(120)), ("0.5 h", .seconds(1800)),
        ("250 ms", .milliseconds(250)), ("7us", .microseconds(7)), ("1 day", .seconds(86_400)),
        ("2 days", .seconds(172_800)), ("1.25 ms", .microseconds(1250)), ("0 s", .zero), ("1.5h", .seconds(5400)),
        ("0.1234567891 s", .nanoseconds(123_456_789)),
    ])
    func `A duration is a number and a unit`(text: String, duration: Duration) {
        #expect(Duration(parsing: text) == duration)
    }

    @Test(arguments: [
        "", "5", "s", " 5 s", "5 s ", "-5 s", "+5 s", "5 S", "5 sec", "1.2.3 s", ".5 s", "5. s", "½ s", "٣ s", "1e3 s",
        "9999999999999999999 s", "200000 days", "999999999999999999 days", "5  s", "0.1234567890123456789 s",
    ])
    func `Other texts are not durations`(text: String) {
        #expect(Duration(parsing: text) == nil)
    }
}
