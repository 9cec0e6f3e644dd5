import Basics
import Clients
import Expectations
import ScenarioModel
import Testing

@testable import VirtualWorld

/// The built-in client's result of a scenario whose faults end.
struct BadDay {
    /// The time limit for a heart rate after the last fault: twice the supervision timeout and the scan interval, 5 s, and
    /// what a strap needs to measure.
    static let patience = Duration.milliseconds(2 * (720 + 60) + 5000 + 1000)

    /// The same with pairing: also the timeout of pairing, the user's reaction, and the time between attempts.
    static let patienceWithPairing = Duration.seconds(120)

    /// Why the client has not recovered, or what it showed that was not delivered; nil when it has recovered, or when the
    /// end came before that.
    ///
    /// Where pairing is required, a client that reports lost keys has done its part, too.
    static func fault(in scenario: Scenario, seed: UInt64, isSecure: Bool = false) throws -> String? {
        let patience = isSecure ? patienceWithPairing : patience
        var harness = try WorldHarness(
            scenario, seed: seed, isJudged: true, on: Judge.Terms(judgesInventions: true), isWorded: false)
        let inventions = harness.world.rulings.filter { scenario.expectation(of: $0).id == "nothing_invented" }
        if let reason = inventions.compactMap(\.reason).first { return reason }
        let end = Instant.start.advanced(by: scenario.limit)
        let last = harness.records.last { $0.event == .ended || $0.event == .began }?.instant ?? .start
        let isDecided = last.advanced(by: patience) < end
        let deadline = last.advanced(by: patience)
        let isHeard = harness.records.contains { record in
            record.event == .delivered && record.entity == "strap/heart_rate" && record.instant > last
                && record.instant <= deadline
        }
        // In a connection that lasts, the client reports it once.
        let link = harness.records.last { record in
            record.instant <= last && [.connected, .disconnected].contains(record.event)
        }
        let begin = link?.event == .connected ? link?.instant ?? last : last
        let isExplained =
            isSecure
            && harness.said.contains { said in
                said.at > begin && said.update.text.contains("has lost the keys")
            }
        harness.end()
        if harness.world.pool.taken != 0 { return "\(harness.world.pool.taken) packets are left" }
        if !isDecided || isHeard || isExplained { return nil }
        return "nothing was received from \(last) to \(deadline)"
    }
}
