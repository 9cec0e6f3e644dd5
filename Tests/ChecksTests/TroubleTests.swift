import Expectations
import Simulation
import Testing

@testable import Checks

/// Peripherals that go away, or never answer: a verdict comes of each, in bounded time, and it is not a pass by default.
@Suite struct TroubleTests {
    struct Trouble: Sendable {
        let name: String
        let rule: String
        let verdicts: Set<Verdict>
        let words: String
    }

    private static let troubles = [
        Trouble(
            name: "never heard", rule: #"{"when": "start", "do": "stop_advertising", "of": "strap"}"#,
            verdicts: [.inconclusive], words: "was not heard within 21 s"),
        Trouble(
            name: "out of range", rule: #"{"when": "start", "do": "link_loss", "of": "strap"}"#,
            verdicts: [.inconclusive], words: "was not heard within 21 s"),
        Trouble(
            name: "stalls", rule: #"{"when": "connected", "do": "stall", "of": "strap"}"#,
            verdicts: [.inconclusive], words: "discovery"),
        Trouble(
            name: "hangs up at once", rule: #"{"when": "connected", "do": "disconnect", "of": "strap"}"#,
            verdicts: [.inconclusive], words: "the connection ended as it began: remote_user_terminated"),
        Trouble(
            name: "goes out of range for good",
            rule: #"{"when": {"event": "subscribed", "after": "50 ms"}, "do": "link_loss", "of": "strap"}"#,
            verdicts: [.inconclusive], words: "supervision timeout was 720 ms"),
        Trouble(
            name: "hangs up on who subscribes",
            rule: #"{"when": "subscribed", "do": "disconnect", "of": "strap"}"#,
            verdicts: [.inconclusive, .fail], words: ""),
        Trouble(
            name: "stalls on who subscribes", rule: #"{"when": "subscribed", "do": "stall", "of": "strap"}"#,
            verdicts: [.inconclusive, .fail, .pass], words: ""),
    ]

    private static let subscribing = Check.all.filter { check in
        check.id.hasPrefix("HRS/SEN/C") && !check.id.hasPrefix("HRS/SEN/CR/") && !check.id.hasPrefix("HRS/SEN/CW/BI")
    }

    @Test(arguments: troubles) func `who goes away does not pass`(trouble: Trouble) throws {
        #expect(Self.subscribing.count == 7)
        let peripheral = Peripheral(name: "trouble", about: "", script: [trouble.rule])
        let row = try Matrix.Row(peripheral, asked: Self.subscribing)
        for outcome in row.outcomes {
            let said = outcome.reason ?? outcome.finding.map { "\($0.expected), \($0.seen)" } ?? ""
            let words = "\(trouble.name): \(outcome.check.id) \(outcome.verdict.rawValue) \(said)"
            #expect(trouble.verdicts.contains(outcome.verdict), "\(words)")
            #expect(trouble.words.isEmpty || said.contains(trouble.words), "\(words)")
            #expect(outcome.duration < .seconds(600), "\(words)")
        }
    }
}
