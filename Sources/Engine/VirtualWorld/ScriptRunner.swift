package import Basics
import ScenarioLanguage
package import ScenarioModel

/// Decides when the rules of a scenario's script begin and end; the caller performs their actions.
///
/// It has no clock: the caller passes in events and the time.
///
///     runner.start(at: loop.now, into: &outbox)
///     runner.observe(.init(.subscribed, of: heartRate), at: loop.now, into: &outbox)
///
/// **Order.**  At one instant, rules act in the order of the file; the end of a rule comes before its next beginning.
/// Whatever is due by an instant comes before the events of that instant.  A late call does not shift the script: times
/// count from when something was due.
///
/// **Matches.**  A rule fires at each match of its moment; `nth` and `every` count matches from 1, over the whole
/// scenario.  `chance` is then drawn from the rule's own random stream.  An event of an entity is also one of its owners:
/// `"of": "strap"` matches events of `strap/heart_rate`.  An event in `until` counts from the beginning of the rule, and
/// so do its `nth` and `every`.  If a time in `until` is over, the rule ends as it begins.
///
/// **Conditions.**  A rule whose moment has come acts only if its conditions hold then; `chance` is drawn after that.
///
/// **Covering.**  Of several rules with the same kind of action on the same target, the latest is active and covers the
/// others.  When it ends, the one below resumes if its time is not over.  `end` undoes an action, `resume` names the rule
/// that is active instead, and `lapse` reports the end of a covered rule.  An endless rule ends when another endless one
/// covers it.
///
/// **From outside.**  `act` begins an action that is not in the file, as a rule after those of the file.  Without an end
/// it lasts until `end(_:of:at:into:)`, or until another one from outside covers it; a covered endless rule of the file
/// then resumes.
///
/// **Limits.**  Rules that trigger each other without end at one instant are stopped for good.  If too many rules cover
/// each other, the first ends.
package struct ScriptRunner: Sendable {
    /// An instruction to the caller.
    ///
    /// Numbers below the count of the scenario's `script` are its indices; `rule(_:)` returns the rule of any number.  Each
    /// `begin` is the event `began` of its rule; each `end` and each `lapse` is `ended`.
    package enum Output: Hashable, Sendable {
        /// Perform the rule's action, in place of that of a covered rule.
        case begin(rule: Int)
        /// Undo the rule's action, if it lasts.
        case end(rule: Int)
        /// After an `end`: perform the action of a covered rule, as if it had been active since `begun`.
        case resume(rule: Int, begun: Instant)
        /// A covered rule has ended: nothing changes.
        case lapse(rule: Int)
        /// The rule has triggered itself without end at this instant, and is stopped.
        case runaway(rule: Int)
        /// Call `timePassed` at this instant; it replaces an earlier `wake`.
        case wake(at: Instant)
    }

    /// A lasting rule that has not ended.
    private struct Firing {
        let number: Int
        let rule: Int
        let begun: Instant
        /// The kind of the event in its `until`.
        let ending: Event.Kind?
        /// Matches of that event.
        var matches = 0
        var isEnding = false
    }

    /// The kind and the target of actions that cover each other.
    private struct Layer: Hashable {
        let kind: Action.Kind
        let entity: EntityReference?
    }

    /// A kind of event, of one rule or of anything else, for which rules wait.
    private struct Trigger: Hashable {
        let kind: Event.Kind
        let rule: Int?

        init(_ kind: Event.Kind, of entity: EntityReference?) {
            self.kind = kind
            rule = if case .rule(let rule)? = entity { rule } else { nil }
        }
    }

    /// The state of a rule.
    private struct State {
        var chance: RandomStream
        var matches = 0
        /// The instant of the last match of its event, and the matches at that instant.
        var last = Instant.never
        var moments = 0
        var isCutOff = false
    }

    private enum Phase { case waiting, playing, over }

    /// The limit on matches of a rule at one instant, on a tenth of those of all rules, and on rules that cover each other.
    package static let limit = 1000

    private var script: [Rule]  // those of the file first, then those from outside
    private let ownCount: Int  // rules of the file
    private var kinds: [Event.Kind]  // that some rule depends on
    private let chance: RandomStream
    private var states: [State]
    private var phase = Phase.waiting
    private var origin = Instant.start
    private var agenda = Agenda()
    private var running: [Firing] = []  // in the order of their starts, which is that of their numbers
    private var layers: [Layer: [Int]] = [:]  // the numbers of those that cover each other, in the same order
    private let waiting: [Trigger: [Int]]  // the rules of the file that begin at an event, in their order
    private var conditions: RuleConditions
    /// How many rules and firings events have been compared with: tests limit it.
    private(set) var matchings = 0
    private var firings = 0
    private var crowd = (at: Instant.never, moments: 0)  // matches of all rules at an instant
    private var asked: Instant?

    /// The script of a scenario that has not started.  Each rule draws from the stream `rule ID` of `seed`, or
    /// `rule #INDEX` without an id.
    package init(_ scenario: Scenario, seed: RandomStream) {
        script = scenario.script
        ownCount = script.count
        chance = seed
        states = script.enumerated().map { index, rule in
            State(chance: seed.stream("rule \(rule.id ?? "#\(index)")"))
        }
        var waiting: [Trigger: [Int]] = [:]
        for (index, rule) in script.enumerated() {
            guard let event = rule.when.event else { continue }
            waiting[Trigger(event.kind, of: event.of), default: []].append(index)
        }
        self.waiting = waiting
        let conditions = RuleConditions(of: script)
        self.conditions = conditions
        kinds = Event.Kind.allCases.filter { kind in
            conditions.kinds.contains(kind)
                || scenario.script.contains { $0.when.event?.kind == kind || $0.end?.event?.kind == kind }
        }
    }

    /// How many comparisons ordering the pending starts and ends has needed: tests limit it.
    var comparisons: Int { agenda.comparisons }

    /// Whether the script has started and not ended.
    package var isPlaying: Bool { phase == .playing }

    /// Whether any rule depends on a kind of event; the caller may leave out others.
    package func waits(for kind: Event.Kind) -> Bool { kinds.contains(kind) }

    /// The rule with a number; for one from outside, the number is valid until the next `act`.
    package func rule(_ number: Int) -> Rule { script[number] }

    /// The lasting rules that no other one covers, in the order in which they began.
    package var activeRules: [(rule: Int, begun: Instant)] {
        running.filter { layers[layer(of: $0.rule)]?.last == $0.number }.map { ($0.rule, $0.begun) }
    }

    /// Whether a rule comes from outside, not from the file.
    package func isFromOutside(_ rule: Int) -> Bool { rule >= ownCount }

    /// The rule that begins next at a known time; nil if there is none.
    package var next: (rule: Int, due: Instant)? { agenda.nextBeginning }

    /// Starts the script; its times count from `now`.  Only the first call has an effect.
    package mutating func start(at now: Instant, into outbox: inout [Output]) {
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

    /// Takes an event; without effect before the start and after the end.
    ///
    /// The caller does not pass in `began` and `ended`.
    package mutating func observe(_ observed: ObservedEvent, at now: Instant, into outbox: inout [Output]) {
        guard phase == .playing else { return }
        play(until: now, into: &outbox)
        match(observed, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
    }

    /// Performs what is due; calls without anything due have no effect.
    package mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        guard phase == .playing else { return }
        play(until: now, into: &outbox)
        guard agenda.firstDue != asked else { return }
        asked = agenda.firstDue
        if let asked { outbox.append(.wake(at: asked)) }
    }

    /// Ends the script, with the moment `end`.  Lasting actions stay as they are.
    package mutating func finish(at now: Instant, into outbox: inout [Output]) {
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

    /// Begins a rule from outside now, whatever its moment; its `id` is its name.
    ///
    /// - Returns: False before the start, after the end, and if its `chance` decides against it.
    package mutating func act(_ rule: Rule, at now: Instant, into outbox: inout [Output]) -> Bool {
        guard phase == .playing else { return false }
        play(until: now, into: &outbox)
        let number = place(rule)
        guard states[number].chance.happens(rule.chance) else { return false }
        begin(number, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
        return true
    }

    /// Stops a rule for good: it cannot be played.
    mutating func cutOff(_ rule: Int) { states[rule].isCutOff = true }

    /// Ends a lasting rule that `act` began; false if there is none.
    package mutating func end(
        _ name: String, of entity: EntityReference, at now: Instant, into outbox: inout [Output]
    ) -> Bool {
        guard phase == .playing else { return false }
        play(until: now, into: &outbox)
        guard let index = firing(name, of: entity) else { return false }
        end(index, at: now, into: &outbox)
        timePassed(at: now, into: &outbox)
        return true
    }

    /// Whether a rule that `act` began still lasts.
    package func lasts(_ name: String, of entity: EntityReference) -> Bool { firing(name, of: entity) != nil }

    private func firing(_ name: String, of entity: EntityReference) -> Int? {
        running.lastIndex { firing in
            isFromOutside(firing.rule) && script[firing.rule].id == name && script[firing.rule].action.entity == entity
        }
    }

    /// Gives a rule from outside a number that no lasting rule has.
    private mutating func place(_ rule: Rule) -> Int {
        var rule = rule
        rule.when = .start  // has passed: it does not fire again
        let taken = Set(running.map(\.rule))
        let number = (ownCount..<script.count).first { !taken.contains($0) }
        if let kind = rule.end?.event?.kind, !kinds.contains(kind) { kinds.append(kind) }
        guard let number else {
            states.append(State(chance: chance.stream("outside #\(script.count - ownCount)")))
            script.append(rule)
            return script.count - 1
        }
        script[number] = rule
        return number
    }

    // MARK: Matches

    /// Adds the beginnings and ends that an event causes to the agenda, which alone determines their order.
    private mutating func match(_ observed: ObservedEvent, at now: Instant, into outbox: inout [Output]) {
        guard waits(for: observed.kind) else { return }
        matchings += conditions.note(observed, at: now)
        for index in running.indices where running[index].ending == observed.kind && !running[index].isEnding {
            let rule = running[index].rule
            guard let event = script[rule].end?.event else { continue }
            matchings += 1
            for _ in 0..<event.matches(in: observed) where !running[index].isEnding {
                running[index].matches += 1
                guard event.occurrence.includes(running[index].matches) else { continue }
                running[index].isEnding = true
                agenda.add(.end(firing: running[index].number), of: rule, due: now.advanced(by: event.delay))
            }
        }
        for index in rules(waitingFor: observed) {
            guard let event = script[index].when.event else { continue }
            matchings += 1
            for _ in 0..<event.matches(in: observed) {
                states[index].matches += 1
                guard event.occurrence.includes(states[index].matches), !states[index].isCutOff else { continue }
                if isRunaway(index, at: now) {
                    states[index].isCutOff = true
                    outbox.append(.runaway(rule: index))
                } else {
                    agenda.add(.begin, of: index, due: now.advanced(by: event.delay))
                }
            }
        }
    }

    /// The rules of the file that can begin at an event, in their order.
    private func rules(waitingFor observed: ObservedEvent) -> [Int] {
        let all = waiting[Trigger(observed.kind, of: nil)] ?? []
        guard case .rule? = observed.of, let own = waiting[Trigger(observed.kind, of: observed.of)] else { return all }
        return all.isEmpty ? own : (all + own).sorted()
    }

    /// Counts a match of a rule's event; true if there are too many at this instant.
    private mutating func isRunaway(_ rule: Int, at now: Instant) -> Bool {
        if states[rule].last != now { (states[rule].last, states[rule].moments) = (now, 0) }
        if crowd.at != now { crowd = (now, 0) }
        states[rule].moments += 1
        crowd.moments += 1
        return states[rule].moments > Self.limit || crowd.moments > 10 * Self.limit + ownCount
    }

    private mutating func play(until now: Instant, into outbox: inout [Output]) {
        while let entry = agenda.takeFirst(dueBy: now) {
            switch entry.act {
            case .begin: moment(of: entry.rule, at: entry.due, into: &outbox)
            case .end(let number):
                guard let index = place(ofFiring: number) else { continue }
                end(index, at: entry.due, into: &outbox)
            }
        }
    }

    /// Begins a rule at its moment, unless its chance decides against it.
    private mutating func moment(of rule: Int, at now: Instant, into outbox: inout [Output]) {
        if case .repeated(_, let every, let times) = script[rule].when, every > .zero {
            states[rule].matches += 1
            if states[rule].matches < times ?? .max {
                agenda.add(.begin, of: rule, due: now.advanced(by: every))
            }
        }
        guard conditions.permit(rule, at: now), states[rule].chance.happens(script[rule].chance),
            !states[rule].isCutOff
        else { return }
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
        running.append(Firing(number: firings, rule: index, begun: now, ending: rule.end?.event?.kind))
        layers[layer(of: index), default: []].append(firings)
        switch rule.end {
        case .after(let duration): agenda.add(.end(firing: firings), of: index, due: now.advanced(by: duration))
        case .at(let moment):
            guard let due = moment.clockTime(after: now, origin: origin) else { break }
            agenda.add(.end(firing: firings), of: index, due: max(now, due))
        case nil: endEndless(coveredBy: index, at: now, into: &outbox)
        }
    }

    /// Ends a lasting rule, and resumes the one that it covered.
    private mutating func end(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        let firing = running.remove(at: index)
        agenda.cancelEnd(ofFiring: firing.number)
        let layer = layer(of: firing.rule)
        let place = Self.place(of: firing.number, in: layers[layer] ?? [], by: \.self) ?? 0
        layers[layer]?.remove(at: place)
        let left = layers[layer]?.count ?? 0
        if place < left {
            outbox.append(.lapse(rule: firing.rule))
        } else {
            outbox.append(.end(rule: firing.rule))
            if let covered = layers[layer]?.last.flatMap(self.place(ofFiring:)) {
                outbox.append(.resume(rule: running[covered].rule, begun: running[covered].begun))
            }
        }
        if left == 0 { layers[layer] = nil }
        match(ObservedEvent(.ended, of: .rule(firing.rule)), at: now, into: &outbox)
    }

    /// Ends all lasting rules on an entity and its parts, or all if it is nil, in the order in which they began.
    private mutating func clear(_ entity: EntityReference?, at now: Instant, into outbox: inout [Output]) {
        let ended = running.filter { firing in
            guard let entity else { return true }
            return script[firing.rule].action.entity.map(entity.includes) ?? false
        }
        end(ended.map(\.number), at: now, into: &outbox)
    }

    private mutating func end(_ firings: [Int], at now: Instant, into outbox: inout [Output]) {
        for number in firings {
            if let index = place(ofFiring: number) { end(index, at: now, into: &outbox) }
        }
    }

    /// Ends endless rules below the last one, which is endless too; one from outside can be ended, and so does not end
    /// rules of the file.
    private mutating func endEndless(coveredBy rule: Int, at now: Instant, into outbox: inout [Output]) {
        let covered = (layers[layer(of: rule)] ?? []).dropLast().filter { number in
            guard let lower = place(ofFiring: number).map({ running[$0].rule }) else { return false }
            return script[lower].end == nil && (!isFromOutside(rule) || isFromOutside(lower))
        }
        end(covered, at: now, into: &outbox)
    }

    /// Ends the first of the rules that a new one covers, if they are too many.
    private mutating func limitLayers(coveredBy rule: Int, at now: Instant, into outbox: inout [Output]) {
        guard let covered = layers[layer(of: rule)], covered.count >= Self.limit,
            let first = covered.first.flatMap(place(ofFiring:))
        else { return }
        end(first, at: now, into: &outbox)
    }

    private func layer(of rule: Int) -> Layer {
        Layer(kind: script[rule].action.kind, entity: script[rule].action.entity)
    }

    private func place(ofFiring number: Int) -> Int? { Self.place(of: number, in: running, by: \.number) }

    /// The place of the item with a number, of items in the order of their numbers.
    private static func place<Item>(of number: Int, in items: [Item], by key: (Item) -> Int) -> Int? {
        let index = items.searchedIndex(after: { key($0) < number })
        return index < items.count && key(items[index]) == number ? index : nil
    }
}
