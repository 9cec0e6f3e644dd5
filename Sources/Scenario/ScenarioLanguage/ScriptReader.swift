import Basics
import Bluetooth
import Devices
import Documents
import GATT
import ScenarioModel

/// Reads moments and events from checked documents.
struct MomentReader {
    let names: Names

    func moment(_ cursor: Cursor) -> Moment? {
        if let text = cursor.string {
            switch text {
            case "start": return .start
            case "end": return .end
            default: return Duration(parsing: text).map(Moment.time) ?? event(cursor).map(Moment.event)
            }
        }
        guard let at = cursor["at"] else { return event(cursor).map(Moment.event) }
        guard let first = at.duration else { return nil }
        guard let cursorEvery = cursor["every"] else {
            if let times = cursor["times"]?.integer, times > 1 {
                cursor.note(.missingKey, "\"times\" requires \"every\"")
            }
            return .time(first)
        }
        guard let every = cursorEvery.duration else { return nil }
        guard every > .zero else {
            cursorEvery.note(.outOfRange, "expected a duration above zero")
            return nil
        }
        let times = cursor["times"]?.integer.map { max(1, min($0, LanguageLimits.repetitions)) }
        return .repeated(first: first, every: every, times: times)
    }

    func event(_ cursor: Cursor) -> Event? {
        let name = cursor.string ?? cursor["event"]?.string
        guard let kind = name.flatMap(Event.Kind.init(rawValue:)) else { return nil }
        let target = cursor["descriptor"] == nil ? kind.row.target : .served
        let of = cursor["of"].flatMap { names.entity($0, target) }
        if cursor["of"] != nil, of == nil { return nil }
        if cursor["nth"] != nil, let every = cursor["every"] {
            every.note(.conflict, "\"nth\" and \"every\" exclude each other: delete one")
        }
        var event = Event(kind, of: of)
        noteUndelivered(kind, of, cursor)
        event.filters = filters(cursor, of: of)
        if let number = cursor["nth"]?.integer ?? cursor["every"]?.integer {
            event.occurrence = cursor["nth"] == nil ? .every(number) : .nth(number)
        }
        if let delay = cursor["after"]?.duration { event.delay = delay }
        event.carrier = of.flatMap(names.carrier)
        return event
    }

    /// The condition that something has happened, or has not; nil if the rule has none.
    func condition(_ cursor: Cursor?, isWanted: Bool) -> Condition? {
        guard let cursor, let event = event(cursor) else { return nil }
        return Condition(event, within: cursor["within"]?.duration, isWanted: isWanted)
    }

    private func filters(_ cursor: Cursor, of target: EntityReference?) -> [Event.Filter] {
        if let line = cursor["line"] { ClientLines.check(line) }
        let value = cursor["value"].flatMap { pattern in matcher(pattern).map { fitted($0, to: target, pattern) } }
        return [
            (cursor["reason"] ?? cursor["error"])?.code.map(Event.Filter.code),
            value.map(Event.Filter.value),
            cursor["line"].flatMap(matcher).map(Event.Filter.line),
            (cursor["status"]?.integer).map(Event.Filter.status),
            (cursor["descriptor"]?.string).flatMap { UUID($0) }.map(Event.Filter.descriptor),
        ].compactMap(\.self)
    }

    /// A matcher; nil after noting a problem.
    func matcher(_ cursor: Cursor) -> Matcher? {
        switch cursor.node.value {
        case .null: return .null
        case .bool(let bool): return .bool(bool)
        case .number: return cursor.number.map(Matcher.number)
        case .string(let string): return .string(string)
        case .array: return .list(cursor.items.compactMap(matcher))
        case .object: return object(cursor)
        case .unknown: return nil
        }
    }

    private func object(_ cursor: Cursor) -> Matcher? {
        if let inner = cursor["$each"] { return matcher(inner).map(Matcher.each) }
        if let inner = cursor["$not"] { return matcher(inner).map(Matcher.not) }
        if let list = cursor["$one_of"] { return .oneOf(list.items.compactMap(matcher)) }
        if let any = cursor["$any"]?.bool { return .any(any) }
        if cursor["$min"] ?? cursor["$max"] != nil { return .between(limits(cursor, "$min", "$max")) }
        if cursor["$truth"] != nil { return truth(cursor).map(Matcher.truth) }
        return .object(
            cursor.entries.compactMap { member, value in
                matcher(value).map { Matcher.Member(key: member.key, matcher: $0) }
            })
    }

