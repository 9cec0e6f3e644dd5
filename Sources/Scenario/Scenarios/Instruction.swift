public import Documents
public import Simulation
import Spelling

/// What somebody outside says to a scenario that plays, in one line of JSON.
public enum Instruction: Hashable, Sendable {
    /// Something is done at once: a rule without a name, with its `line`.
    case act(Rule)
    /// How does everything stand?
    case status
}

/// Reads lines of JSON from outside, in the words of the script.
///
///     {"do": "link_loss", "of": "strap", "for": "8 s"}
///     {"do": "clear"}
///     {"ask": "status"}
///
/// A line is an action as in the script, without `id` and `when`; its problems are those that a scenario file would
/// have.  It names things of the scenario, and no files.
public struct InstructionReader: Sendable {
    private let names: Names

    /// For those who speak about this scenario.
    public init(_ scenario: Scenario) {
        names = Names(devices: scenario.devices, rules: scenario.script.map(\.id))
    }

    /// What a line says at an instant, or the first thing that is wrong with it; its `path` is that of a key: `for`.
    public func read(_ line: some Collection<UInt8>, at now: Instant) throws(Problem) -> Instruction {
        let log = ProblemLog()
        let root = Cursor(try Node(json: line, file: "", log: log), file: "", log: log)
        guard root["ask"] == nil else {
            Tables.question.check(root)
            try Self.check(log)
            return .status
        }
        Tables.instruction.check(root)
        Tables.noteNotYet(root)
        try Self.check(log)
        let rule = rule(root, at: now, log)
        try Self.check(log)
        guard let rule else { throw Problem(root, .wrongForm, "this cannot be understood") }
        return .act(rule)
    }

    private static func check(_ log: ProblemLog) throws(Problem) {
        if let problem = log.problems.first { throw problem }
    }

    private func rule(_ root: Cursor, at now: Instant, _ log: ProblemLog) -> Rule? {
        let curves = CurveReader(loader: Loader(log: log) { _ in nil })
        let script = ScriptReader(names: names, moments: MomentReader(names: names), curves: curves)
        let end = script.end(root)
        if case .at(let moment)? = end, let due = moment.clockTime(after: now, origin: .start), due <= now {
            root["until"]?.note(.cannotFire, "this moment is over")
        }
        let clearsAll = root["do"]?.string == Action.Kind.clear.rawValue && root["of"] == nil
        let action = clearsAll ? Action(.clear) : ActionReader(names: names, curves: curves).action(root)
        guard let action else { return nil }
        var rule = Rule(when: .start, action: action, chance: root["chance"]?.number ?? 1, end: end)
        rule.line = root.node.json
        return rule
    }
}

extension Problem {
    fileprivate init(_ cursor: Cursor, _ code: DiagnosticCode, _ message: String) {
        self.init(
            file: cursor.file, position: cursor.node.position, code: code, path: cursor.path, message: message)
    }
}
