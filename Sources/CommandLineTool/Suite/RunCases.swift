import Arguments
import Conformance
import Documents
import Expectations
import Glibc
import Reporting
import Scenarios
import Simulation
import Spelling
import VirtualWorld

/// Plays cases one after the other, each in a world of its own, and says what came of each.
func runCases(_ cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let player = try CasePlayer(invocation, cases)
    let reports = try ReportFiles(invocation)
    let wording = CaseWording(paint: player.paint, isVirtual: player.speed == .max)
    var runner = CaseRunner(cases, into: Report(version: version, seed: player.seed))
    var interruption: ExitCode?
    while interruption == nil, let next = runner.waiting.first {
        player.showProgress(of: next, place: runner.report.cases.count + 1, among: cases.count)
        let entry = runner.playNext { item in
            switch player.play(item) {
            case .ended(let outcome): return outcome
            case .interrupted(let code):
                interruption = code
                return nil
            }
        }
        if let entry, player.verbosity > .quiet || entry.outcome.verdict != .pass {
            for line in wording.lines(entry) { Console.print(line) }
        }
        interruption = interruption ?? player.interruption
    }
    Console.show(last: nil)
    let report = runner.report
    for line in wording.summary(report) { Console.print(line) }
    try reports.write(report)
    if let interruption {
        Console.complain("lubdub: ended early: \(report.cases.count) of \(cases.count) cases have been played")
        return interruption
    }
    if report.code == .environment { Console.complain("lubdub: nothing was judged: every case was skipped") }
    return report.code
}

/// Plays cases as a command line wants it.
struct CasePlayer {
    /// What became of playing one.
    enum Ending {
        case ended(Outcome)
        case interrupted(ExitCode)
    }

    let verbosity: Verbosity
    let paint: Paint
    let speed: Speed
    private let invocation: Invocation
    /// That of the command line.
    let seed: UInt64?
    private let variables: [String: Node]
    private let folders: [String: String]
    private let narrator: Narrator?
    private let signals = Signals()

    /// Throws what is wrong with the command line.
    init(_ invocation: Invocation, _ cases: [Case]) throws(CommandFailure) {
        for name in ["--events", "--trace"] where invocation.has(name) {
            throw CommandFailure(
                .usage, "lubdub: \(name) is for one scenario; of several cases, --keep DIR has a folder for each")
        }
        self.invocation = invocation
        (seed, verbosity) = (try Played.seed(invocation), try Verbosity(invocation))
        paint = try Paint(invocation, for: Console.descriptor)
        speed = try Played(empty: invocation).speed ?? .max
        variables = try Played.variables(invocation.texts("--set"))
        narrator = try Narrator(ifVerbose: invocation)
        let ids = cases.map(\.id)
        let paths = invocation.text("--keep").map { KeptFolder.paths(of: ids, in: $0) } ?? []
        folders = Dictionary(zip(ids, paths)) { first, _ in first }
    }

    /// Why no more are to be played.
    var interruption: ExitCode? {
        if let number = signals.take() { return .signal(number) }
        return Console.failure == EPIPE ? .signal(SIGPIPE) : nil
    }

    /// Plays one in a world of its own.
    func play(_ item: Case) -> Ending {
        let scenario: Scenario
        switch CaseReading(item, variables: variables) {
        case .scenario(let read): scenario = read
        case .unplayed(let outcome): return .ended(outcome)
        }
        do throws(CommandFailure) {
            let played = try Played(scenario, item, seed: seed, keep: folders[item.id], invocation)
            let source = played.keep == nil ? [] : contents(of: item.path) ?? []
            let isTold = verbosity == .verbose
            let (rehearsal, code) = try perform(played, at: speed, narrator, source: source, signals) {
                instant, saying in
                if isTold { Console.print("\(paint("\(instant)", .quiet))  \(paint(saying))") }
            }
            guard !code.isInterruption else { return .interrupted(code) }
            if isTold {
                for line in Judgement(rehearsal.world, isStrict: played.isStrict).lines(paint) { Console.print(line) }
            }
            return .ended(Outcome(rehearsal, of: played))
        } catch { return .ended(Outcome(.error, title: scenario.name, reasons: [error.message])) }
    }

    /// Says on a terminal which one is being played.
    func showProgress(of item: Case, place: Int, among count: Int) {
        guard verbosity == .normal, isatty(STDERR_FILENO) == 1, Paint.canErase else { return }
        let shown = item.id.count > 50 ? "…" + item.id.suffix(49) : item.id
        Console.show(last: "\(place) of \(count): \(shown)")
    }
}
