import Basics
import ScenarioModel

/// The pending starts and ends of rules, ordered by instant, then by the rule's position in the file, then ends before
/// starts, then by insertion.
///
/// `EventQueue` has another order.
struct Agenda {
    enum Act: Hashable {
        case end(firing: Int)
        case begin
    }

    struct Entry {
        let due: Instant
        let rule: Int
        let act: Act
        fileprivate let number: Int

        fileprivate func isBefore(_ other: Entry) -> Bool {
            if due != other.due { return due < other.due }
            if rule != other.rule { return rule < other.rule }
            if act.rank != other.act.rank { return act.rank < other.act.rank }
            return number < other.number
        }
    }

    private var begins = Heap()
    /// Cancelled ends stay here until they come first, or are too many.
    private var ends = Heap()
    /// The firings whose end is pending.
    private var ending: Set<Int> = []
    private var additions = 0

    /// How many comparisons of entries adding and taking have needed: tests limit it.
    var comparisons: Int { begins.comparisons + ends.comparisons }

    /// When the next entry is due; nil if there is none.
    var firstDue: Instant? {
        guard let begin = begins.first?.due, let end = ends.first?.due else { return (begins.first ?? ends.first)?.due }
        return min(begin, end)
    }

    /// The next start of a rule; nil if there is none.
    var nextBeginning: (rule: Int, due: Instant)? { begins.first.map { ($0.rule, $0.due) } }

    /// Adds an entry unless it is due at `.never`.
    mutating func add(_ act: Act, of rule: Int, due: Instant) {
        guard due < .never else { return }
        additions += 1
        let entry = Entry(due: due, rule: rule, act: act, number: additions)
        switch act {
        case .begin: begins.add(entry)
        case .end(let firing):
            ending.insert(firing)
            ends.add(entry)
        }
    }

    mutating func takeFirst(dueBy limit: Instant) -> Entry? {
        guard let due = firstDue, due <= limit else { return nil }
        guard let end = ends.first, begins.first.map(end.isBefore) ?? true else { return begins.takeFirst() }
        defer { forget(end.act) }
        return end
    }

    mutating func cancelEnd(ofFiring firing: Int) { forget(.end(firing: firing)) }

    /// An end is no longer pending.
    private mutating func forget(_ act: Act) {
        guard case .end(let firing) = act, ending.remove(firing) != nil else { return }
        while let first = ends.first, !isPending(first) { _ = ends.takeFirst() }
        if ends.count > 16, ends.count > 2 * ending.count {
            let ending = ending
            ends.removeAll { !Self.isPending($0, ending) }
        }
    }

    private func isPending(_ entry: Entry) -> Bool { Self.isPending(entry, ending) }

    private static func isPending(_ entry: Entry, _ ending: Set<Int>) -> Bool {
        if case .end(let firing) = entry.act { ending.contains(firing) } else { true }
    }

    mutating func removeAll() { self = Agenda() }
}

extension Agenda {
    /// Entries, of which the first is known.
    private struct Heap {
        /// Each comes before those at twice its index plus 1 and 2.
        private var entries: [Entry] = []
        private(set) var comparisons = 0

        var count: Int { entries.count }
        var first: Entry? { entries.first }

        mutating func add(_ entry: Entry) {
            entries.append(entry)
            var place = entries.count - 1
            while place > 0, isBefore(place, (place - 1) / 2) {
                entries.swapAt(place, (place - 1) / 2)
                place = (place - 1) / 2
            }
        }

        mutating func takeFirst() -> Entry? {
            guard let first = entries.first, let last = entries.popLast() else { return nil }
            if !entries.isEmpty {
                entries[0] = last
                sink(0)
            }
            return first
        }

        mutating func removeAll(where isGone: (Entry) -> Bool) {
            entries.removeAll(where: isGone)
            for place in (0..<entries.count / 2).reversed() { sink(place) }
        }

        private mutating func sink(_ start: Int) {
            var place = start
            while 2 * place + 1 < entries.count {
                var next = 2 * place + 1
                if next + 1 < entries.count, isBefore(next + 1, next) { next += 1 }
                guard isBefore(next, place) else { return }
                entries.swapAt(place, next)
                place = next
            }
        }

        private mutating func isBefore(_ one: Int, _ other: Int) -> Bool {
            comparisons += 1
            return entries[one].isBefore(entries[other])
        }
    }
}

extension Agenda.Act {
    fileprivate var rank: Int { self == .begin ? 1 : 0 }
}

extension Rule.End {
    /// The event at which the rule ends, if it ends at an event.
    var event: Event? {
        if case .at(let moment) = self { moment.event } else { nil }
    }
}

extension RandomStream {
    /// True with probability `chance`, 0…1; always takes one draw.
    mutating func happens(_ chance: Double) -> Bool {
        let total = 1 << 53 as UInt64  // scaling by a power of two is exact
        let times = chance > 0 ? UInt64(min(chance, 1) * Double(total)) : 0
        return happens(times, outOf: total)
    }
}
