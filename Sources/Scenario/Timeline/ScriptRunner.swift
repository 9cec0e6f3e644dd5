public import EventLog
public import Scenarios
public import Simulation

/// Decides when the rules of a scenario's script begin and end; others perform what they say.
///
/// A machine without a clock: it is told what happens and which time it is, and says what to do.
///
///     runner.start(at: loop.now, into: &outbox)
///     runner.happened(.init(.subscribed, of: heartRate), at: loop.now, into: &outbox)
///
/// **Order.**  Of what is to be done at one instant, the rule that stands first in the file comes first; of one rule, ends
/// come before beginnings.  What was due by then comes before what is told at that instant.  Whoever is late in calling
/// does not shift the script: what was due is counted from when it was due.
///
/// **Matches.**  A rule fires at each match of its moment, but for `nth` and `every`, which count from 1 and over the whole
/// scenario; then it is drawn whether the match counts, from a stream of the rule's own.  An event of a device is also
/// one of what belongs to it: `"of": "strap"` matches what happens to `strap/heart_rate`.  `until` an event is until the
/// next one after the rule began; its `nth` and `every` count from there.  `until` a time that is over: the rule ends as it
/// begins.
///
/// **What is in force.**  Rules that do the same kind of thing to the same thing cover each other: the one that began last
/// is in force.  When it ends, the one below goes on, if its time is not over.  So `end` says what to give back,
/// `resume` what is in force instead, and `lapse` that a time is over of which nothing was to be seen any more.  A rule that
/// never ends lapses when another that never ends covers it, since it could not come back.
///
/// **From outside.**  `act` begins what no rule of the file says, as a rule of its own behind those of the file: it covers
/// and is covered like them.  Without an end it lasts until `giveBack`, or until something else from outside covers it;
/// a rule of the file that never ends comes back from below it.
///
/// **Limits.**  Rules that feed each other at one instant are cut off for good.  Of what does the same to the same thing,
/// the first ends when there is too much of it.
public struct ScriptRunner: Sendable {
    /// What is to be done; `rule(_:)` has the rules by their numbers, and those below the count of the scenario's
    /// `script` are the indices of it.
    ///
    /// Each `begin` is the event `began` of its rule; each `end` and each `lapse` the event `ended`.
    public enum Output: Hashable, Sendable {
        /// Perform the rule's action now, in place of what another rule does to the same thing in the same way.
        case begin(rule: Int)
        /// Its time is over: give back what it took.  One that does not last ends as it begins, and has nothing to give.
        case end(rule: Int)
        /// Follows an `end`: a rule that was covered is in force again, as if it had been all the time since `begun`.
        case resume(rule: Int, begun: Instant)
        /// Its time is over while another rule covers it: nothing changes.
        case lapse(rule: Int)
        /// The rule feeds itself without end at this instant, and fires no more.
        case runaway(rule: Int)
        /// Call `timePassed` then, and not when an earlier `wake` said.
        case wake(at: Instant)
    }

    /// A rule that lasts and has not ended.
    private struct Firing {
        let number: Int
        let rule: Int
        let begun: Instant
        /// Of the event until which it lasts.
        var matches = 0
        /// Whether that event has come, so that the end is on the agenda.
        var isEnding = false
    }

    /// What a rule has to remember.
    private struct Memory {
        var chance: RandomStream
        /// Of its moment.
        var matches = 0
        /// Where an event that it waits for came last, and how often.
        var last = Instant.never
        var moments = 0
        var isCutOff = false
    }

    private enum Phase { case waiting, playing, over }

    /// How often a rule's event may come at one instant, and all rules' together ten times as often; and how much of one
    /// kind lasts on one thing at once.
    public static let limit = 1000

    private var script: [Rule]  // of the file, and behind them those from outside
    private let ownCount: Int  // of those of the file
    private var kinds: [Event.Kind]  // that some rule waits for
    private let chance: RandomStream
    private var memories: [Memory]
    private var phase = Phase.waiting
    private var origin = Instant.start
    private var agenda = Agenda()
    private var running: [Firing] = []  // in the order in which they began
    private var firings = 0
    private var crowd = (at: Instant.never, moments: 0)  // of all rules that wait for events
    private var asked: Instant?

    /// The script of a scenario that has not started.
    ///
    /// Of `seed`, each rule draws from the stream `rule NAME`, or `rule #INDEX` if it has no id.
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

    /// Whether it has started, and is not over.
    public var isPlaying: Bool { phase == .playing }

    /// Whether any rule waits for such an event; if none does, it need not be told.
    public func waits(for kind: Event.Kind) -> Bool { kinds.contains(kind) }

    /// The rule with a number of an output; of one from outside, only until the next `act`.
    public func rule(_ number: Int) -> Rule { script[number] }

    /// Of the rules that last now, those that no other one covers, in the order in which they began.
    public var inForce: [(rule: Int, begun: Instant)] {
        running.indices.filter { index in
            !running[(index + 1)...].contains { covers($0.rule, running[index].rule) }
        }.map { (running[$0].rule, running[$0].begun) }
    }

