import Basics
import Expectations

/// Packets or lines of a run, around marked instants and of marked facts, in bounded memory.
struct RecentMoments<Entry: Sendable>: Sendable {
    typealias Moment = (instant: Instant, entry: Entry)

    private static var kept: Int { 1024 }
    private static var maximumFacts: Int { 48 }

    /// How many are shown before and after a marked instant.
    private let shown: (before: Int, after: Int)
    /// Whether an entry is the one of a fact, if none between it and the fact is.
    private let isFact: @Sendable (Fact, Moment) -> Bool
    private var last: [Moment] = []
    private var windows: [(instant: Instant, before: [Moment], after: [Moment])] = []
    private var open: [Fact] = []
    private var found: [Fact: Moment] = [:]

    init(before: Int, after: Int, isFact: @escaping @Sendable (Fact, Moment) -> Bool) {
        (shown, self.isFact) = ((before, after), isFact)
    }

    mutating func take(_ entry: Entry, at instant: Instant) {
        for fact in open where fact.instant < instant { find(fact) }
        open.removeAll { $0.instant < instant }
        last.append((instant, entry), ofAtMost: Self.kept)
        for place in windows.indices { add((instant, entry), toWindow: place) }
    }

    /// Marks an instant, which may be later or a little earlier than the last entry.
    mutating func mark(_ instant: Instant) {
        windows.append((instant, [], []))
        for moment in last { add(moment, toWindow: windows.count - 1) }
    }

    mutating func mark(_ fact: Fact) {
        guard found[fact] == nil, found.count + open.count < Self.maximumFacts else { return }
        if let end = last.last, end.instant > fact.instant { find(fact) } else { open.append(fact) }
    }

    /// The entries around an instant and of facts, in no order.
    func moments(around instant: Instant, _ facts: [Fact]) -> [Moment] {
        let window = windows.first { $0.instant == instant }
        let near = (window?.before ?? []) + (window?.after ?? [])
        let first = near.map(\.instant).min() ?? .never
        // Those in the window are shown anyway.
        return facts.compactMap { found[$0] ?? moment(of: $0) }.filter { $0.instant < first } + near
    }

    private mutating func find(_ fact: Fact) { if let moment = moment(of: fact) { found[fact] = moment } }

    private func moment(of fact: Fact) -> Moment? {
        last.last { $0.instant <= fact.instant && isFact(fact, $0) }
    }

    private mutating func add(_ moment: Moment, toWindow place: Int) {
        if moment.instant > windows[place].instant {
            guard windows[place].after.count < shown.after else { return }
            windows[place].after.append(moment)
        } else {
            if windows[place].before.count == shown.before { windows[place].before.removeFirst() }
            windows[place].before.append(moment)
        }
    }
}
