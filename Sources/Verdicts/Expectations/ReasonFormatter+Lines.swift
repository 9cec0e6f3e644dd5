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

    /// The reason of a failure because a client showed what was not delivered.
    func invented(_ invention: InventionWatch.Invention) -> Reason {
        let name = invention.field.isEmpty ? invention.key : invention.field
        let shown = "\(name) \(invention.shown.json.abbreviated)"
        let line = "observed output \(invention.line.json.abbreviated) at \(invention.at) s"
        let expected = "no value in the client's output that was not delivered to it"
        if invention.field == "samples" {
            let latest = invention.latest?.json ?? "0"
            return Reason(
                expected: expected,
                seen: "\(line): \(invention.shown.json) samples in all, of \(latest) delivered")
        }
        guard let latest = invention.latest else {
            return Reason(expected: expected, seen: "\(line): \(shown), but none was delivered")
        }
        let cause =
            invention.isStale
            ? KnownMistake.stale : KnownMistake.cause(of: invention.shown, insteadOf: latest, in: invention.field)
        return Reason(
            expected: expected,
            seen: "\(line): \(shown), but the latest was \(latest.json.abbreviated)",
            cause: cause.map { "it looks like \($0)" })
    }
}
