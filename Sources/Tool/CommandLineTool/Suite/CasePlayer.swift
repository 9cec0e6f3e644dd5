import Arguments
import Conformance
import Documents
import Expectations
import Glibc
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
        case outside(OutsideClient)
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
        (seed, verbosity) = (try Played.seed(invocation), try Verbosity(invocation))
        paint = try Paint(invocation, for: Console.descriptor)
        let speed = try Played(empty: invocation).speed
        if let outside = try OutsideClient(invocation) {
            guard speed ?? .real(1) == .real(1) else {
                throw CommandFailure(
                    .usage,
                    "lubdub: a client outside lives in real time: leave out --speed, or \(invocation.has("--ask") ? "--ask" : "--client")"
                )
            }
            client = .outside(outside)
        } else {
            client = .builtIn(speed ?? .max)
        }
        variables = try Played.variables(invocation.texts("--set"))
        narrator = try Narrator(ifVerbose: invocation)
        let ids = cases.map(\.id)
        let paths = invocation.text("--keep").map { KeptFolder.paths(of: ids, in: $0) } ?? []
        folders = Dictionary(zip(ids, paths)) { first, _ in first }
    }

    /// Whether time passes as fast as the machine can.
    var isVirtual: Bool { if case .builtIn(.max) = client { true } else { false } }

    /// Plays one of several.
    func play(_ turn: Round.Turn, _ signals: Signals) -> Round.Ending {
        let item = turn.item
        let scenario: Scenario
        switch CaseReading(item, variables: variables) {
        case .scenario(let read): scenario = read
        case .unplayed(let outcome): return .played(Course(unplayed: outcome))
        }
        do throws(CommandFailure) {
            let played = try Played(scenario, item, seed: seed, keep: folders[item.id], invocation)
            return .played(try play(played, turn, signals, tells: verbosity == .verbose))
        } catch { return .failed(error, title: scenario.name) }
    }

    /// Plays the only one.
    func play(alone played: Played, _ turn: Round.Turn, _ signals: Signals) -> Round.Ending {
        do throws(CommandFailure) {
            return .played(try play(played, turn, signals, tells: verbosity > .quiet))
        } catch { return .failed(error, title: played.scenario.name) }
    }

    /// `tells` what the client shows.
    private func play(
        _ played: Played, _ turn: Round.Turn, _ signals: Signals, tells: Bool
    ) throws(CommandFailure) -> Course {
        let source = played.keep == nil ? [] : contents(of: played.path) ?? []
        switch client {
        case .builtIn(let speed):
            let (rehearsal, judgement, code) = try perform(played, at: speed, narrator, source: source, signals) {
                instant, saying in
                if tells { Console.print("\(paint("\(instant)", .quiet))  \(paint(saying))") }
            }
            return Course(rehearsal, judgement, of: played, code: code)
        case .outside(let outside):
            var course = try outside.play(
                played, narrator, source: source, signals, tellsPlace: played.item == nil || verbosity > .quiet,
                isSilent: verbosity == .quiet
            ) { instant, line in
                if tells { Console.print("\(paint("\(instant)", .quiet))  \(line.json.brief)") }
            }
            if let disturbance = course.disturbance, !turn.isSecond { offer(played, after: disturbance, &course) }
            return course
        }
    }

    /// Says that a case is played once more, or that it cannot be.
    private func offer(_ played: Played, after disturbance: String, _ course: inout Course) {
        let who = played.item.map { "\($0.id): " } ?? ""
        if played.hasLogThatCannotBeginAnew {
            course.disturbance = nil
            Console.complain(
                "lubdub: \(who)\(disturbance); the case is not played once more, since its "
                    + "log has gone out already: give --events a file, and it will be")
        } else {
            let end = who.isEmpty ? "" : " at the end"
            Console.complain("lubdub: \(who)\(disturbance): the case is played once more\(end)")
        }
    }

    // MARK: What is said

    /// Says what came of one of several.
    func tell(_ entry: Report.Entry, _ course: Course?) {
        guard verbosity > .quiet || entry.outcome.verdict != .pass else { return }
        if verbosity == .verbose, let judgement = course?.judgement {
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
