package import Basics

/// A value over time that a script can temporarily override.
///
/// An override starts when it is set, or earlier if it resumes. The overridden value continues in the background and
/// returns as if there had been no override.
package struct Gauge: Sendable {
    private var base: Signal
    private let begun: Instant
    private var changes: [Change] = []

    private struct Change {
        let at: Instant
        let begun: Instant
        var signal: Signal?
    }

    /// A gauge that shows `base`, which starts with the simulation or earlier.
    package init(_ base: Signal, begun: Instant = .start) { (self.base, self.begun) = (base, begun) }

    /// Overrides the value with `signal` from `instant` on, or ends overriding if it is nil.
    ///
    /// The signal's time starts at `begun`, or at `instant` if that is nil. Instants must not decrease from call to
    /// call.
    package mutating func set(_ signal: Signal?, at instant: Instant, begun: Instant? = nil) {
        changes.append(Change(at: instant, begun: begun ?? instant, signal: signal))
    }

    /// Discards what is only needed for values before `instant`.
    package mutating func forget(before instant: Instant) {
        let last = firstChange(after: instant) - 1
        guard last >= 0 else { return }
        changes.removeFirst(changes[last].signal == nil ? last + 1 : last)
    }

    var remembered: Int { changes.count }

    /// The value at an instant, which may be before the last change; nil when its curve has stopped.
    package mutating func value(at instant: Instant) -> Double? {
        let index = firstChange(after: instant) - 1
        guard index >= 0, changes[index].signal != nil else {
            return base.value(atNanoseconds: Self.nanoseconds(from: begun, to: instant))
        }
        let elapsed = Self.nanoseconds(from: changes[index].begun, to: instant)
        return changes[index].signal?.value(atNanoseconds: elapsed)
    }

    /// Saturates: a stopped clock may be asked about a curve that started before the simulation.
    private static func nanoseconds(from begun: Instant, to instant: Instant) -> Int64 {
        let (elapsed, overflow) = instant.nanoseconds.subtractingReportingOverflow(begun.nanoseconds)
        return overflow ? .max : elapsed
    }

    /// When the next override starts or ends after an instant; `.never` if none is known.
    func nextChange(after instant: Instant) -> Instant {
        let index = firstChange(after: instant)
        return index < changes.count ? changes[index].at : .never
    }

    /// The index of the first change after an instant. A rule may make many changes between two samples.
    private func firstChange(after instant: Instant) -> Int { changes.searchedIndex(after: { $0.at <= instant }) }
}
