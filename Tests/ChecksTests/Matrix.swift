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
            let scenario = try peripheral.scenario()
            self.peripheral = peripheral
            outcomes = try checks.map { check in
                var world = try World(scenario, seed: 1)
                world.mutation = peripheral.mutation
                return try check.ask(of: 0, in: world, isStrict: true).outcome
            }
        }

        /// The ids of those that ended so.
        func ids(_ verdict: Verdict) -> [String] { outcomes.filter { $0.verdict == verdict }.map(\.check.id) }
    }

    /// Computed once for all tests.
    static let correct = Task { try await rows(Peripheral.correct) }
    /// Computed once for all tests.
    static let mutants = Task { try await rows(Peripheral.mutants) }

    private static func rows(_ peripherals: [Peripheral]) async throws -> [Row] {
        try await withThrowingTaskGroup(of: (Int, Row).self) { group in
            for (index, peripheral) in peripherals.enumerated() {
                group.addTask { (index, try Row(peripheral)) }
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
