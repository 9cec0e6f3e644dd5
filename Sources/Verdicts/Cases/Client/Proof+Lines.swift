import Basics
import Documents

extension Proof {
    /// How the faulty clients fare that fail none of the scenario's expectations, a line for each kind.
    package func lines(isComplete: Bool) -> [String] {
        var lines: [String] = []
        func add(_ names: [String], _ one: String, _ several: String, atMost maximum: Int = 4) {
            guard !names.isEmpty else { return }
            lines.append(Self.sentence(names, one, several, atMost: isComplete ? .max : maximum))
        }
        add(passing, "passes, although its fault shows", "pass, although their faults show", atMost: 8)
        add(undecided, "neither passes nor fails", "neither pass nor fail")
        let expectation = "nothing_invented, which \"run\" expects of every client"
        add(inventing, "fails only \(expectation)", "fail only \(expectation)")
        guard !unseen.isEmpty else { return lines }
        let verb = unseen.count == 1 ? "does" : "do"
        let names = isComplete ? ": \(unseen.joined(separator: ", "))" : " (--verbose prints all names)"
        return lines + ["\(unseen.count.counted("fault")) \(verb) not show in this scenario\(names)"]
    }

    fileprivate static func sentence(
        _ names: [String], _ one: String, _ several: String, atMost maximum: Int
    ) -> String {
        let verb = names.count == 1 ? one : several
        return "\(names.count.counted("faulty client")) \(verb): \(list(names, atMost: maximum))"
    }

    fileprivate static func list(_ names: [String], atMost maximum: Int) -> String {
        guard names.count > maximum else { return names.joined(separator: ", ") }
        return "\(names.prefix(maximum).joined(separator: ", ")), …"
    }
}

extension Proof.Row {
    /// For `prove --json`.
    package func json(of caseID: String) -> String {
        let members = [
            ("case", caseID.quoted), ("expectation", expectation.quoted), ("should", "\(isRecommendation)"),
            ("proven", "\(isProven)"), ("failed_by", Self.json(failedBy)),
            ("problem", complaint?.quoted ?? "null"), ("undecided", Self.json(undecidedFor)),
            ("unopened", Self.json(unopenedBy)), ("reason", reason(isComplete: true)?.quoted ?? "null"),
        ]
        return jsonObject(members)
    }

    private static func json(_ names: [String]) -> String { "[\(names.map(\.quoted).joined(separator: ", "))]" }

    /// What the faulty clients show about it: `12 faulty clients fail it: mute, blank, …`.
    package func description(isComplete: Bool) -> String {
        if let complaint { return "the built-in client, which has no fault, does not pass: \(complaint)" }
        guard failedBy.isEmpty else {
            return Proof.sentence(failedBy, "fails it", "fail it", atMost: isComplete ? .max : 4)
        }
        return "no faulty client fails it: \(reason(isComplete: isComplete) ?? "it may pass any client")"
    }

    /// Why no faulty client fails it, and what to do; nil if one does, if the built-in client does not pass, or if the
    /// reason is unknown.
    private func reason(isComplete: Bool) -> String? {
        guard complaint == nil, failedBy.isEmpty else { return nil }
        func names(_ names: [String]) -> String { Proof.list(names, atMost: isComplete ? .max : 4) }
        var reasons: [String] = []
        if !undecidedFor.isEmpty {
            let limit = (limit / .seconds(1)).plain
            let fix = "use a larger \"limit\"\(hasTimeLimit ? " or a shorter \"within\"" : "")"
            let verb = undecidedFor.count == 1 ? "is" : "are"
            reasons.append(
                "\(undecidedFor.count) \(verb) undecided at the limit of \(limit) s: \(names(undecidedFor)) (\(fix))")
        }
        if !unopenedBy.isEmpty {
            reasons.append(
                "its \"since\" does not come with \(unopenedBy.count): \(names(unopenedBy)) (expect that event, too)")
        }
        if reasons.isEmpty, !isReached {
            reasons.append("no fault shows before it is decided at \(decided) s (expect something later)")
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
}
