package import CommandSupport
import Drivers
import Expectations
package import FaultyClients
package import ScenarioRuns
import Scenarios
import TextFormatting
import VirtualWorld

/// Which faulty clients fail the expectations of a scenario: an expectation that none of them fails may pass any client.
package struct Proof: Sendable {
    /// An expectation.
    package struct Row: Hashable, Sendable {
        package let expectation: String
        package let isRecommendation: Bool
        /// Why the built-in client does not pass, although it has no fault; nil if it passes.
        package let complaint: String?
        /// The names of the clients that fail it.
        package internal(set) var failedBy: [String] = []

        /// Whether it passes a correct client and fails a faulty one.
        package var isProven: Bool { complaint == nil && !failedBy.isEmpty }
    }

    /// In the order of the scenario.
    package private(set) var rows: [Row] = []
    /// The names of the clients that fail no expectation.
    package private(set) var passing: [String] = []
    private let configuration: RunConfiguration

    /// Plays the scenario with the built-in client.
    package init(_ configuration: RunConfiguration) throws(CommandFailure) {
        self.configuration = configuration
        let rulings = try rulings(nil)
        rows = configuration.scenario.expectations.enumerated().map { index, expectation in
            let ruling = rulings.first { $0.expectation == index }
            let isPassed = ruling?.verdict == .pass
            let reason = ruling.map { [$0.verdict.rawValue, $0.reason].compactMap(\.self).joined(separator: ": ") }
            return Row(
                expectation: expectation.id, isRecommendation: expectation.isRecommendation,
                complaint: isPassed ? nil : reason ?? "not judged")
        }
    }

    /// Plays the scenario with a faulty client.
    package mutating func play(_ client: FaultyClient) throws(CommandFailure) {
        let failed = try rulings(client).filter { $0.verdict == .fail && rows.indices.contains($0.expectation) }
        for ruling in failed { rows[ruling.expectation].failedBy.append(client.name) }
        if failed.isEmpty { passing.append(client.name) }
    }

    /// With the tolerance of real time, as for a client under test.
    private func rulings(_ client: FaultyClient?) throws(CommandFailure) -> [Judge.Ruling] {
        var configuration = configuration
        configuration.faultyClient = client
        var world = try configuration.world()
        world.judgeExpectations(on: Judge.Terms(grace: CaseClock.grace))
        var clientRun = try BuiltInClientRun(configuration, in: world, nil)
        clientRun.play { _, _ in }
        clientRun.world.endJudging()
        return clientRun.world.rulings
    }
}

extension Proof {
    private static let maximumNames = 4

    /// The clients that fail no expectation: `30 faulty clients pass: one_octet, …`.
    package func passingDescription(isComplete: Bool) -> String {
        Self.sentence(passing, "passes", "pass", isComplete: isComplete)
    }

    fileprivate static func sentence(_ names: [String], _ one: String, _ several: String, isComplete: Bool) -> String {
        let shown = isComplete ? names : Array(names.prefix(maximumNames))
        let rest = shown.count < names.count ? ", …" : ""
        let verb = names.count == 1 ? one : several
        return "\(names.count.counted("faulty client")) \(verb): \(shown.joined(separator: ", "))\(rest)"
    }
}

extension Proof.Row {
    /// For `prove --json`.
    package func json(of caseID: String) -> String {
        let members = [
            ("case", caseID.quoted), ("expectation", expectation.quoted), ("should", "\(isRecommendation)"),
            ("proven", "\(isProven)"), ("failed_by", "[\(failedBy.map(\.quoted).joined(separator: ", "))]"),
            ("problem", complaint?.quoted ?? "null"),
        ]
        return jsonObject(members)
    }

    /// What the faulty clients show about it: `12 faulty clients fail it: mute, blank, …`.
    package func description(isComplete: Bool) -> String {
        if let complaint { return "the built-in client, which has no fault, does not pass: \(complaint)" }
        guard !failedBy.isEmpty else { return "no faulty client fails it: it may pass any client" }
        return Proof.sentence(failedBy, "fails it", "fail it", isComplete: isComplete)
    }
}
