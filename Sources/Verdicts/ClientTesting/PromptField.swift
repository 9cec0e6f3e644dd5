import Scenarios
import ServiceFramework
import Services
import TextFormatting

/// A value that an operator can read on an app, and its place in a client's line.
struct PromptField: Sendable {
    /// A value of a line: `{"key": {"member": json}}`, or without a member `{"key": json}`.
    package struct Value: Sendable {
        package let key: String
        package let member: String?
        package let json: String

        package init(_ key: String, _ member: String?, _ json: String) {
            (self.key, self.member, self.json) = (key, member, json)
        }
    }

    private enum Kind {
        case number
        case numbers
        /// Yes, no, or neither.
        case truth
        case word
    }

    package let key: String
    fileprivate let member: String?

    /// The values that a matcher compares, and those that are constant.
    package static func fields(of line: Matcher) -> (fields: [PromptField], constants: [Value]) {
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
        key == "statistic" ? "value" : characteristic(of: key)?.value.key
    }

    /// The characteristic whose lines begin with a key.
    private static func characteristic(of key: String) -> CharacteristicDescription? {
        ServiceRegistry.all.lazy.flatMap(\.characteristics).first {
            $0.client.key == key && $0.client.importance > .none
        }
    }

    /// The value that a line has under a key, and under a member of its object.
    private static func description(of key: String, _ member: String?) -> ValueDescription? {
        guard let characteristic = characteristic(of: key), characteristic.value.key != nil else {
            return characteristic(of: key)?.value
        }
        return ([characteristic.value] + characteristic.members).first { $0.key == member }
    }

    private var description: ValueDescription? { Self.description(of: key, member) }

    /// Whether it is one of the names that the service defines, which are in lower case.
    private var isName: Bool { if case .word? = description?.content { true } else { false } }

    fileprivate var isTruth: Bool { kind == .truth }

    private var kind: Kind {
        switch description?.content {
        case .truth: .truth
        case .numbers: .numbers
        case .word, .text: .word
        case nil where ["state", "error"].contains(key): .word
        case .number, .structure, .custom, nil: .number
        }
    }

    private var takesRest: Bool { kind == .numbers || kind == .word }

    // MARK: Text

    package var example: String {
        let example = description?.example ?? ""
        guard example.isEmpty else { return example }
        return switch kind {
        case .number: "72"
        case .numbers: "72 73"
        case .truth: "yes"
        case .word: "its words"
        }
    }

    package var name: String {
        let plain = (member ?? key).replacing("_", with: " ")
        guard let value = Self.description(of: key, member ?? Self.mainMember(of: key)) else {
            guard let stream = Self.characteristic(of: key)?.value.label, !stream.isEmpty else { return plain }
            return "\(plain) \(stream)"
        }
        let name = value.label.isEmpty ? plain : value.label
        return value.unit.isEmpty ? name : "\(name) in \(value.unit)"
    }

    // MARK: Parsing

    /// Removes the value from the front of an answer; nil when it is not there.
    package func take(from words: inout ArraySlice<Substring>) -> Value? {
        guard !words.isEmpty else { return nil }
        switch kind {
        case .number:
            guard let number = Self.number(words.removeFirst()) else { return nil }
            return Value(key, member, number)
        case .numbers:
            let numbers = words.compactMap(Self.number)
            guard numbers.count == words.count else { return nil }
            words = []
            return Value(key, member, "[\(numbers.joined(separator: ", "))]")
        case .truth:
            let word = words.removeFirst().lowercased()
            guard let json = ["yes": "true", "y": "true", "no": "false", "n": "false", "none": "null"][word] else {
                return nil
            }
            return Value(key, member, json)
        case .word:
            let text = words.joined(separator: isName ? "_" : " ")
            words = []
            return Value(key, member, (isName || key == "state" ? text.lowercased() : text).quoted)
        }
    }

    /// Converts a number with a decimal point or comma, and possibly a comma after it, to JSON.
    private static func number(_ word: Substring) -> String? {
        let word = word.hasSuffix(",") ? word.dropLast() : word
        guard let number = Double(word.replacing(",", with: ".")), number.isFinite else { return nil }
        return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}

extension Matcher {
    /// Whether the delivered value decides.
    var hasTruth: Bool {
        switch self {
        case .truth: true
        case .list(let matchers), .oneOf(let matchers): matchers.contains(where: \.hasTruth)
        case .object(let members): members.contains { $0.matcher.hasTruth }
        case .each(let matcher), .not(let matcher): matcher.hasTruth
        case .null, .bool, .number, .string, .between, .any: false
        }
    }

    /// The content of a matching line: `heart rate 75, skin contact no`.
    package var subject: String {
        guard case .object(let members) = self, !members.isEmpty else { return "anything" }
        return members.flatMap { outer -> [String] in
            guard case .object(let inner) = outer.matcher, !inner.isEmpty else {
                return [outer.matcher.phrase(PromptField(key: outer.key, member: nil))]
            }
            return inner.map { $0.matcher.phrase(PromptField(key: outer.key, member: $0.key)) }
        }.joined(separator: ", ")
    }

    private func phrase(_ field: PromptField) -> String {
        switch self {
        case .null: "\(field.isTruth ? "nothing about" : "no") \(field.name)"
        case .object, .any(true): "any \(field.name)"
        default: "\(field.name) \(words)"
        }
    }

    private var words: String {
        switch self {
        case .null, .any(false): "nothing"
        case .bool(let bool): bool ? "yes" : "no"
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let string): string.quoted
        case .list(let matchers): matchers.map(\.words).joined(separator: " and ")
        case .each(let matcher): "all \(matcher.words)"
        case .oneOf(let matchers): matchers.map(\.words).joined(separator: " or ")
        case .not(let matcher): "not \(matcher.words)"
        case .between(let limits):
            switch (limits.min, limits.max) {
            case (let min?, let max?): "from \(Matcher.number(min).words) to \(Matcher.number(max).words)"
            case (let min?, nil): "of at least \(Matcher.number(min).words)"
            case (nil, let max?): "of at most \(Matcher.number(max).words)"
            case (nil, nil): "of any size"
            }
        case .any(true), .object, .truth: "of any kind"
        }
    }
}
