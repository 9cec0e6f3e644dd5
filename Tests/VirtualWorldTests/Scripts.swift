import Basics
import Devices
import VirtualWorld

@testable import ScenarioModel

/// Entities of a scenario with two straps.
let strap = EntityReference.device(0)
let heartRate = EntityReference.value(device: 0, service: 0, value: 0)
let contact = EntityReference.value(device: 0, service: 0, value: 1)
let battery = EntityReference.value(device: 0, service: 1, value: 0)
let otherStrap = EntityReference.device(1)

/// An input to a runner.
enum Step: Sendable {
    case observe(Int, ObservedEvent)
    case pass(Int)
    case finish(Int)
    /// An action from outside, with the rule's id as its name.
    case act(Int, Rule)
    /// The end of an action from outside; `nothing` is listed if there is none.
    case end(Int, String, EntityReference)
}

extension Scenario {
    /// A scenario with only a script.
    init(script: [Rule]) {
        self.init(limit: .seconds(60))
        target = 0
        self.script = script
    }
}

extension Rule {
    static func set(
        _ entity: EntityReference = heartRate, when: Moment, end: End? = nil, chance: Double = 1, id: String? = nil
    ) -> Rule {
        Rule(id: id, when: when, action: Action(.set(to: .curve(.constant(1))), of: entity), chance: chance, end: end)
    }

    /// An instantaneous action.
    static func notify(when: Moment, chance: Double = 1, id: String? = nil) -> Rule {
        Rule(id: id, when: when, action: Action(.notify(times: 1, value: nil), of: heartRate), chance: chance, end: nil)
    }

    static func clear(_ entity: EntityReference, when: Moment) -> Rule {
        Rule(id: nil, when: when, action: Action(.clear, of: entity), chance: 1, end: nil)
    }

    static func fault(
        _ operation: Action.Operation, _ entity: EntityReference?, when: Moment, end: End? = nil
    ) -> Rule {
        Rule(id: nil, when: when, action: Action(operation, of: entity), chance: 1, end: end)
    }
}

extension Moment {
    static func at(_ seconds: Int) -> Moment { .time(.seconds(seconds)) }

    static func event(
        _ kind: Event.Kind, of entity: EntityReference? = nil, _ occurrence: Event.Occurrence = .each, after: Int = 0,
        _ filters: Event.Filter...
    ) -> Moment {
        var event = Event(kind, of: entity, filters: filters)
        (event.occurrence, event.delay) = (occurrence, .seconds(after))
        return .event(event)
    }
}

extension Rule.End {
    static func seconds(_ seconds: Int) -> Rule.End { .after(.seconds(seconds)) }
}

/// The outputs of a script with their seconds: `10 begin 0`.
///
/// The runner is called for the steps, and when its `wake` is due; `wake` is not listed.
func play(_ script: [Rule], seed: UInt64 = 1, _ steps: [Step]) -> [String] {
    var runner = ScriptRunner(Scenario(script: script), seed: RandomStream(seed: seed))
    var (lines, outbox, wake) = ([String](), [ScriptRunner.Output](), Instant?.none)
    func take(at now: Instant) {
        for output in outbox {
            if case .wake(let instant) = output {
                wake = instant
            } else {
                lines.append("\(now.seconds) \(output.line)")
            }
        }
        outbox.removeAll(keepingCapacity: true)
    }
    func wakeUp(before limit: Instant) {
        while let due = wake, due < limit {
            wake = nil
            runner.timePassed(at: due, into: &outbox)
            take(at: due)
        }
    }
    runner.start(at: .start, into: &outbox)
    take(at: .start)
    for step in steps {
        let now = Instant.start.advanced(by: .seconds(step.second))
        wakeUp(before: now)
        switch step {
        case .observe(_, let observed): runner.observe(observed, at: now, into: &outbox)
        case .pass: runner.timePassed(at: now, into: &outbox)
        case .finish: runner.finish(at: now, into: &outbox)
        case .act(_, let rule):
            if !runner.act(rule, at: now, into: &outbox) { lines.append("\(now.seconds) nothing") }
        case .end(_, let name, let entity):
            if !runner.end(name, of: entity, at: now, into: &outbox) { lines.append("\(now.seconds) nothing") }
        }
        take(at: now)
    }
    return lines
}

extension Step {
    var second: Int {
        switch self {
        case .observe(let second, _), .pass(let second), .finish(let second), .act(let second, _),
            .end(let second, _, _):
            second
        }
    }
}

extension Instant {
    var seconds: Int64 { nanoseconds / 1_000_000_000 }
}

extension ScriptRunner.Output {
    var line: String {
        switch self {
        case .begin(let rule): "begin \(rule)"
        case .end(let rule): "end \(rule)"
        case .resume(let rule, let begun): "resume \(rule) of \(begun.seconds)"
        case .lapse(let rule): "lapse \(rule)"
        case .runaway(let rule): "runaway \(rule)"
        case .wake(let instant): "wake at \(instant.seconds)"
        }
    }
}
