public import EventLog
public import Scenarios
public import Simulation

/// Decides when the rules of a scenario's script start and end; the caller performs their actions.
///
/// A state machine without a clock: its inputs are events and instants, its outputs are actions.
///
///     runner.start(at: loop.now, into: &outbox)
///     runner.happened(.init(.subscribed, of: heartRate), at: loop.now, into: &outbox)
///
/// **Order.** At one instant, rules act in the order of the file; for one rule, ends come before starts. What was due
/// by an instant comes before events at that instant. Late calls do not shift the script: times count from when
/// something was due.
///
/// **Matches.** A rule fires at each match of its moment, unless `nth` or `every` restrict that; these count from 1
/// over the whole scenario. Then a draw from the rule's own random stream decides whether the match counts. An event of
/// a device is also an event of everything that contains it: `"of": "strap"` matches events of `strap/heart_rate`.
/// `until` with an event means the next match after the rule started, and its `nth` and `every` count from there. If
/// `until` is a time that has passed, the rule ends at once.
///
/// **Active rules.** Of rules that do the same kind of action on the same target, only the one that started last is
/// active. When it ends, the previous one resumes if its time is not over. Therefore `end` says what to undo, `resume`
/// what is active instead, and `lapse` that an inactive rule has ended. A rule without end lapses when another one
/// without end covers it, because it could never resume.
///
/// **Actions from outside.** `act` starts a rule that is not in the file; it comes after the rules of the file and
/// covers others in the same way. Without end it lasts until `giveBack`, or until another action from outside covers
/// it; a rule of the file without end can resume after it.
///
/// **Limits.** Rules that trigger each other endlessly at one instant are disabled. If too many rules of the same kind
/// of action and target are running, the oldest ends.
public struct ScriptRunner: Sendable {
    /// An instruction for the caller. `rule(_:)` returns the rules by their numbers; numbers below the count of the
    /// scenario's `script` are its indices.
    ///
    /// Each `begin` is an event `began` of its rule; each `end` and `lapse` is an event `ended`.
    public enum Output: Hashable, Sendable {
        /// Perform the rule's action now; it replaces what another rule does to the same target in the same way.
        case begin(rule: Int)
        /// The rule has ended: undo its action. An action that does not last ends at once, and there is nothing to
        /// undo.
        case end(rule: Int)
        /// Follows an `end`: a covered rule is active again, as if it had been active since `begun`.
        case resume(rule: Int, begun: Instant)
        /// A covered rule has ended: nothing changes.
        case lapse(rule: Int)
        /// The rule triggers itself endlessly at this instant, and is disabled.
        case runaway(rule: Int)
        /// Call `timePassed` at this instant; replaces earlier outputs of this kind.
        case wake(at: Instant)
    }

    /// A running rule.
    private struct Firing {
        let number: Int
        let rule: Int
        let begun: Instant
        /// Matches of the event that ends it.
        var matches = 0
        /// Whether that event has happened, so that the end is on the agenda.
        var isEnding = false
    }

    /// The state of a rule.
    private struct Memory {
        var chance: RandomStream
        /// Matches of its moment.
        var matches = 0
        /// When an event of its moment last matched, and how often at that instant.
        var last = Instant.never
        var moments = 0
        var isCutOff = false
    }

    private enum Phase { case waiting, playing, over }

    /// How often an event of a rule may match at one instant (and of all rules, ten times as often), and how many rules
    /// with the same kind of action and target may run at once.
    public static let limit = 1000

    private var script: [Rule]  // rules of the file, followed by those from outside
    private let ownCount: Int  // number of rules of the file
    private var kinds: [Event.Kind]  // events for which some rule waits
    private let chance: RandomStream
    private var memories: [Memory]
    private var phase = Phase.waiting
    private var origin = Instant.start
    private var agenda = Agenda()
    private var running: [Firing] = []  // in the order of their starts
    private var firings = 0
    private var crowd = (at: Instant.never, moments: 0)  // matches of all rules at an instant
    private var asked: Instant?

