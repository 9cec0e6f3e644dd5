import Scenarios
import Simulation

/// The pending starts and ends of rules, ordered by instant, then by the rule's position in the file, then ends before
/// starts, then by insertion.
///
/// `EventQueue` has another order. There are few entries, so they are kept in a sorted array, the next entry last.
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

    private var entries: [Entry] = []
    private var additions = 0

    /// When the next entry is due; nil if there is none.
    var firstDue: Instant? { entries.last?.due }

    /// The next start of a rule; nil if there is none.
    var nextBeginning: (rule: Int, due: Instant)? {
        entries.last { $0.act == .begin }.map { ($0.rule, $0.due) }
    }

    /// Adds an entry unless it is due at `.never`.
    mutating func add(_ act: Act, of rule: Int, due: Instant) {
        guard due < .never else { return }
        additions += 1
        let entry = Entry(due: due, rule: rule, act: act, number: additions)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entry.isBefore(entries[middle]) { low = middle + 1 } else { high = middle }
        }
        entries.insert(entry, at: low)
    }

    mutating func takeFirst(dueBy limit: Instant) -> Entry? {
        guard let first = entries.last, first.due <= limit else { return nil }
        return entries.removeLast()
    }

    mutating func cancelEnd(ofFiring firing: Int) { entries.removeAll { $0.act == .end(firing: firing) } }

    mutating func removeAll() { entries.removeAll() }
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
