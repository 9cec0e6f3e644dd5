import Basics
import ScenarioModel

/// The evaluators of a scenario, each with the expectations that it decides, and those among them that now need a turn.
///
/// Expectations that differ only in their names share an evaluator. An evaluator takes a turn when its time comes, or at
/// an event that concerns it; while it is not open, only events that can open it do. The cost of judging thus grows with
/// what happens to the expectations, not with their number times that of the events.
struct OpenExpectations: Sendable {
    private struct Item: Sendable {
        var evaluator: any ExpectationEvaluator
        let expectation: Expectation
        var members: [Int]
        var ticket: EventQueue.Ticket?
        var due = Instant.never
        var isOpen = false

        /// The events that can open it.
        var openers: [Event] { expectation.opens.event.map { [$0] } ?? [] }
    }

    private var items: [Item] = []
    private var places: [Int] = []  // by expectation: the index of its item
    private var events = EventIndex()
    private var deadlines = EventQueue()
    private var owners: [Int] = []  // by slot of a deadline
    private var touched: [Int] = []  // since the last rulings
    /// The number of turns that evaluators have taken.
    private(set) var turns = 0
    /// The number of expectations without a verdict.
    private(set) var undecided = 0

    /// With an operator, who answers for each expectation, none share an evaluator.
    init(_ scenario: Scenario, _ terms: Judge.Terms) {
        var known: [Expectation: Int] = [:]
        for (index, expectation) in scenario.expectations.enumerated() {
            let judged = expectation.withoutName
            if !terms.asksOperator, let place = known[judged] {
                items[place].members.append(index)
                places.append(place)
                continue
            }
            known[judged] = items.count
            places.append(items.count)
            items.append(
                Item(
                    evaluator: expectation.evaluator(in: scenario, terms), expectation: expectation,
                    members: [index]))
        }
        undecided = places.count
        for index in items.indices {
            events.add(index, for: items[index].openers)
            settle(index)
        }
    }

    /// The indices of the evaluators without a verdict.
    var pending: [Int] { items.indices.filter { items[$0].evaluator.outcome == nil } }

    /// The number of expectations.
    var count: Int { places.count }

    /// The index of the evaluator of an expectation.
    func evaluator(of expectation: Int) -> Int? { places.indices.contains(expectation) ? places[expectation] : nil }

    subscript(index: Int) -> any ExpectationEvaluator { items[index].evaluator }

    /// The evaluators that an event concerns.
    func concerned(by observed: ObservedEvent) -> [Int] { events.evaluators(concernedBy: observed) }

    /// Lets an evaluator take a turn.
    mutating func turn<Result>(_ index: Int, _ take: (inout any ExpectationEvaluator) -> Result) -> Result {
        turns += 1
        defer { settle(index) }
        return take(&items[index].evaluator)
    }

    /// Lets the evaluators take a turn whose time has come.
    mutating func advance(to now: Instant, _ context: Context) {
        var due: [Int] = []
        while let ticket = deadlines.takeFirst(dueBy: now) {
            items[owners[ticket.slot]].ticket = nil
            due.append(owners[ticket.slot])
        }
        for index in due { turn(index) { $0.advance(to: now, context) } }
    }

    /// The verdicts since the last call, in the order of the decisions.
    mutating func takeRulings() -> [Judge.Ruling] {
        defer { touched.removeAll(keepingCapacity: true) }
        let rulings = touched.flatMap { index in
            guard let outcome = items[index].evaluator.outcome else { return [] as [Judge.Ruling] }
            return items[index].members.map { Judge.Ruling($0, outcome) }
        }
        undecided -= rulings.count
        return rulings.sorted { ($0.at, $0.expectation) < ($1.at, $1.expectation) }
    }

    /// After a turn: notes a verdict, or what the evaluator waits for.
    private mutating func settle(_ index: Int) {
        let evaluator = items[index].evaluator
        let isDecided = evaluator.outcome != nil
        let isOpen = evaluator.isOpen && !isDecided
        if isOpen != items[index].isOpen {
            items[index].isOpen = isOpen
            if isOpen {
                events.add(index, for: items[index].expectation.events)
            } else {
                events.remove(index, for: items[index].expectation.events)
                events.add(index, for: items[index].openers)
            }
        }
        if isDecided {
            touched.append(index)
            events.remove(index, for: items[index].openers)
        }
        schedule(index, isDecided ? .never : evaluator.nextDue)
    }

    private mutating func schedule(_ index: Int, _ due: Instant) {
        if let ticket = items[index].ticket {
            guard items[index].due != due else { return }
            deadlines.cancel(ticket)
        }
        items[index].due = due
        items[index].ticket = nil
        guard due < .never else { return }
        let ticket = deadlines.insert(due: due)
        if ticket.slot == owners.count { owners.append(index) } else { owners[ticket.slot] = index }
        items[index].ticket = ticket
    }
}

extension Judge.Ruling {
    fileprivate init(_ expectation: Int, _ outcome: Outcome) {
        self.init(
            expectation: expectation, verdict: outcome.verdict, why: outcome.reason, at: outcome.at,
            stall: outcome.stall, facts: outcome.facts, miss: outcome.miss, isUnopened: outcome.isUnopened)
    }
}

extension Expectation {
    /// The same for all expectations that always have the same verdict.
    fileprivate var withoutName: Expectation {
        var judged = self
        (judged.id, judged.requirement, judged.isRecommendation) = ("", nil, false)
        return judged
    }
}
