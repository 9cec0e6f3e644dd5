import Basics
package import Devices
import ScenarioLanguage
import Services

/// A value of a client's line that a person or a program has as text: `{"key": {"member": value}}`, or without a member
/// `{"key": value}`.
package struct LineField: Hashable, Sendable {
    package let key: String
    package let member: String?

    package init(key: String, member: String? = nil) { (self.key, self.member) = (key, member) }

    /// The fields of the services' values.
    static let all: [LineField] = printed.flatMap { characteristic in
        let members = ([characteristic.value] + characteristic.members).compactMap(\.key)
        let key = characteristic.client.key
        guard members.isEmpty else { return members.map { LineField(key: key, member: $0) } }
        if case .structure = characteristic.value.content { return [] }
        return [LineField(key: key)]
    }

    /// The keys of lines that have the whole value of a characteristic.
    static let keysOfOctets: [String] = Set(
        printed.filter { $0.format != nil && [.printed, .heartRate].contains($0.client.role) }.map(\.client.key)
    ).sorted()

    private static let printed = ServiceRegistry.all.flatMap(\.characteristics).filter {
        $0.client.example != nil && $0.client.importance > .none && $0.client.member == nil
    }

    /// The characteristic whose lines begin with a key.
    package static func characteristic(of key: String) -> CharacteristicDescription? {
        ServiceRegistry.all.lazy.flatMap(\.characteristics).first {
            $0.client.key == key && $0.client.importance > .none
        }
    }

    /// Nil for a value that is not a characteristic's.
    package var description: ValueDescription? {
        guard let characteristic = Self.characteristic(of: key) else { return nil }
        guard characteristic.value.key != nil else { return characteristic.value }
        return ([characteristic.value] + characteristic.members).first { $0.key == member }
    }

    /// The type of a value.
    package enum Kind: Sendable {
        case number
        case numbers
        /// Yes, no, or neither.
        case truth
        case word
    }

    package var kind: Kind {
        switch description?.content {
        case .truth: .truth
        case .numbers: .numbers
        case .word, .text: .word
        case nil where ["state", "error", "peer"].contains(key): .word
        case .number, .structure, .custom, nil: .number
        }
    }

    /// Whether it is one of the names that the contract defines, which are in lower case.
    private var isName: Bool { if case .word? = description?.content { true } else { key == "state" } }

    /// The JSON of a value in text; nil when the text is none.
    package func json(_ text: Substring) -> String? {
        let words = text.split(whereSeparator: { " ;\t".contains($0) })
        guard let first = words.first else { return nil }
        switch kind {
        case .number: return words.count == 1 ? Self.number(first) : nil
        case .numbers:
            let numbers = words.compactMap(Self.number)
            return numbers.count == words.count ? "[\(numbers.joined(separator: ", "))]" : nil
        case .truth: return words.count == 1 ? Self.truths[first.lowercased()] : nil
        case .word:
            let text = words.joined(separator: isName && key != "state" ? "_" : " ")
            return (isName ? text.lowercased() : text).quoted
        }
    }

    private static let truths = [
        "yes": "true", "y": "true", "true": "true", "on": "true",
        "no": "false", "n": "false", "false": "false", "off": "false", "none": "null",
    ]

    /// Converts a number with a decimal point or comma, and possibly a comma after it, to JSON.
    private static func number(_ word: Substring) -> String? {
        let word = word.hasSuffix(",") ? String(word.dropLast()) : String(word)
        guard let number = Double(word.replacing(",", with: ".")), number.isFinite else { return nil }
        return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
