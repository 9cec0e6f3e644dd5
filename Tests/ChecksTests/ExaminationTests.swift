import Basics
import CheckCatalogue
import Expectations
import Testing

@testable import Checks

/// Checks that share connections and a recording judge as they do alone, and take less time.
@Suite struct ExaminationTests {
    private static let strap = Peer.name("Lubdub HRM")

    /// The outcomes by the checks' ids, and how long all of them took.
    private static func outcomes(
        of peripheral: Peripheral, running checks: [Check]
    ) throws -> (outcomes: [String: Check.Outcome], duration: Duration) {
        let host = try ExaminerHostTests.RealHost(peripheral)
        let peer = Peer.name(peripheral.deviceName)
        var examination = Examination(of: peer, by: host, isStrict: true, running: checks)
        var outcomes: [String: Check.Outcome] = [:]
        for rank in Set(checks.map(\.rank)).sorted() {
            for check in checks where check.rank == rank { outcomes[check.id] = examination.outcome(of: check) }
        }
        examination.end()
        return (outcomes, host.now.sinceStart)
    }

    private static func alone(_ check: Check, _ peripheral: Peripheral) throws -> Check.Outcome {
        check.run(on: strap, over: try ExaminerHostTests.RealHost(peripheral), isStrict: true)
    }

    /// In a connection that lasts longer, a control point has something to indicate.
    private static let more = ["runner": ["GATT/SR/GAI/BV-01-C"]]

    @Test func `a correct peripheral passes what it passes alone`() async throws {
        for row in try await Matrix.correct.value where !Peripheral.unusual.contains(where: row.peripheral.isMade) {
            let together = try Self.outcomes(of: row.peripheral, running: Check.all).outcomes
            for alone in row.outcomes where Self.more[row.peripheral.name]?.contains(alone.check.id) != true {
                let outcome = together[alone.check.id]
                let isImpossible = outcome?.reason?.contains("of a real peripheral") == true
                #expect(
                    isImpossible || outcome?.verdict == alone.verdict,
                    "\(row.peripheral.name): \(outcome?.words ?? ""), alone \(alone.words)")
            }
        }
    }

    /// Whether a value changes, or comes in time, depends on the moment.
    @Test(arguments: Peripheral.unusual.map(\.name)) func `an unusual peripheral fails no check`(name: String) throws {
        let peripheral = try #require(Peripheral.unusual.first { $0.name == name })
        for outcome in try Self.outcomes(of: peripheral, running: Check.all).outcomes.values {
            #expect(peripheral.verdictsIfReal.contains(outcome.verdict), "\(outcome.words)")
        }
    }

    @Test func `the usual checks of a strap take at most 80 seconds`() throws {
        let usual = Check.all.filter { $0.weight == .required }
        let strap = try #require(Peripheral.correct.first { $0.name == "plain" })
        let (outcomes, duration) = try Self.outcomes(of: strap, running: usual)
        #expect(outcomes.count == usual.count)
        #expect(duration < .seconds(80), "\(duration.formatted)")
        let heartRate = usual.filter { $0.id.hasPrefix("HRS/") }
        #expect(try Self.outcomes(of: strap, running: heartRate).duration < .seconds(15))
    }

    /// Their faults occur once, before the check runs, or break them for all later checks.
    private static let once = [
        "chokes_on_many", "chokes_on_two", "forgets_steps", "gone_for_good", "impatient", "moving_location",
        "never_gives_up", "notifies_unasked", "stuck_after_a_client", "waits_for_confirmation",
    ]

    @Test func `each mutant that fails its check alone fails it`() throws {
        for mutant in Peripheral.mutants where !Self.once.contains(mutant.name) {
            guard let check = Check.all.first(where: { $0.id == mutant.caughtBy }),
                check.scope == .connection || check.scope == .freshConnection || check.recording != nil,
                try Self.alone(check, mutant).verdict == .fail
            else { continue }
            // Only those that share its connection; others of robustness may break the peripheral first.
            let checks = Check.all.filter {
                $0.scope == .connection && $0.weight != .robustness || $0.id == check.id
            }
            let outcome = try Self.outcomes(of: mutant, running: checks).outcomes[check.id]
            #expect(outcome?.verdict == .fail, "\(mutant.name): \(outcome?.words ?? "")")
        }
    }

    // MARK: Knowledge

    /// How long the second of two checks takes.
    private static func secondDuration(of ids: [String], _ peripheral: Peripheral) throws -> (Check.Outcome, Duration) {
        let checks = try ids.map { id in try #require(Check.all.first { $0.id == id }) }
        let host = try ExaminerHostTests.RealHost(peripheral)
        var examination = Examination(of: strap, by: host, isStrict: true, running: checks)
        _ = examination.outcome(of: checks[0])
        let begin = host.now
        let outcome = examination.outcome(of: checks[1])
        return (outcome, begin.duration(to: host.now))
    }

    static let needs: [(first: String, second: String, reason: String)] = [
        (
            "GATT/SR/GAR/BI-03-C", "GATT/SR/GAR/BI-09-C",
            "not applicable: no read fails with insufficient_authorization (0x08)"
        ),
        ("SM/PER/PIS/BV-01-C", "SM/PER/PIS/BV-02-C", "cannot provoke a Security Request of a real peripheral"),
    ]

    @Test(arguments: needs) func `a check is skipped at once for the reason that skipped an earlier one`(
        first: String, second: String, reason: String
    ) throws {
        let (outcome, duration) = try Self.secondDuration(of: [first, second], Peripheral.sealed)
        #expect(outcome.reason == reason)
        #expect(duration == .zero)
    }

    /// The peripheral moves its attributes after the first connection.
    @Test func `attributes are discovered again if they have moved`() throws {
        let checks = Check.all.filter { $0.scope == .freshConnection && $0.recording == nil }
        var peripheral = Peripheral.correct[0]
        peripheral.script = [
            #"{"when": {"event": "disconnected", "nth": 1}, "do": "move_handles", "of": "strap", "by": 16}"#
        ]
        let outcomes = try Self.outcomes(of: peripheral, running: checks).outcomes.values
        #expect(outcomes.allSatisfy { $0.verdict == .pass || $0.verdict == .skip })
        #expect(outcomes.contains { $0.verdict == .pass })
    }
}
