import EventLog
import Peripheral
public import Scenarios
import Services
import Sensors
public import Simulation
import Spelling
import Timeline

// Actions of the script that somebody outside says while the world plays: by a key, or on the control socket.
extension World {
    /// Does now what `action` says, as a rule of the script would, under a name of its own; false before the start.
    ///
    /// What lasts does so for `end`; if that is nil, until ``giveBack(_:of:at:)`` or until something else from outside
    /// does the same kind of thing to the same thing.  The event log has it as `began` and `ended` of the thing, with
    /// the name as `rule`, the value of a `set`, and as `line` what would say the same on the control socket.
    public mutating func act(_ action: Action, as name: String, for end: Rule.End? = nil, at now: Instant) -> Bool {
        act(Rule(when: .start, action: action, end: end), as: name, at: now)
    }

    /// Does now what a rule says, whatever its moment is, under another name; false before the start, and when its
    /// `chance` has decided against it.
    ///
    /// Now is the next whole microsecond at which nothing else happens: so the log says exactly when it was, and
    /// between what.
    public mutating func act(_ rule: Rule, as name: String, at now: Instant) -> Bool {
        guard script.isPlaying else { return false }
        let now = runToQuietInstant(at: now)
        var rule = rule
        rule.id = name
        rule.line = rule.line ?? line(for: rule.action)
        defer { followScript() }
        return script.act(rule, at: now, into: &scriptOutbox)
    }

    /// Why an action would come to nothing now, though the reader of a file could not know: the key that says it, and the
    /// reason.  Nil when it would not.
    public func unsupportedReason(_ action: Action) -> (key: String, reason: String)? {
        guard let node = action.entity?.device, nodes.indices.contains(node) else { return nil }
        switch action.operation {
        case .moveHandles(let distance, _):
            guard hostBackend != .foreignHosts, movedTable(of: node, by: distance) == nil else { return nil }
            return ("by", "the device has no handles left so far on: the last is 65535")
        case .skipTime(let duration):
            var device = nodes[node].device
            device.skipTime(by: duration, at: now)
            guard device.clockHasStopped(at: now) else { return nil }
            return ("by", "the device's clock on the wall cannot show a time so far on")
        default: return nil
        }
    }

    /// Ends what `act` began under a name on a thing, at such an instant too; false when nothing lasts that it began.
    public mutating func giveBack(_ name: String, of entity: EntityReference, at now: Instant) -> Bool {
        guard script.isPlaying else { return false }
        let now = runToQuietInstant(at: now)
        defer { followScript() }
        return script.giveBack(name, of: entity, at: now, into: &scriptOutbox)
    }

    /// Whether something lasts that `act` began under a name on a thing.
    public func lasts(_ name: String, of entity: EntityReference) -> Bool { script.lasts(name, of: entity) }

    mutating func noteFromOutside(_ event: EventName, _ rule: Rule) {
        var record = EventRecord(event, of: rule.action.entity.flatMap(scenario.path), at: now)
        (record.line, record.rule) = (rule.line, rule.id)
        record.value = number(rule.action)
        journal.append(record)
    }

    /// Plays everything up to an instant behind the present, and to `earliest` at least, of a whole microsecond at which
    /// nothing is due.
    private mutating func runToQuietInstant(at earliest: Instant) -> Instant {
        var instant = max(earliest, now.advanced(byNanoseconds: 1)).inWholeMicroseconds
        run(until: instant.advanced(byNanoseconds: -1))
        while nextDue == instant {
            run(until: instant.advanced(byNanoseconds: 999))
            instant = instant.advanced(byNanoseconds: 1000)
        }
        run(until: instant)
        return instant
    }

    /// How an action that needs no more than a number is said; nil for any other.
    private func line(for action: Action) -> String? {
        guard let entity = action.entity.flatMap(scenario.path) else { return nil }
        let start = "{\"do\": \(action.kind.rawValue.quoted), \"of\": \(entity.quoted)"
        switch action.operation {
        case .linkLoss, .silence, .disconnect(reason: nil): return start + "}"
        case .set: return number(action).map { "\(start), \"to\": \($0)}" }
        default: return nil
        }
    }

    /// The number that an action sets, as JSON; for a truth `true` or `false`.
    private func number(_ action: Action) -> String? {
        guard case .set(to: .curve(.constant(let number))) = action.operation, let entity = action.entity else {
            return nil
        }
        if case .truth? = scenario.value(entity)?.description.content { return "\(number >= 0.5)" }
        return Self.text(of: number)
    }
}

extension Instant {
    /// This instant, or the first after it that has no fraction of a microsecond.
    fileprivate var inWholeMicroseconds: Instant {
        let rest = nanoseconds % 1000
        return rest > 0 ? advanced(byNanoseconds: 1000 - rest) : self
    }
}
