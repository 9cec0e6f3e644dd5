package import Documents
package import Scenarios
package import Simulation
import TextFormatting

/// A line of the control socket.
package enum Instruction: Hashable, Sendable {
    /// Perform an action at once: a rule without an id, with its `line`.
    case act(Rule)
    case status
}

/// Reads lines of the control socket.
///
///     {"do": "link_loss", "of": "strap", "for": "8 s"}
///     {"do": "clear"}
///     {"ask": "status"}
///
/// An action is written as in the script, without `id` and `when`, and has the same problems as in a scenario file.  It
/// cannot name files.
package struct InstructionReader: Sendable {
    private let names: Names

    /// A reader for lines about a scenario.
    package init(_ scenario: Scenario) {
        names = Names(devices: scenario.devices, rules: scenario.script.map(\.id))
    }

    /// Reads a line at an instant.
    ///
    /// - Throws: The first problem; its `path` is a key of the line, such as `for`.
    package func read(_ line: some Collection<UInt8>, at now: Instant) throws(Problem) -> Instruction {
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
        guard let rule else { throw Problem(root, .wrongForm, "expected an action or a query") }
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
            root["until"]?.note(.cannotFire, "this moment has passed")
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
