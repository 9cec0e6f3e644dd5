import Basics
import ScenarioModel

/// The script of a world, and what passes between them: events that it has not observed yet, and outputs that were not
/// performed yet.
struct PlayedScript: Sendable {
    private(set) var runner: ScriptRunner
    private var observed = OutputQueue<ObservedEvent>()
    private var outbox = OutputQueue<ScriptRunner.Output>()
    /// The indices of the rules that were stopped because they triggered themselves without end at one instant.
    var runaways: [Int] = []

    init(_ scenario: Scenario, seed: RandomStream) { runner = ScriptRunner(scenario, seed: seed) }

    /// Whether there is nothing to observe, and nothing to perform.
    var isIdle: Bool { observed.isEmpty && outbox.isEmpty }

    /// Starts it without these rules, which cannot be played.
    mutating func start(without unplayable: some Sequence<Int>, at now: Instant) {
        for rule in unplayable { runner.cutOff(rule) }
        runner.start(at: now, into: &outbox.added)
    }

    /// Keeps an event for `digest`, if a rule depends on it.
    mutating func add(_ event: ObservedEvent) {
        if runner.waits(for: event.kind) { observed.added.append(event) }
    }

    /// Lets the script observe the events.
    mutating func digest(at now: Instant) {
        while let event = observed.takeFirst() { runner.observe(event, at: now, into: &outbox.added) }
    }

    /// The next output to perform.
    mutating func takeOutput() -> ScriptRunner.Output? { outbox.takeFirst() }

    mutating func timePassed(at now: Instant) { runner.timePassed(at: now, into: &outbox.added) }

    mutating func act(_ rule: Rule, at now: Instant) -> Bool { runner.act(rule, at: now, into: &outbox.added) }

    mutating func end(_ name: String, of entity: EntityReference, at now: Instant) -> Bool {
        runner.end(name, of: entity, at: now, into: &outbox.added)
    }
}
