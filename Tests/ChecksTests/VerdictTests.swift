import Expectations
import FoundationEssentials
import Scenarios
import Simulation
import Testing
import VirtualWorld

@testable import Checks

/// That the verdicts are true: of peripherals that are right, and of mutants.
@Suite struct VerdictTests {
    private static let page =
        #filePath.dropLast("Tests/ChecksTests/VerdictTests.swift".count) + "Documentation/verdicts.md"

    @Test func `who is right fails nothing`() async throws {
        for row in try await Matrix.correct.value {
            for outcome in row.outcomes where outcome.verdict != .pass && outcome.verdict != .skip {
                guard row.peripheral.name != "wide" || outcome.check.weight != .recommended else { continue }
                Issue.record("\(row.peripheral.name): \(outcome.words)")
            }
        }
    }

    /// Those that play bad days are left out.
    private static let files = ["", "devices/"].flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.scenarios + folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.map { folder + $0 }.sorted()
    }
    private static let scenarios =
        #filePath.dropLast("Tests/ChecksTests/VerdictTests.swift".count) + "scenarios/"

    @Test func `there are scenarios`() { #expect(Self.files.count > 10) }

    @Test(arguments: files) func `the devices of our own scenarios fail nothing`(file: String) throws {
        let reading = ScenarioFile.read(Self.scenarios + file) { path in
            FileManager.default.contents(atPath: path).map(Array.init)
        }
        let scenario = try #require(reading.scenario)
        for device in scenario.devices.indices where scenario.devices[device].role == .peripheral {
            let outcomes = try Matrix.outcomes(of: device, in: World(scenario, seed: 1), asked: Check.all)
            for outcome in outcomes where outcome.verdict != .pass && outcome.verdict != .skip {
                #expect(Self.deviations[file]?.contains(outcome.check.id) == true, "\(file): \(outcome.words)")
            }
        }
    }

    /// Polar's strap advertises a service of the SIG's member FEEE, whose content nobody has published.
    private static let deviations = ["devices/polar_h10.json": ["advertising/services_are_there"]]

    @Test func `a case by itself ends as among others`() async throws {
        let row = try #require(try await Matrix.correct.value.first { $0.peripheral.name == "thermometer" })
        let scenario = try row.peripheral.scenario()
        for outcome in row.outcomes {
            let alone = try outcome.check.run(on: 0, in: try World(scenario, seed: 1), isStrict: true).outcome
            #expect(alone.verdict == outcome.verdict, "\(alone.words)")
            #expect(alone.finding == outcome.finding && alone.reason == outcome.reason, "\(alone.words)")
        }
    }

    @Test func `every check that is asked is passed by somebody`() async throws {
        let passed = Set(try await Matrix.correct.value.flatMap { $0.ids(.pass) })
        for check in Check.all where !check.isNeverRun { #expect(passed.contains(check.id), "\(check.id)") }
    }

    @Test func `each mutant fails the check that is named for it`() async throws {
        for row in try await Matrix.mutants.value {
            let outcome = row.outcomes.first { $0.check.id == row.peripheral.caughtBy }
            #expect(outcome?.verdict == .fail, "\(row.peripheral.name): \(outcome?.words ?? "no such check")")
        }
    }

    @Test func `every check that is asked has a mutant`() async throws {
        let named = Set(Peripheral.mutants.compactMap(\.caughtBy))
        for check in Check.all where !check.isNeverRun { #expect(named.contains(check.id), "\(check.id)") }
    }

    @Test func `no peripheral is an error of the harness, and a fail says all of it`() async throws {
        let rows = try await Matrix.correct.value + Matrix.mutants.value
        for outcome in rows.flatMap(\.outcomes) {
            #expect(outcome.verdict != .error)
            #expect((outcome.verdict == .fail) == (outcome.finding != nil))
            #expect((outcome.verdict == .skip || outcome.verdict == .inconclusive) == (outcome.reason != nil))
            guard let finding = outcome.finding else { continue }
            #expect(!finding.expected.isEmpty && !finding.seen.isEmpty, "\(outcome.words)")
        }
    }

    @Test func `the page is current`() async throws {
        let text = try await Matrix.text()
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE_VERDICTS"] != nil {
            try text.write(toFile: String(Self.page), atomically: true, encoding: .utf8)
        }
        let current = try String(contentsOfFile: String(Self.page), encoding: .utf8)
        #expect(current == text, "write it anew with LUBDUB_WRITE_VERDICTS=1 swift test --filter ChecksTests")
    }
}

extension Check.Outcome {
    fileprivate var words: String {
        let finding = finding.map { "expected \($0.expected), seen \($0.seen) at \($0.instant)" }
        return "\(check.id) \(verdict.rawValue) \(finding ?? reason ?? "")"
    }
}
