package import Basics
import Devices
package import ScenarioModel

// Script actions from outside: keys and the control socket.
extension World {
    /// Performs an action now, as a rule of the script would.
    ///
    /// The event log gets `began` and `ended` of the target, with `name` as `rule`, the value of a `set`, and the
    /// equivalent line of the control socket as `line`.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - name: Identifies the action in the log and in ``end(_:of:at:)``.
    ///   - end: The end of a lasting action; nil: until ``end(_:of:at:)``, or until another action of the same kind from
    ///     outside on the same target.
    ///   - now: The present instant.
    /// - Returns: Whether the action was performed; false before the start, and if the devices' hosts cannot carry it out.
    package mutating func act(_ action: Action, as name: String, for end: Rule.End? = nil, at now: Instant) -> Bool {
        act(Rule(when: .start, action: action, end: end), as: name, at: now)
    }

    /// Performs the action of a rule now, whatever the rule's moment; false before the start, if the devices' hosts cannot
    /// carry it out, and if the rule's `chance` decides against it.
    ///
    /// It happens at the next whole microsecond without other events, so that its place in the log is unambiguous. If a rule
    /// acts each microsecond, it happens after 1 ms.
    package mutating func act(_ rule: Rule, as name: String, at now: Instant) -> Bool {
        guard script.runner.isPlaying, radio.unsupportedReason(for: rule.action) == nil else { return false }
        let now = runToQuietInstant(at: now)
        var rule = rule
        rule.id = name
        rule.line = rule.line ?? line(for: rule.action)
        defer { runScript() }
        return script.act(rule, at: now)
    }

    /// Why an action would have no effect, or not the whole, for reasons that a file's reader cannot see; nil if it would.
    ///
    /// - Returns: The key of the argument that is wrong, and the reason.
    package func ineffectiveReason(for action: Action) -> (key: String, reason: String)? {
        if let refusal = radio.refusal(of: action) { return refusal }
        guard let node = action.entity?.device, nodes.indices.contains(node) else { return nil }
        switch action.operation {
        case .moveHandles(let distance, _):
            guard let moved = movedTable(of: node, by: distance) else {
                return ("by", "the device does not have enough handles: the last is 65535")
            }
            return moved == nodes[node].device.table ? ("of", "the device has no services to move") : nil
        case .skipTime(let duration):
            var device = nodes[node].device
            device.skipTime(by: duration, at: now)
            guard device.clockHasStopped(at: now) else { return nil }
            return ("by", "the device's wall clock would leave its range of 292 years")
        default: return nil
        }
    }

    /// Ends an action that `act` began; false if no such action lasts.
    package mutating func end(_ name: String, of entity: EntityReference, at now: Instant) -> Bool {
        guard script.runner.isPlaying else { return false }
        let now = runToQuietInstant(at: now)
        defer { runScript() }
        return script.end(name, of: entity, at: now)
    }

    /// Whether an action that `act` began still lasts.
    package func lasts(_ name: String, of entity: EntityReference) -> Bool { script.runner.lasts(name, of: entity) }

    mutating func noteFromOutside(_ event: EventName, _ rule: Rule) {
        var record = EventRecord(event, of: rule.action.entity.flatMap(scenario.path), at: now)
        (record.line, record.rule) = (rule.line, rule.id)
        record.value = value(rule.action)?.json
        journal.append(record)
    }

    /// How many whole microseconds an action from outside may wait for one without other events.
    private static let maximumWait = 1000

    /// Runs to the first whole microsecond from `earliest` on, and after the present, at which nothing is due; after
    /// `maximumWait` to one at which something is.
    private mutating func runToQuietInstant(at earliest: Instant) -> Instant {
        var instant = max(earliest, now.advanced(byNanoseconds: 1)).inWholeMicroseconds
        run(until: instant.advanced(byNanoseconds: -1))
        for _ in 0..<Self.maximumWait where nextDue == instant {
            run(until: instant.advanced(byNanoseconds: 999))
            instant = instant.advanced(byNanoseconds: 1000)
        }
        run(until: instant)
        return instant
    }

    /// The line for the control socket, for the actions of keys; nil for other actions.
    private func line(for action: Action) -> String? {
        guard let entity = action.entity.flatMap(scenario.path) else { return nil }
        let start = "{\"do\": \(action.kind.rawValue.quoted), \"of\": \(entity.quoted)"
        switch action.operation {
        case .linkLoss, .silence, .disconnect(reason: nil): return start + "}"
        case .set: return value(action).map { "\(start), \"to\": \($0.json)}" }
        default: return nil
        }
    }

    /// The number that an action sets; for contact, a boolean.
    private func value(_ action: Action) -> Datum? {
        guard case .set(to: .curve(.constant(let number))) = action.operation, let entity = action.entity else {
            return nil
        }
        if case .truth? = scenario.value(entity)?.description.content { return .bool(number >= 0.5) }
        return .number(number)
    }
}

extension Instant {
    /// This instant, or the first after it that has no fraction of a microsecond.
    fileprivate var inWholeMicroseconds: Instant {
        let rest = nanoseconds % 1000
        return rest > 0 ? advanced(byNanoseconds: 1000 - rest) : self
    }
}