    /// Whether a rule comes from outside, and is none of the file.
    public func isFromOutside(_ rule: Int) -> Bool { rule >= ownCount }

    /// Which rule of the file begins next at a time that is known, and when; nil if none does.
    public var next: (rule: Int, due: Instant)? { agenda.nextBeginning }

    /// The scenario begins; durations of the script count from `now`.  Once only.
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

    /// Something happened; of no consequence before the start and after the end.
    ///
    /// `began` and `ended` of rules are known here, and are not to be told.
    public mutating func happened(_ observed: ObservedEvent, at now: Instant, into outbox: inout [Output]) {
        guard phase == .playing else { return }
        play(until: now, into: &outbox)
        hear(observed, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
    }

    /// Does what is due; called too early or too often, it does nothing.
    public mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        guard phase == .playing else { return }
        play(until: now, into: &outbox)
        guard agenda.firstDue != asked else { return }
        asked = agenda.firstDue
        if let asked { outbox.append(.wake(at: asked)) }
    }

    /// The scenario ends: the moment `end`.  Nothing happens in the script after it; what still lasts is left as it is.
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

    // MARK: From outside

    /// Does now what somebody outside says, under the name that is the rule's `id`; its moment does not count.
    ///
    /// False before the start, after the end, and when its `chance` has decided against it.
    public mutating func act(_ rule: Rule, at now: Instant, into outbox: inout [Output]) -> Bool {
        guard phase == .playing else { return false }
        play(until: now, into: &outbox)
        let number = place(rule)
        guard memories[number].chance.happens(rule.chance) else { return false }
        begin(number, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
        return true
    }

    /// Ends what `act` began under a name on a thing, and what still lasts; false when nothing does.
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

    /// Whether something lasts that `act` began under a name on a thing.
    public func lasts(_ name: String, of entity: EntityReference) -> Bool { firing(name, of: entity) != nil }

    private func firing(_ name: String, of entity: EntityReference) -> Int? {
        running.lastIndex { firing in
            isFromOutside(firing.rule) && script[firing.rule].id == name && script[firing.rule].action.entity == entity
        }
    }

    /// Gives a rule from outside a number that no other one has while it lasts.
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

    /// Puts on the agenda what a happening begins and ends; nothing else, so that the agenda alone makes the order.
    private mutating func hear(_ observed: ObservedEvent, at now: Instant, into outbox: inout [Output]) {
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

    /// Counts that the event of a rule has come; true when it has come too often at this instant.
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

    /// A rule's moment has come: decides whether it fires.
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

    // MARK: Beginnings and ends

    private mutating func begin(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        let rule = script[index]
        outbox.append(.begin(rule: index))
        hear(ObservedEvent(.began, of: .rule(index)), at: now, into: &outbox)
        guard rule.action.kind.lasts else {
            if rule.action.kind == .clear { clear(rule.action.entity, at: now, into: &outbox) }
            outbox.append(.end(rule: index))
            return hear(ObservedEvent(.ended, of: .rule(index)), at: now, into: &outbox)
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

    /// Ends a rule that lasts, and says what is in force instead.
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
        hear(ObservedEvent(.ended, of: .rule(firing.rule)), at: now, into: &outbox)
    }

    /// Ends all that is done to a thing and to what belongs to it, or all there is, in the order in which it began.
    private mutating func clear(_ entity: EntityReference?, at now: Instant, into outbox: inout [Output]) {
        while let index = running.firstIndex(where: { firing in
            guard let entity else { return true }
            return script[firing.rule].action.entity.map(entity.includes) ?? false
        }) {
            end(index, at: now, into: &outbox)
        }
    }

    /// The last of the running firings never ends: so others below it that never end have no time left.  One from
    /// outside can be given back, and leaves theirs to rules of the file.
    private mutating func endEndless(coveredBy rule: Int, at now: Instant, into outbox: inout [Output]) {
        while let index = running.dropLast().firstIndex(where: { firing in
            script[firing.rule].end == nil && covers(rule, firing.rule)
                && (!isFromOutside(rule) || isFromOutside(firing.rule))
        }) {
            end(index, at: now, into: &outbox)
        }
    }

    /// Makes room for one more of what does the same to the same thing: the first that began ends.
    private mutating func limitLayers(coveredBy rule: Int, at now: Instant, into outbox: inout [Output]) {
        guard running.count >= Self.limit, running.count(where: { covers(rule, $0.rule) }) >= Self.limit,
            let first = running.firstIndex(where: { covers(rule, $0.rule) })
        else { return }
        end(first, at: now, into: &outbox)
    }

    /// Whether two rules do the same kind of thing to the same thing.
    private func covers(_ upper: Int, _ lower: Int) -> Bool {
        script[upper].action.kind == script[lower].action.kind
            && script[upper].action.entity == script[lower].action.entity
    }
}
