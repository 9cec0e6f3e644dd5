import CheckCatalogue
import Expectations
import Simulation
import Testing

@testable import Checks

/// Peripherals that disappear or never answer: every check ends in bounded time, and does not pass by default.
@Suite struct UnresponsivePeripheralTests {
    struct UnresponsivePeripheral: Sendable {
        let name: String
        let rule: String
        let verdicts: Set<Verdict>
        let reason: String
    }

    private static let peripherals = [
        UnresponsivePeripheral(
            name: "never advertises", rule: #"{"when": "start", "do": "stop_advertising", "of": "strap"}"#,
            verdicts: [.inconclusive], reason: "no advertising from "),
        UnresponsivePeripheral(
            name: "out of range", rule: #"{"when": "start", "do": "link_loss", "of": "strap"}"#,
            verdicts: [.inconclusive], reason: "no advertising from "),
        UnresponsivePeripheral(
            name: "stalls", rule: #"{"when": "connected", "do": "stall", "of": "strap"}"#,
            verdicts: [.inconclusive], reason: "discovery"),
        UnresponsivePeripheral(
            name: "disconnects immediately", rule: #"{"when": "connected", "do": "disconnect", "of": "strap"}"#,
            verdicts: [.inconclusive], reason: "the connection ended immediately: remote_user_terminated"),
        UnresponsivePeripheral(
            name: "out of range permanently",
            rule: #"{"when": {"event": "subscribed", "after": "50 ms"}, "do": "link_loss", "of": "strap"}"#,
            verdicts: [.inconclusive], reason: "supervision timeout 720 ms"),
        UnresponsivePeripheral(
            name: "disconnects on a subscription",
            rule: #"{"when": "subscribed", "do": "disconnect", "of": "strap"}"#,
            verdicts: [.inconclusive, .fail], reason: ""),
        UnresponsivePeripheral(
            name: "stalls on a subscription", rule: #"{"when": "subscribed", "do": "stall", "of": "strap"}"#,
            verdicts: [.inconclusive, .fail, .pass], reason: ""),
    ]

    private static let subscribing = Check.all.filter { check in
        check.id.hasPrefix("HRS/SEN/C") && !check.id.hasPrefix("HRS/SEN/CR/") && !check.id.hasPrefix("HRS/SEN/CW/BI")
    }

    @Test(arguments: peripherals) func `an unresponsive peripheral does not pass`(
        unresponsive: UnresponsivePeripheral
    ) throws {
        #expect(Self.subscribing.count == 7)
        let peripheral = Peripheral(name: "unresponsive", about: "", script: [unresponsive.rule])
        let row = try Matrix.Row(peripheral, running: Self.subscribing)
        for outcome in row.outcomes {
            let text = outcome.reason ?? outcome.finding.map { "\($0.expected), \($0.seen)" } ?? ""
            let words = "\(unresponsive.name): \(outcome.check.id) \(outcome.verdict.rawValue) \(text)"
            #expect(unresponsive.verdicts.contains(outcome.verdict), "\(words)")
            #expect(unresponsive.reason.isEmpty || text.contains(unresponsive.reason), "\(words)")
            #expect(outcome.duration < .seconds(600), "\(words)")
        }
    }
}
