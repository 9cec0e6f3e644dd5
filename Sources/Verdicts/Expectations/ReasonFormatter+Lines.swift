import Basics
import ScenarioModel

// Lines of a client that are not right: how they differ, and what that looks like.
extension ReasonFormatter {
    /// A line with the fields that differ: `output {"heart_rate": {"bpm": 11265}} at 4.0 s: bpm 11265 instead of 300`.
    func text(_ nearest: NearestLine, _ asked: AskedValues) -> String {
        let fields = nearest.differences.map { difference in
            let right = difference.right.map(\.json) ?? json(difference.expected, asked)
            let shown =
                difference.shown.map { "\(difference.field) \($0.json.abbreviated)" } ?? "no \(difference.field)"
            return "\(shown) instead of \(right)"
        }
        return "\(text(nearest.observation)): \(fields.joined(separator: "; "))"
    }

    /// A number in the closest line that is 1 more or less than the right one, which a value at another time may be, too.
    func hint(_ expectation: Expectation, _ decision: Decision, _ nearMisses: NearMisses, _ truths: Truths) -> Cause? {
        guard let event = expectation.expected.first,
            let nearest = NearestLine.nearest(to: event, decision, among: nearMisses.misses, truths)
        else { return nil }
        let facts = [Fact(.line, at: nearest.observation.instant)]
        return nearest.differences.lazy.compactMap { difference in
            guard case .number(let shown)? = difference.shown, case .number(let right)? = difference.right,
                (shown - right).magnitude == 1
            else { return nil }
            return Cause(
                .offset, "\(difference.field) is 1 \(shown > right ? "more" : "less") than the right one", facts: facts)
        }.first
    }

    /// The reason of a failure because a client showed what was not delivered.
    func invented(_ invention: InventionWatch.Invention, _ history: DisplayHistory) -> Reason {
        let name = invention.field.isEmpty ? invention.key : invention.field
        let shown = "\(name) \(invention.shown.json.abbreviated)"
        let line = "observed output \(invention.line.json.abbreviated) at \(invention.at) s"
        let expected = "no value in the client's output that was not delivered to it"
        if invention.field == "samples" {
            let latest = invention.latest?.json ?? "0"
            let seen = "\(line): \(invention.shown.json) samples in all, of \(latest) delivered"
            return Reason(
                expected: expected, seen: seen,
                cause: Cause(.linesAndValues, "the lines count more samples than were delivered"))
        }
        guard let latest = invention.latest else {
            return Reason(
                expected: expected, seen: "\(line): \(shown), but none was delivered",
                cause: history.cause(of: invention) ?? Cause(.noValueYet, "no \(name) had arrived"))
        }
        let mistake =
            invention.isStale
            ? KnownMistake.stale
            : KnownMistake.mistake(in: invention.shown, insteadOf: latest, in: invention.field)
        return Reason(
            expected: expected,
            seen: "\(line): \(shown), but the latest was \(latest.json.abbreviated)",
            cause: mistake.map { Cause($0.kind, "it looks like \($0.cause)") } ?? history.cause(of: invention))
    }
}
