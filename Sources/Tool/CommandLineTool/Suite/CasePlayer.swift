import Arguments
import CommandSupport
import Conformance
import Documents
import Expectations
import Glibc
import ScenarioRuns
import Scenarios
import Simulation
import Sockets
import Spelling
import VirtualWorld

/// Plays cases as a command line wants it, each in a world of its own, on any thread.
struct CasePlayer: Sendable {
    /// Who plays them, and how fast time passes.
    enum Client: Sendable {
        case builtIn(Speed)
        case outside(ClientUnderTest)
    }

    let verbosity: Verbosity
    let paint: Paint
    let client: Client
    /// That of the command line.
    let seed: UInt64?
    private let invocation: Invocation
    private let variables: [String: Node]
    private let folders: [String: String]
    private let narrator: Narrator?

    /// Throws what is wrong with the command line.
    init(_ invocation: Invocation, keeping cases: [Case]) throws(CommandFailure) {
        self.invocation = invocation
        (seed, verbosity) = (try RunConfiguration.seed(invocation), try Verbosity(invocation))
        paint = try Paint(invocation, for: Console.descriptor)
        let speed = try RunConfiguration(empty: invocation).speed
        if let outside = try ClientUnderTest(invocation) {
            guard speed ?? .real(1) == .real(1) else {
                throw CommandFailure(
                    .usage,
                    "a client outside lives in real time: leave out --speed, or \(invocation.has("--ask") ? "--ask" : "--client")"
                )
            }
            client = .outside(outside)
        } else {
            client = .builtIn(speed ?? .max)
        }
        variables = try RunConfiguration.variables(invocation.texts("--set"))
        narrator = try Narrator(ifVerbose: invocation)
        let ids = cases.map(\.id)
        let paths = invocation.text("--keep").map { ArtifactDirectory.paths(of: ids, in: $0) } ?? []
        folders = Dictionary(zip(ids, paths)) { first, _ in first }
    }

    /// Whether time passes as fast as the machine can.
    var isVirtual: Bool { if case .builtIn(.max) = client { true } else { false } }

    /// Plays one of several.
    func play(_ turn: SuiteScheduler.Turn, _ signals: Signals) -> SuiteScheduler.CaseCompletion {
        let item = turn.item
        let scenario: Scenario
        switch CaseReading(item, variables: variables) {
        case .scenario(let read): scenario = read
        case .unplayed(let outcome): return .played(CaseResult(unplayed: outcome))
        }
        do throws(CommandFailure) {
            let configuration = try RunConfiguration(scenario, item, seed: seed, keep: folders[item.id], invocation)
            return .played(try play(configuration, turn, signals, tells: verbosity == .verbose))
        } catch { return .failed(error, title: scenario.name) }
    }

    /// Plays the only one.
    func play(
        alone configuration: RunConfiguration, _ turn: SuiteScheduler.Turn, _ signals: Signals
    ) -> SuiteScheduler.CaseCompletion {
        do throws(CommandFailure) {
            return .played(try play(configuration, turn, signals, tells: verbosity > .quiet))
        } catch { return .failed(error, title: configuration.scenario.name) }
    }

    /// `tells` what the client shows.
    private func play(
        _ configuration: RunConfiguration, _ turn: SuiteScheduler.Turn, _ signals: Signals, tells: Bool
    ) throws(CommandFailure) -> CaseResult {
        let source = configuration.keep == nil ? [] : contents(of: configuration.path) ?? []
        switch client {
        case .builtIn(let speed):
            let (clientRun, judgement, code) = try perform(configuration, at: speed, narrator, source: source, signals)
            {
                instant, saying in
                if tells { Console.print("\(paint("\(instant)", .quiet))  \(paint(saying))") }
            }
            return CaseResult(clientRun, judgement, of: configuration, code: code)
        case .outside(let outside):
            var result = try outside.play(
                configuration, narrator, source: source, signals,
                tellsPlace: configuration.item == nil || verbosity > .quiet,
                isSilent: verbosity == .quiet
            ) { instant, line in
                if tells { Console.print("\(paint("\(instant)", .quiet))  \(line.json.brief)") }
            }
            if let disturbance = result.disturbance, !turn.isSecond {
                offer(configuration, after: disturbance, &result)
            }
            return result
        }
    }

    /// Says that a case is played once more, or that it cannot be.
    private func offer(_ configuration: RunConfiguration, after disturbance: String, _ result: inout CaseResult) {
        let who = configuration.item.map { "\($0.id): " } ?? ""
        if configuration.hasLogThatCannotBeginAnew {
            result.disturbance = nil
            Console.warn(
                "\(who)\(disturbance); the case is not played once more, since its "
                    + "log has gone out already: give --events a file, and it will be")
        } else {
            let end = who.isEmpty ? "" : " at the end"
            Console.warn("\(who)\(disturbance): the case is played once more\(end)")
        }
    }

    // MARK: What is said

    /// Says what came of one of several.
    func tell(_ entry: Report.Entry, _ result: CaseResult?) {
        guard verbosity > .quiet || entry.outcome.verdict != .pass else { return }
        if verbosity == .verbose, let judgement = result?.judgement {
            for line in judgement.lines(paint) { Console.print(line) }
        }
        for line in CaseFormatter(paint: paint, isVirtual: isVirtual).lines(entry) { Console.print(line) }
    }

    /// Says on a terminal how many have ended, and which are being played.
    func showProgress(_ ended: Int, among count: Int, playing ids: [String]) {
        guard verbosity == .normal, isatty(STDERR_FILENO) == 1, Paint.canErase else { return }
        let names = ids.joined(separator: ", ")
        let shown = names.count > 50 ? "…" + names.suffix(49) : names
        Console.show(last: "\(min(ended + 1, count)) of \(count): \(shown)")
    }
}
