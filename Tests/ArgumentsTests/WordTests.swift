import Arguments
import Testing

@Suite struct WordTests {
    @Test func `Exit statuses`() {
        let codes: [ExitCode] = [.success, .failure, .usage, .environment, .internalError, .signal(2), .signal(15)]
        #expect(codes.map(\.status) == [0, 1, 2, 3, 4, 130, 143])
    }

    @Test(arguments: [
        ("5 s", Duration.seconds(5)), ("5s", .seconds(5)), ("2min", .seconds(120)), ("0.5 h", .seconds(1800)),
        ("250 ms", .milliseconds(250)), ("7us", .microseconds(7)), ("1 day", .seconds(86_400)),
        ("2 days", .seconds(172_800)), ("1.25 ms", .microseconds(1250)), ("0 s", .zero),
    ])
    func `A duration is a number and a unit`(text: String, duration: Duration) {
        #expect(Duration(parsing: text) == duration)
    }

    @Test(arguments: [
        "", "5", "s", " 5 s", "5 s ", "-5 s", "+5 s", "5 S", "5 sec", "1.2.3 s", ".5 s", "5. s", "½ s", "٣ s", "1e3 s",
        "9999999999999999999 s", "200000 days", "0.1234567 s",
    ])
    func `Other texts are not durations`(text: String) {
        #expect(Duration(parsing: text) == nil)
    }
}
