import Basics
import ScenarioModel

/// A field of a line that differs from what was expected.
struct FieldDifference: Sendable {
    /// The key of the innermost object: `bpm`.
    let field: String
    let shown: Datum?
    let expected: Matcher
    /// The right value; nil if several are right.
    let right: Datum?
    /// Whether it was right until the value was delivered that is asked for.
    let isStale: Bool

    /// The likely cause.
    var cause: KnownMistake? { mistake ?? (isStale ? KnownMistake.stale : nil) }

    fileprivate var mistake: KnownMistake? {
        guard let shown, let right else { return nil }
        return KnownMistake.mistake(in: shown, insteadOf: right, in: field)
    }
}

/// Among the lines in the time of an expectation, the one that looks most like a failed attempt at the expected one.
struct NearestLine: Sendable {
    let observation: NearMisses.Observation
    let differences: [FieldDifference]

    /// Nil if there is no line about the same thing.
    static func nearest(
        to event: Event, _ decision: Decision, among misses: [NearMisses.Observation], _ truths: Truths
    ) -> NearestLine? {
        guard let matcher = event.lineMatcher else { return nil }
        var best: (line: NearestLine, rank: (Int, Int, Int))?
        for (index, miss) in misses.enumerated() where decision.window.contains(miss.instant) {
            // That a disconnection clears the display was not printed.
            guard let line = miss.observed.value, matcher.hasKey(in: miss.observed.printed ?? line) else { continue }
            var differences: [FieldDifference] = []
            matcher.compare(with: line, "", decision.asked, truths, at: miss.instant, into: &differences)
            guard !differences.isEmpty else { continue }
            let isRepeated = misses[..<index].contains { $0.observed.value == line }
            let rank = (differences.contains { $0.mistake != nil } ? 0 : 1, differences.count, isRepeated ? 1 : 0)
            if let best, best.rank <= rank { continue }
            best = (NearestLine(observation: miss, differences: differences), rank)
        }
        return best?.line
    }

    /// What the differences look like: `it looks like swapped octets`; of several, with the field.
    var likeness: Cause? {
        let likely = differences.compactMap { difference in
            difference.cause.map {
                ($0.kind, "\(differences.count == 1 ? "it" : difference.field) looks like \($0.cause)")
            }
        }
        return likely.first.map { Cause($0.0, likely.map(\.1).joined(separator: "; ")) }
    }
}

extension Event {
    var lineMatcher: Matcher? {
        filters.lazy.compactMap { filter in if case .line(let matcher) = filter { matcher } else { nil } }.first
    }

    /// Whether it is a line of the client with certain contents.
    var expectsLine: Bool { lineMatcher != nil }
}

extension Matcher {
    /// Whether a line has a value under a key of the pattern.
    fileprivate func hasKey(in line: Datum) -> Bool {
        guard case .object(let members) = self else { return false }
        return members.contains { line[$0.key] != nil }
    }

    /// The same with the values that an opening asks for in place of `$truth`.
    func asking(for asked: AskedValues) -> Matcher {
        switch self {
        case .truth(let truth): asked[truth].map { Matcher($0, tolerance: truth.tolerance) } ?? self
        case .object(let members):
            .object(members.map { Member(key: $0.key, matcher: $0.matcher.asking(for: asked)) })
        case .list(let matchers): .list(matchers.map { $0.asking(for: asked) })
        default: self
        }
    }

    /// Matches a value; numbers within a tolerance.
    private init(_ datum: Datum, tolerance: Double) {
        self =
            switch datum {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .number(let number): .between(.init(min: number - tolerance, max: number + tolerance))
            case .string(let string): .string(string)
            case .list(let elements): .list(elements.map { Matcher($0, tolerance: tolerance) })
            case .object(let members):
                .object(members.map { Member(key: $0.key, matcher: Matcher($0.value, tolerance: tolerance)) })
            }
    }

    /// The single value that matches; nil if several do.
    private func right(_ asked: AskedValues, _ truths: Truths) -> Datum? {
        switch self {
        case .null: return .null
        case .bool(let bool): return .bool(bool)
        case .number(let number): return .number(number)
        case .string(let string): return .string(string)
        case .truth(let truth): return asked.right(truth, truths)
        case .between(let limits):
            // A number with a tolerance.
            guard let min = limits.min, let max = limits.max else { return nil }
            return .number((min + max) / 2)
        case .list(let matchers):
            let values = matchers.compactMap { $0.right(asked, truths) }
            return values.count == matchers.count ? .list(values) : nil
        case .object, .each, .oneOf, .any, .not: return nil
        }
    }

    /// Appends the fields of a line that do not match.
    fileprivate func compare(
        with shown: Datum?, _ field: String, _ asked: AskedValues, _ truths: Truths, at instant: Instant,
        into differences: inout [FieldDifference]
    ) {
        if case .object(let members) = self, case .object? = shown {
            for member in members {
                member.matcher.compare(
                    with: shown?[member.key], member.key, asked, truths, at: instant, into: &differences)
            }
            return
        }
        let fits = fits(shown: shown) { truth, datum in asked.isShown(truth, by: datum, truths, at: instant) }
        guard !fits else { return }
        var isStale = false
        if case .truth(let truth) = self, let shown {
            isStale = asked.wasShown(truth, by: shown, truths)
        }
        differences.append(
            FieldDifference(
                field: field, shown: shown, expected: self, right: right(asked, truths), isStale: isStale))
    }
}