    private func truth(_ cursor: Cursor) -> Matcher.Truth? {
        guard let statistic: Matcher.Statistic = cursor["$truth"].choice(), let path = cursor["of"] else { return nil }
        if let keys = path.string.flatMap(ClientLines.keys(of:)) { return truth(cursor, statistic, printed: keys) }
        let isAdvertised = cursor["advertised"] != nil
        guard let entity = names.entity(path, isAdvertised ? .served : .value([.read, .notify, .indicate])) else {
            return nil
        }
        let of = isAdvertised ? entity.device.map(EntityReference.device) ?? entity : entity
        if let (_, value) = names.value(of), !value.description.isNumber {
            if [.mean, .mode, .sum].contains(statistic) {
                path.note(.noNumber, "\(path.node.kind) is not a number, so it has no \(statistic)")
            }
            cursor["below"]?.note(.noNumber, "\(path.node.kind) is not a number: \"below\" does not apply")
        }
        var truth = truth(cursor, statistic, of: of)
        truth.advertised = cursor["advertised"].flatMap { names.advertised($0, of: of) }
        truth.isFresh = cursor["fresh"]?.bool ?? false
        if truth.isFresh, statistic != .last {
            cursor["fresh"]?.note(.conflict, "\"fresh\" applies to \"last\", not to \"\(statistic)\": delete it")
        }
        return truth
    }

    /// A statistic over values that the client printed.
    private func truth(_ cursor: Cursor, _ statistic: Matcher.Statistic, printed keys: [String]) -> Matcher.Truth {
        cursor["fresh"]?.note(.conflict, "\"fresh\" applies to values of a device: delete it")
        if let path = cursor["of"], let problem = ClientLines.problem(ofPath: keys) {
            path.note(.unknownEntity, problem.message, help: problem.help)
        }
        var truth = truth(cursor, statistic, of: .client)
        truth.keys = keys
        return truth
    }

    private func truth(_ cursor: Cursor, _ statistic: Matcher.Statistic, of entity: EntityReference) -> Matcher.Truth {
        var truth = Matcher.Truth(statistic, of: entity)
        (truth.last, truth.below) = (cursor["last"]?.integer, cursor["below"]?.number)
        if let tolerance = cursor["$tolerance"]?.number { truth.tolerance = tolerance }
        if let relation: Matcher.Relation = cursor["is"].choice() { truth.relation = relation }
        truth.offset = cursor["plus"]?.number ?? 0
        return truth
    }

    /// Two bounds; notes a problem if the lower one exceeds the higher one.
    func limits(_ cursor: Cursor, _ lower: String, _ upper: String) -> Expectation.Limits {
        let (min, max) = (cursor[lower]?.number, cursor[upper]?.number)
        if let min, let max, min > max {
            cursor[lower]?.note(.cannotOpen, "the lower bound \(min.plain) exceeds the upper bound \(max.plain)")
        }
        return Expectation.Limits(min: min, max: max)
    }
}

/// Reads rules from checked documents.
struct ScriptReader {
    let names: Names
    let moments: MomentReader
    let curves: CurveReader

    func rule(_ cursor: Cursor) -> Rule? {
        guard !cursor.isLogFull else { return nil }
        let when = cursor["when"].flatMap(moments.moment)
        let action = ActionReader(names: names, curves: curves).action(cursor)
        let end = end(cursor)
        let conditions = [
            moments.condition(cursor["if"], isWanted: true), moments.condition(cursor["unless"], isWanted: false),
        ]
        guard let when, let action else { return nil }
        var rule = Rule(
            id: cursor["id"]?.string, when: when, action: action, chance: cursor["chance"]?.number ?? 1, end: end)
        rule.conditions = conditions.compactMap(\.self)
        return rule
    }

    /// The end of an action; nil if the object has none.
    func end(_ cursor: Cursor) -> Rule.End? {
        if cursor["for"] != nil, let until = cursor["until"] {
            until.note(.conflict, "\"for\" and \"until\" exclude each other: delete one")
        }
        return cursor["for"]?.duration.map(Rule.End.after)
            ?? cursor["until"].flatMap(moments.moment).map(Rule.End.at)
    }
}

extension Cursor {
    /// The octets of a key's value, written as hexadecimal digits.
    func octets(_ key: String) -> [UInt8]? { self[key]?.string.flatMap(Value.octets) }

    var code: Code? {
        if let text = string { return Forms.codeNumber(text).map(Code.number) ?? .name(text) }
        return integer.flatMap(UInt8.init(exactly:)).map(Code.number)
    }
}
