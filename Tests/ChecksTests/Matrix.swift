import Expectations
import Simulation
import VirtualWorld

@testable import Checks

/// What every check says of every peripheral.
struct Matrix: Sendable {
    /// A peripheral, and what came of the checks, in their order.
    struct Row: Sendable {
        let peripheral: Peripheral
        let outcomes: [Check.Outcome]

        init(_ peripheral: Peripheral, asked checks: [Check] = Check.all) throws {
            self.peripheral = peripheral
            var world = try World(peripheral.scenario(), seed: 1)
            world.mutation = peripheral.mutation
            outcomes = try Matrix.outcomes(of: 0, in: world, asked: checks)
        }

        /// The ids of those that ended so.
        func ids(_ verdict: Verdict) -> [String] { outcomes.filter { $0.verdict == verdict }.map(\.check.id) }
    }

    /// What came of checks that were asked of a device, each in a world of its own.
    static func outcomes(of device: Int, in world: World, asked checks: [Check]) throws -> [Check.Outcome] {
        let stranger = try Examiner(in: world, of: device)
        // How a case begins is the same for all of a scope, to the octet: so it is played once.
        var met: [Check.Scope: Result<Examiner, CheckExit>] = [:]
        return checks.map { check in
            if let reason = check.whyUnasked(isStrict: true) {
                return Check.Outcome(check, .skipped(reason), took: .zero)
            }
            let meeting = met[check.scope] ?? meet(stranger, as: check.scope)
            met[check.scope] = meeting
            return judge(check, meeting)
        }
    }

    private static func meet(_ stranger: Examiner, as scope: Check.Scope) -> Result<Examiner, CheckExit> {
        var examiner = stranger
        do throws(CheckExit) {
            try examiner.meet(as: scope)
            return .success(examiner)
        } catch { return .failure(error) }
    }

    private static func judge(_ check: Check, _ meeting: Result<Examiner, CheckExit>) -> Check.Outcome {
        switch meeting {
        case .failure(let ending): return Check.Outcome(check, ending, took: .zero)
        case .success(var examiner):
            do throws(CheckExit) {
                try check.judge(&examiner)
                return Check.Outcome(check, nil, took: examiner.now.sinceStart)
            } catch { return Check.Outcome(check, error, took: examiner.now.sinceStart) }
        }
    }

    /// Computed once for all tests.
    static let correct = Task { try await rows(Peripheral.correct) }
    /// Computed once for all tests.
    static let mutants = Task {
        let right = try await correct.value
        return try await rows(Peripheral.mutants) { mutant in
            let basis = right.first { $0.peripheral.isMade(as: mutant) }
            let skipped = Set(basis?.ids(.skip) ?? [])
            return Check.all.filter { !skipped.contains($0.id) }
        }
    }

    /// A mutant is not asked what it was not asked without its fault.
    private static func rows(
        _ peripherals: [Peripheral], asked checks: (Peripheral) -> [Check] = { _ in Check.all }
    ) async throws -> [Row] {
        try await withThrowingTaskGroup(of: (Int, Row).self) { group in
            for (index, peripheral) in peripherals.enumerated() {
                let checks = checks(peripheral)
                group.addTask { (index, try Row(peripheral, asked: checks)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// As people read it.
    static func text() async throws -> String {
        let (correct, mutants) = (try await correct.value, try await mutants.value)
        var lines = [
            "# What the verdicts are worth", "",
            "Written by `LUBDUB_WRITE_VERDICTS=1 swift test --filter ChecksTests`, and proven current by that test.",
            "Each check of `lubdub check` is asked of peripherals that are right, and of mutants: peripherals that",
            "differ from a right one in one thing. No check may fail one that is right, and each must fail the mutant that",
            "it is named for.", "",
            "## Peripherals that are right", "", "| peripheral | what it is | pass | skip | fail |",
            "|---|---|---|---|---|",
        ]
        lines += correct.map { row in
            "| `\(row.peripheral.name)` | \(row.peripheral.about) "
                + "| \(row.ids(.pass).count) | \(row.ids(.skip).count) | \(row.ids(.fail).count) |"
        }
        lines += [
            "", "## Mutants", "", "| mutant | what it does wrong | the check that is named for it | others that fail |",
            "|---|---|---|---|",
        ]
        lines += mutants.map { row in
            let (peripheral, named) = (row.peripheral, row.peripheral.caughtBy ?? "")
            let others = row.ids(.fail).filter { $0 != named }.joined(separator: ", ")
            return "| `\(peripheral.name)` | \(peripheral.about) | \(named) | \(others) |"
        }
        lines += ["", "## Checks that nobody is asked yet", "", "| check | why |", "|---|---|"]
        for check in Check.all where check.isUnasked {
            guard case .nothing(let obstacle)? = check.claims.first else { continue }
            lines.append("| \(check.id) | \(obstacle.rawValue) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
