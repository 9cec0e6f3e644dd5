import Basics
import Bluetooth
import CheckCatalogue
import Devices
import Expectations
import FoundationEssentials
import ScenarioLanguage
import ScenarioModel
import Services
import Testing
import VirtualWorld

@testable import Checks

/// The verdicts are right for correct peripherals and for mutants.
@Suite struct VerdictTests {
    private static let page =
        #filePath.dropLast("Tests/ChecksTests/VerdictTests.swift".count) + "Documentation/verdicts.md"

    @Test func `a correct peripheral fails no check`() async throws {
        for row in try await Matrix.correct.value {
            for outcome in row.outcomes where outcome.verdict != .pass && outcome.verdict != .skip {
                guard row.peripheral.name != "wide" || outcome.check.weight != .recommended else { continue }
                Issue.record("\(row.peripheral.name): \(outcome.words)")
            }
        }
    }

    /// The scenarios without faults.
    private static let files = ["", "devices/"].flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.scenarios + folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.map { folder + $0 }.sorted()
    }
    private static let scenarios =
        #filePath.dropLast("Tests/ChecksTests/VerdictTests.swift".count) + "scenarios/"

    @Test func `there are scenarios`() { #expect(Self.files.count > 10) }

    @Test(arguments: files) func `the devices of the scenarios fail no check`(file: String) throws {
        let reading = ScenarioFile.read(Self.scenarios + file) { path in
            FileManager.default.contents(atPath: path).map(Array.init)
        }
        let scenario = try #require(reading.scenario)
        for device in scenario.devices.indices where scenario.devices[device].role == .peripheral {
            let outcomes = try Matrix.outcomes(of: device, in: World(scenario, seed: 1), running: Check.all)
            let isConnectable = scenario.devices[device].advertising.isConnectable
            for outcome in outcomes where outcome.verdict != .pass && outcome.verdict != .skip {
                if !isConnectable, outcome.verdict == .inconclusive { continue }
                #expect(Self.deviations[file]?.contains(outcome.check.id) == true, "\(file): \(outcome.words)")
            }
        }
    }

    /// This file has these faults; the devices that people buy have none.
    private static let deviations = [
        "custom_attributes.json": [
            "discovery/extended_properties", "discovery/broadcast_configuration", "GATT/SR/GAR/BV-01-C",
        ]
    ]

    @Test func `a check has the same outcome alone and in a series`() async throws {
        let row = try #require(try await Matrix.correct.value.first { $0.peripheral.name == "thermometer" })
        let scenario = try row.peripheral.scenario()
        for outcome in row.outcomes {
            let alone = try outcome.check.run(on: 0, in: try World(scenario, seed: 1), isStrict: true).outcome
            #expect(alone.verdict == outcome.verdict, "\(alone.words)")
            #expect(alone.finding == outcome.finding && alone.reason == outcome.reason, "\(alone.words)")
        }
    }

    @Test func `every check that runs is passed by a correct peripheral`() async throws {
        let passed = Set(try await Matrix.correct.value.flatMap { $0.ids(.pass) })
        for check in Check.all where check.skipReason(isStrict: true) == nil {
            #expect(passed.contains(check.id), "\(check.id)")
        }
    }

    @Test func `each mutant fails its check`() async throws {
        for row in try await Matrix.mutants.value {
            let outcome = row.outcomes.first { $0.check.id == row.peripheral.caughtBy }
            #expect(outcome?.verdict == .fail, "\(row.peripheral.name): \(outcome?.words ?? "no such check")")
        }
    }

    @Test func `every check that runs has a mutant`() async throws {
        let named = Set(Peripheral.mutants.compactMap(\.caughtBy))
        for check in Check.all where check.skipReason(isStrict: true) == nil && !named.contains(check.id) {
            Issue.record("\(check.id): no mutant names it in caughtBy")
        }
    }

    @Test func `every service of the specifications has a check`() {
        for service in ServiceRegistry.all where service.uuid.number != nil {
            #expect(
                Check.all.contains { $0.prerequisites.contains { $0.service == service.uuid } },
                "\(service.name): is its list in Check.all?")
        }
    }

    @Test func `no outcome is an error, and every fail has a finding`() async throws {
        let rows = try await Matrix.correct.value + Matrix.mutants.value
        for outcome in rows.flatMap(\.outcomes) {
            #expect(outcome.verdict != .error)
            #expect((outcome.verdict == .fail) == (outcome.finding != nil))
            #expect((outcome.verdict == .skip || outcome.verdict == .inconclusive) == (outcome.reason != nil))
            guard let finding = outcome.finding else { continue }
            #expect(!finding.expected.isEmpty && !finding.seen.isEmpty, "\(outcome.words)")
        }
    }

    @Test func `the page is up to date`() async throws {
        let text = try await Matrix.text()
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try text.write(toFile: String(Self.page), atomically: true, encoding: .utf8)
        }
        let current = try String(contentsOfFile: String(Self.page), encoding: .utf8)
        let compared = Matrix.isWhole ? current : Self.withoutOthers(current)
        #expect(compared == text, "regenerate it with make generate")
    }

    /// The page without what the whole matrix alone knows: which other checks fail for a mutant.
    private static func withoutOthers(_ page: String) -> String {
        var isMutant = false
        return page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.hasPrefix("## ") { isMutant = line == "## Mutants" }
            guard isMutant, line.hasPrefix("| `"), let last = line.dropLast(2).lastIndex(of: "|") else {
                return String(line)
            }
            return line[...last] + "  |"
        }.joined(separator: "\n")
    }
}

extension Check.Outcome {
    var words: String {
        let finding = finding.map { "expected \($0.expected), seen \($0.seen) at \($0.instant)" }
        return "\(check.id) \(verdict.rawValue) \(finding ?? reason ?? "")"
    }
}
