import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

@Suite struct IncludedValueTests {
    @Test func `An event about a value matches the measurement that includes it`() throws {
        let text = scenario(
            expect:
                #"{"id": "e", "expect": "never", "event": {"event": "delivered", "of": "heart_rate/contact", "value": true}}"#
        )
        let read = try #require(reading([("a", text)]).scenario)
        guard case .never(let event)? = read.expectations.first?.question else {
            Issue.record("the expectation is another")
            return
        }
        func matches(_ json: String) -> Int {
            let value = Datum(json: json.utf8)
            return event.matches(
                in: ObservedEvent(.delivered, of: .value(device: 0, service: 0, value: 0), value: value))
        }
        #expect(matches(#"{"bpm": 60, "contact": true}"#) == 1)
        #expect(matches(#"{"bpm": 60, "contact": false}"#) == 0)
        #expect(matches(#"{"bpm": 60}"#) == 0)
    }
}
