import Basics
import CheckCatalogue
import Expectations
import Testing
import VirtualWorld

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
            verdicts: [.inconclusive], reason: "the peripheral did not answer Exchange MTU within 30 s"),
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

    @Test func `a peripheral that never answers costs two minutes, and advertising is judged`() throws {
        let peripheral = Peripheral(
            name: "mute", about: "", script: [#"{"when": "connected", "do": "stall", "of": "strap"}"#])
        var (knowledge, total) = (Knowledge(), Duration.zero)
        var outcomes: [String: Check.Outcome] = [:]
        for check in Check.all {
            let host = try ExaminerHostTests.RealHost(peripheral)
            let outcome = check.run(on: .name("Lubdub HRM"), over: host, isStrict: true, knowing: &knowledge)
            total += outcome.duration
            outcomes[check.id] = outcome
        }
        #expect(total < .seconds(120), "\(total)")
        #expect(outcomes.values.allSatisfy { $0.verdict != .fail })
        for id in ["HRP/SEN/HRF/BV-01-C", "HRP/SEN/HRF/BV-02-C", "advertising/well_formed", "advertising/flags"] {
            #expect(outcomes[id]?.verdict == .pass, "\(id): \(outcomes[id]?.reason ?? "")")
        }
        let reasons = Set(outcomes.values.filter { $0.verdict == .inconclusive }.compactMap(\.reason))
        #expect(
            reasons == [
                "the peripheral did not answer Exchange MTU within 30 s",
                "the peripheral did not answer Discover All Primary Services within 30 s",
                "the peripheral did not answer discovery, nor Exchange MTU, and was not asked again",
            ])
    }

    @Test func `a peripheral that stops in the middle of discovery`() throws {
        let peripheral = Peripheral.full.but(
            "stops", "", "", by: [.init(.received(0x08), at: 0, "08", becomes: "7F")])
        var knowledge = Knowledge()
        let reasons = try (1...3).map { _ in
            let check = try #require(Check.all.first { $0.id == "HRS/SEN/CN/BV-01-C" })
            let host = try ExaminerHostTests.RealHost(peripheral)
            return check.run(on: .name("Lubdub HRM"), over: host, knowing: &knowledge).reason
        }
        let first = "the peripheral did not answer a request of discovery within 30 s"
        let last = "the peripheral did not answer discovery, and was not asked again"
        #expect(reasons == [first, first, last])
    }

    @Test func `a peripheral that ignores Exchange MTU only is checked without it`() throws {
        let peripheral = Peripheral.full.but(
            "ignores_mtu", "", "", by: [.init(.received(0x02), at: 0, "02", becomes: "7F")])
        var knowledge = Knowledge()
        var verdicts: [Verdict] = []
        for _ in 1...3 {
            let check = try #require(Check.all.first { $0.id == "HRS/SEN/CN/BV-01-C" })
            let host = try ExaminerHostTests.RealHost(peripheral)
            verdicts.append(check.run(on: .name("Lubdub HRM"), over: host, knowing: &knowledge).verdict)
        }
        #expect(verdicts == [.inconclusive, .inconclusive, .pass])
        #expect(knowledge.reason == nil)
    }
}
