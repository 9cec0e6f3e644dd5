import Basics
import Conformance
import Expectations
import Foundation
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import Cases
@testable import Clients

/// A scenario that a faulty client plays, and its verdicts.
struct FaultyCase {
    static let root = String(#filePath.dropLast("Tests/CasesTests/FaultyCase.swift".count))
    /// Folders with cases for programs only, or with devices.
    private static let otherFolders = ["bluez/", "devices/"]

    let scenario: Scenario

    /// The scenario with an id: its path in the folder `scenarios`.
    init(_ id: String) throws {
        let file = id.hasPrefix("/") ? id : "\(Self.root)scenarios/\(id).json"
        let reading = ScenarioFile.read(file, variables: [:]) { path in
            FileManager.default.contents(atPath: path).map { Array($0) }
        }
        scenario = try #require(reading.scenario, "\(reading.problems)")
    }

    init(text: String) throws {
        let reading = ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }
        try #require(reading.problems.isEmpty, "\(reading.problems)")
        scenario = try #require(reading.scenario)
    }

    /// The ids of all scenarios that a client without a system plays.
    static func ids() -> [String] {
        let files = FileManager.default.enumerator(atPath: root + "scenarios")?.compactMap { $0 as? String } ?? []
        let scenarios = files.filter { file in
            file.hasSuffix(".json") && !otherFolders.contains { file.hasPrefix($0) }
                && (try? FaultyCase(String(file.dropLast(5)))) != nil
        }
        return scenarios.map { String($0.dropLast(5)) }.sorted()
    }

    /// What the client did not pass; nil plays it correctly.
    func findings(_ client: FaultyClient?) throws -> [CaseFinding] {
        var plan = RunPlan(scenario, seed: scenario.seed)
        plan.faultyClient = client
        var world = try plan.world()
        world.judgeExpectations(on: .clientUnderTest)
        var run = try BuiltInClientRun(plan, in: world, nil)
        run.play { _, _ in }
        run.world.report(.ended)
        return try Judgement(run, of: plan).findings.filter { $0.verdict != .pass && $0.verdict != .skip }
    }
}
