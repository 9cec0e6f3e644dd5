import EventLog
import Peripheral
public import Scenarios
import Sensors
public import Simulation
import Timeline

// Actions of the script that somebody outside says while the world plays: by a key, for example.
extension World {
    /// Does now what `action` says, as a rule of the script would, under a name of its own; false before the start.
    ///
    /// What lasts does so for `end`; if that is nil, until ``giveBack(_:of:at:)`` or until something else from outside
    /// does the same kind of thing to the same thing.  The event log has it as `began` and `ended` of the thing, with
    /// the name as `rule` and the value of a `set`.
    public mutating func act(_ action: Action, as name: String, for end: Rule.End? = nil, at now: Instant) -> Bool {
        run(until: now)
        let rule = Rule(id: name, when: .start, action: action, chance: 1, end: end)
        defer { followScript() }
        return script.act(rule, at: now, into: &scriptOutbox)
    }

    /// Ends what `act` began under a name on a thing; false when nothing lasts that it began.
    public mutating func giveBack(_ name: String, of thing: Thing, at now: Instant) -> Bool {
        run(until: now)
        defer { followScript() }
        return script.giveBack(name, of: thing, at: now, into: &scriptOutbox)
    }

    /// Whether something lasts that `act` began under a name on a thing.
    public func lasts(_ name: String, of thing: Thing) -> Bool { script.lasts(name, of: thing) }

    mutating func noteFromOutside(_ event: EventName, _ rule: Rule) {
        var record = EventRecord(event, of: rule.action.thing.flatMap(scenario.path), at: now)
        record.rule = rule.id
        if case .set(to: .curve(.constant(let number))) = rule.action.deed, let thing = rule.action.thing {
            record.value = place(of: thing)?.part.quantity == .contact ? "\(number >= 0.5)" : Self.text(of: number)
        }
        journal.append(record)
    }
}