    /// The script of a scenario that has not started.
    ///
    /// Each rule draws from the stream `rule NAME` of `seed`, or `rule #INDEX` if it has no id.
    public init(_ scenario: Scenario, seed: RandomStream) {
        script = scenario.script
        ownCount = script.count
        chance = seed
        memories = script.enumerated().map { index, rule in
            Memory(chance: seed.stream("rule \(rule.id ?? "#\(index)")"))
        }
        kinds = Event.Kind.allCases.filter { kind in
            scenario.script.contains { $0.when.event?.kind == kind || $0.end?.event?.kind == kind }
        }
    }

    /// Whether the script has started and not finished.
    public var isPlaying: Bool { phase == .playing }

    /// Whether a rule waits for such an event; other events need not be passed to `happened`.
    public func waits(for kind: Event.Kind) -> Bool { kinds.contains(kind) }

    /// The rule with a number of an output; for rules from outside, only until the next `act`.
    public func rule(_ number: Int) -> Rule { script[number] }

    /// The active rules in the order of their starts.
    public var inForce: [(rule: Int, begun: Instant)] {
        running.indices.filter { index in
            !running[(index + 1)...].contains { covers($0.rule, running[index].rule) }
        }.map { (running[$0].rule, running[$0].begun) }
    }

    /// Whether a rule comes from outside, not from the file.
    public func isFromOutside(_ rule: Int) -> Bool { rule >= ownCount }

    /// The rule that starts next at a known time, and that time; nil if there is none.
    public var next: (rule: Int, due: Instant)? { agenda.nextBeginning }

    /// Starts the scenario; durations of the script count from `now`. Must be called once.
    public mutating func start(at now: Instant, into outbox: inout [Output]) {
        guard phase == .waiting else { return }
        (phase, origin) = (.playing, now)
        for (index, rule) in script.enumerated() {
            switch rule.when {
            case .start: agenda.add(.begin, of: index, due: now)
            case .time(let time): agenda.add(.begin, of: index, due: now.advanced(by: time))
            case .repeated(_, _, let times?) where times < 1: break
            case .repeated(let first, _, _): agenda.add(.begin, of: index, due: now.advanced(by: first))
            case .end, .event: break
            }
        }
        timePassed(at: now, into: &outbox)
    }

    /// Handles an event; has no effect before the start and after the end.
    ///
    /// `began` and `ended` of rules are generated here, and must not be passed.
    public mutating func happened(_ observed: ObservedEvent, at now: Instant, into outbox: inout [Output]) {
        guard phase == .playing else { return }
        play(until: now, into: &outbox)
        match(observed, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
    }

    /// Performs what is due; early and repeated calls have no effect.
    public mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        guard phase == .playing else { return }
        play(until: now, into: &outbox)
        guard agenda.firstDue != asked else { return }
        asked = agenda.firstDue
        if let asked { outbox.append(.wake(at: asked)) }
    }

    /// Ends the scenario: the moment `end`. The script does nothing afterwards; running rules stay active.
    public mutating func finish(at now: Instant, into outbox: inout [Output]) {
        guard phase == .playing else { return }
        play(until: now, into: &outbox)
        for firing in running where script[firing.rule].end == .at(.end) {
            agenda.add(.end(firing: firing.number), of: firing.rule, due: now)
        }
        for (index, rule) in script.enumerated() where rule.when == .end {
            agenda.add(.begin, of: index, due: now)
        }
        play(until: now, into: &outbox)
        agenda.removeAll()
        phase = .over
    }

    // MARK: Actions from outside

    /// Performs an action now, under the name that is the rule's `id`; its moment is ignored.
    ///
    /// Returns false before the start, after the end, and if its `chance` decided against it.
    public mutating func act(_ rule: Rule, at now: Instant, into outbox: inout [Output]) -> Bool {
        guard phase == .playing else { return false }
        play(until: now, into: &outbox)
        let number = place(rule)
        guard memories[number].chance.happens(rule.chance) else { return false }
        begin(number, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
        return true
    }

    /// Ends what `act` started under a name for a target; returns false if nothing is running.
    public mutating func giveBack(
        _ name: String, of entity: EntityReference, at now: Instant, into outbox: inout [Output]
    ) -> Bool {
        guard phase == .playing else { return false }
        play(until: now, into: &outbox)
        guard let index = firing(name, of: entity) else { return false }
        end(index, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
        return true
    }

    /// Whether something that `act` started under a name for a target is running.
    public func lasts(_ name: String, of entity: EntityReference) -> Bool { firing(name, of: entity) != nil }

    private func firing(_ name: String, of entity: EntityReference) -> Int? {
        running.lastIndex { firing in
            isFromOutside(firing.rule) && script[firing.rule].id == name && script[firing.rule].action.entity == entity
        }
    }

    /// Stores a rule from outside under a number that is not in use.
    private mutating func place(_ rule: Rule) -> Int {
        var rule = rule
        rule.when = .start  // which has passed
        let taken = Set(running.map(\.rule))
        let number = (ownCount..<script.count).first { !taken.contains($0) }
        if let kind = rule.end?.event?.kind, !kinds.contains(kind) { kinds.append(kind) }
        guard let number else {
            memories.append(Memory(chance: chance.stream("outside #\(script.count - ownCount)")))
            script.append(rule)
            return script.count - 1
        }
        script[number] = rule
        return number
    }

    // MARK: Matches

    /// Adds to the agenda what an event starts and ends; does nothing else, so that the agenda alone determines the
    /// order.
    private mutating func match(_ observed: ObservedEvent, at now: Instant, into outbox: inout [Output]) {
        guard waits(for: observed.kind) else { return }
        for index in running.indices {
            let rule = running[index].rule
            guard let event = script[rule].end?.event, !running[index].isEnding else { continue }
            for _ in 0..<event.matches(in: observed) where !running[index].isEnding {
                running[index].matches += 1
                guard event.occurrence.includes(running[index].matches) else { continue }
                running[index].isEnding = true
                agenda.add(.end(firing: running[index].number), of: rule, due: now.advanced(by: event.delay))
            }
        }
        for index in script.indices {
            guard let event = script[index].when.event else { continue }
            for _ in 0..<event.matches(in: observed) {
                memories[index].matches += 1
                guard event.occurrence.includes(memories[index].matches), !memories[index].isCutOff else { continue }
                if isRunaway(index, at: now) {
                    memories[index].isCutOff = true
                    outbox.append(.runaway(rule: index))
                } else {
                    agenda.add(.begin, of: index, due: now.advanced(by: event.delay))
                }
            }
        }
    }

    /// Counts a match of a rule's event; returns true if there were too many at this instant.
    private mutating func isRunaway(_ rule: Int, at now: Instant) -> Bool {
        if memories[rule].last != now { (memories[rule].last, memories[rule].moments) = (now, 0) }
        if crowd.at != now { crowd = (now, 0) }
        memories[rule].moments += 1
        crowd.moments += 1
        return memories[rule].moments > Self.limit || crowd.moments > 10 * Self.limit + ownCount
    }

    private mutating func play(until now: Instant, into outbox: inout [Output]) {
        while let entry = agenda.takeFirst(dueBy: now) {
            switch entry.act {
            case .begin: moment(of: entry.rule, at: entry.due, into: &outbox)
            case .end(let number):
                guard let index = running.firstIndex(where: { $0.number == number }) else { continue }
                end(index, at: entry.due, into: &outbox)
            }
        }
    }

    /// Handles the moment of a rule: decides whether it fires.
    private mutating func moment(of rule: Int, at now: Instant, into outbox: inout [Output]) {
        if case .repeated(_, let every, let times) = script[rule].when, every > .zero {
            memories[rule].matches += 1
            if memories[rule].matches < times ?? .max {
                agenda.add(.begin, of: rule, due: now.advanced(by: every))
            }
        }
        guard memories[rule].chance.happens(script[rule].chance), !memories[rule].isCutOff else { return }
        begin(rule, at: now, into: &outbox)
    }

    // MARK: Starts and ends

    private mutating func begin(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        let rule = script[index]
        outbox.append(.begin(rule: index))
        match(ObservedEvent(.began, of: .rule(index)), at: now, into: &outbox)
        guard rule.action.kind.lasts else {
            if rule.action.kind == .clear { clear(rule.action.entity, at: now, into: &outbox) }
            outbox.append(.end(rule: index))
            return match(ObservedEvent(.ended, of: .rule(index)), at: now, into: &outbox)
        }
        limitLayers(coveredBy: index, at: now, into: &outbox)
        firings += 1
        running.append(Firing(number: firings, rule: index, begun: now))
        switch rule.end {
        case .after(let duration): agenda.add(.end(firing: firings), of: index, due: now.advanced(by: duration))
        case .at(let moment):
            guard let due = moment.clockTime(after: now, origin: origin) else { break }
            agenda.add(.end(firing: firings), of: index, due: max(now, due))
        case nil: endEndless(coveredBy: index, at: now, into: &outbox)
        }
    }

    /// Ends a running rule, and reports what is active instead.
    private mutating func end(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        let firing = running.remove(at: index)
        agenda.cancelEnd(ofFiring: firing.number)
        if running[index...].contains(where: { covers($0.rule, firing.rule) }) {
            outbox.append(.lapse(rule: firing.rule))
        } else {
            outbox.append(.end(rule: firing.rule))
            if let covered = running[..<index].last(where: { covers(firing.rule, $0.rule) }) {
                outbox.append(.resume(rule: covered.rule, begun: covered.begun))
            }
        }
        match(ObservedEvent(.ended, of: .rule(firing.rule)), at: now, into: &outbox)
    }

    /// Ends all actions on a target and what it contains, or all actions, in the order of their starts.
    private mutating func clear(_ entity: EntityReference?, at now: Instant, into outbox: inout [Output]) {
        while let index = running.firstIndex(where: { firing in
            guard let entity else { return true }
            return script[firing.rule].action.entity.map(entity.includes) ?? false
        }) {
            end(index, at: now, into: &outbox)
        }
    }

    /// The rule that started last never ends, so other endless rules below it are over. Rules from outside can be taken
    /// back, and do not end those of the file.
    private mutating func endEndless(coveredBy rule: Int, at now: Instant, into outbox: inout [Output]) {
        while let index = running.dropLast().firstIndex(where: { firing in
            script[firing.rule].end == nil && covers(rule, firing.rule)
                && (!isFromOutside(rule) || isFromOutside(firing.rule))
        }) {
            end(index, at: now, into: &outbox)
        }
    }

    /// Makes room for another rule with the same kind of action and target: ends the oldest.
    private mutating func limitLayers(coveredBy rule: Int, at now: Instant, into outbox: inout [Output]) {
        guard running.count >= Self.limit, running.count(where: { covers(rule, $0.rule) }) >= Self.limit,
            let first = running.firstIndex(where: { covers(rule, $0.rule) })
        else { return }
        end(first, at: now, into: &outbox)
    }

    /// Whether two rules have the same kind of action and target.
    private func covers(_ upper: Int, _ lower: Int) -> Bool {
        script[upper].action.kind == script[lower].action.kind
            && script[upper].action.entity == script[lower].action.entity
    }
}
