import Basics
import Characteristics
import Devices
import Documents
import GATT
import ScenarioModel

// Events that never come, and patterns that match no value.
extension MomentReader {
    /// Warns of the delivery of values that are indicated only: the log has no such event.
    func noteUndelivered(_ kind: Event.Kind, _ target: EntityReference?, _ cursor: Cursor) {
        guard kind == .delivered else { return }
        let values =
            target.map { names.value($0).map { [$0.value] } ?? [] }
            ?? names.devices.flatMap { $0.services.flatMap(\.values) }
        let sent = values.filter { !$0.properties.isDisjoint(with: .sent) }
        guard !sent.isEmpty, !sent.contains(where: { $0.properties.contains(.notify) }) else { return }
        let what = cursor["of"]?.node.kind ?? "every value"
        (cursor["event"] ?? cursor).note(
            .neverComes, "\(what) is only indicated, and only notifications are \("delivered".quoted)",
            help: "write \("indicated".quoted), or \("confirmed".quoted) for what the client has received")
    }

    /// The pattern for a value: one for octets has their spelling of the log.  Warns if no value can match it.
    func fitted(_ pattern: Matcher, to target: EntityReference?, _ cursor: Cursor) -> Matcher {
        guard let target, let (_, value) = names.value(target) else { return pattern }
        if case .custom(.octets) = value.description.content {
            let (fitted, isRight) = Self.octets(pattern)
            if !isRight {
                cursor.note(
                    .neverComes, "the value is octets, which this pattern never matches",
                    help: "write all of them as the event log does, such as \("00 FF".quoted)")
            }
            return fitted
        }
        if value.description.isNumber, case .list = pattern {
            cursor.note(
                .neverComes, "the value is a number, which a list never matches: each number of a stream is one match",
                help: "write a number, or a pattern such as {\("$min".quoted): 60}")
        }
        return pattern
    }

    /// The pattern with octets as the log spells them, and whether it can match some.
    private static func octets(_ pattern: Matcher) -> (pattern: Matcher, isRight: Bool) {
        switch pattern {
        case .string(let text):
            guard let octets = Value.octets(of: text) else { return (pattern, false) }
            return (.string(Value.spelling(of: octets)), true)
        case .oneOf(let patterns):
            let all = patterns.map(octets)
            return (.oneOf(all.map(\.pattern)), all.contains(where: \.isRight))
        case .not(let inner):
            let (fitted, isRight) = octets(inner)
            return (.not(fitted), isRight)
        case .any, .truth: return (pattern, true)
        case .null, .bool, .number, .list, .object, .each, .between: return (pattern, false)
        }
    }
}
