package import Basics
package import Clients
package import Conformance
package import Expectations
import Glibc
import Linux
import ScenarioLanguage
package import ScenarioModel
package import VirtualWorld

/// How a scenario is played: what is recorded, who the client is, and how expectations are judged.
package struct RunPlan {
    package let path: String
    package var scenario: Scenario
    package var seed: UInt64
    /// The file for the event log.
    package var events: String?
    /// The file for the trace.
    package var trace: String?
    /// The folder for everything that is needed to inspect or repeat the run.
    package var keep: String?
    /// The variables that the user sets, as `NAME=VALUE`.
    package var settings: [String] = []
    /// The variables that the case's suite sets, as `NAME=VALUE`.
    package var ownSettings: [String] = []
    /// The case, if it is one of several.
    package var item: Case?
    /// The digest of the scenario's files.
    package var digest = ""
    /// Whether manual actions are possible, so that the log must identify the scenario.
    package var allowsManualActions = false
    /// The user's limit, as text for `replay`.
    package var limitText: String?
    /// Whether recommendations are judged like requirements.
    package var isStrict = false
    package var showsTimelines = false
    /// Nil if the user leaves it to the command.
    package var speed: Speed?
    /// What the client shows.
    package var shown = ShownLines.all
    /// The patterns that find values in the client's lines of text.
    package var patterns: [LinePattern] = []
    /// The fault of the built-in client, if it has one.
    package var faultyClient: FaultyClient?
    /// Whether an external client is under test, not the built-in one.
    package var hasExternalClient = false
    /// The options of the client and the radio, for `replay`.
    package var clientOptions: [String] = []

    package init(_ scenario: Scenario, seed: UInt64, path: String = "", events: String? = nil, trace: String? = nil) {
        (self.scenario, self.seed, self.path) = (scenario, seed, path)
        (self.events, self.trace) = (events, trace)
    }

    /// The identification of the scenario in the log, in addition to path and seed.
    package var source: EventRecord.Source? { allowsManualActions ? .init(digest: digest, settings: settings) : nil }

    /// How expectations are judged: a faulty client like a client under test.
    package var terms: Judge.Terms { faultyClient == nil ? Judge.Terms() : .clientUnderTest }

    /// Whether a log goes to a pipe or a terminal, so that it cannot be written again.
    package var hasStreamedLog: Bool {
        [events, trace].contains { path in
            guard let path, path != "-" else { return path != nil }
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return false }
            return status.st_mode & S_IFMT != S_IFREG
        }
    }

    /// Warns of the rules that a radio does not support, and of those that it supports in part.
    package func warnOfLimits(of radio: RadioKind) {
        for (rule, why) in scenario.unplayable(on: radio) {
            Notices.warn("skipped: script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(why)")
        }
        for rule in scenario.script.indices {
            guard let missing = radio.missingPart(of: scenario.script[rule].action) else { continue }
            Notices.warn("only in part: script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(missing)")
        }
    }

    /// Adapts conditions on delivered values to the events that a radio reports.
    package mutating func observe(by radio: RadioKind) { scenario = scenario.observed(by: radio) }

    /// The id in reports, without the seed and the number of a run: the case's, or the path without `.json`.
    package var caseID: String { item?.caseID ?? Case.id(of: path) }

    package func world() throws(Obstacle) -> World {
        try orFail(.usage, "\(path): the services do not fit into the attribute table: ") {
            try World(scenario, seed: seed)
        }
    }

    /// The command line that repeats the run.
    package var replay: String {
        replay("run", item?.operand ?? path, clientOptions, only: item?.ownID ?? caseID)
    }

    /// The command line that repeats one check.
    package func replay(of check: String) -> String { replay("check", path, only: check) }

    private func replay(_ command: String, _ operand: String, _ options: [String] = [], only id: String) -> String {
        var words = ["lubdub", command, operand.asOperand, "--seed", "\(seed)"] + options
        for setting in settings { words += ["--set", setting] }
        if let limitText { words += ["--for", limitText] }
        if isStrict { words.append("--strict") }
        return (words + ["--only", id]).map(\.forShell).joined(separator: " ")
    }
}
