import Basics
import Cases
import Devices
import ScenarioModel

/// A value that an operator can read on an app, and its place in a client's line.
struct PromptField: Sendable {
    /// A value of a line: `{"key": {"member": json}}`, or without a member `{"key": json}`.
    struct Value: Sendable {
        let key: String
        let member: String?
        let json: String

        init(_ key: String, _ member: String?, _ json: String) {
            (self.key, self.member, self.json) = (key, member, json)
        }
    }

    private let field: LineField

    init(key: String, member: String?) { field = LineField(key: key, member: member) }

    var key: String { field.key }
    var member: String? { field.member }

    /// The values that a matcher compares, and those that are constant.
    static func fields(of line: Matcher) -> (fields: [PromptField], constants: [Value]) {
        guard case .object(let members) = line else { return ([PromptField(key: "heart_rate", member: "bpm")], []) }
        var (fields, constants) = ([PromptField](), [Value]())
        for outer in members where outer.key != "peer" {
            guard case .object(let inner) = outer.matcher, !inner.isEmpty else {
                fields.append(PromptField(key: outer.key, member: mainMember(of: outer.key)))
                continue
            }
            for member in inner {
                if member.key == "name", case .string(let name) = member.matcher {
                    constants.append(Value(outer.key, "name", name.quoted))
                } else {
                    fields.append(PromptField(key: outer.key, member: member.key))
                }
            }
        }
        // A field that takes the rest of an answer comes last.
        return (fields.filter { !$0.takesRest } + fields.filter(\.takesRest), constants)
    }

    /// The main member of a value with several; nil when the value is not an object.
    private static func mainMember(of key: String) -> String? {
        key == "statistic" ? "value" : LineField.characteristic(of: key)?.value.key
    }

    var isTruth: Bool { field.kind == .truth }

    private var takesRest: Bool { field.kind == .numbers || field.kind == .word }

    // MARK: Text

    var example: String {
        let example = field.description?.example ?? ""
        guard example.isEmpty else { return example }
        return switch field.kind {
        case .number: "72"
        case .numbers: "72 73"
        case .truth: "yes"
        case .word: "its words"
        }
    }

    var name: String {
        let plain = (member ?? key).replacing("_", with: " ")
        guard let value = LineField(key: key, member: member ?? Self.mainMember(of: key)).description else {
            guard let stream = LineField.characteristic(of: key)?.value.label, !stream.isEmpty else { return plain }
            return "\(plain) \(stream)"
        }
        let name = value.label.isEmpty ? plain : value.label
        return value.unit.isEmpty ? name : "\(name) in \(value.unit)"
    }

    // MARK: Parsing

    /// Removes the value from the front of an answer; nil when it is not there.
    func take(from words: inout ArraySlice<Substring>) -> Value? {
        guard let first = words.first else { return nil }
        let text = takesRest ? words.joined(separator: " ") : String(first)
        words = takesRest ? [] : words.dropFirst()
        return field.json(text[...]).map { Value(key, member, $0) }
    }
}
