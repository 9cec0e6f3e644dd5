import Basics
import Devices
import Documents

// The words of clients' lines, for people.
extension ClientLines {
    /// A key of lines, or of an object in one.
    package struct Word: Hashable, Sendable {
        /// The key of the line that has it; nil if it is one.
        package let owner: String?
        /// What it means; empty for a member that explains itself.
        package let about: String
        /// A line with it, as JSON; nil if none is simple.
        package let example: String?
    }

    /// The meanings of a word in lines.
    package static func words(_ word: String) -> [Word] {
        let fields = states + device(isRequired: false) + values
        return fields.flatMap { field -> [Word] in
            let example = examples[field.key]
            let line = example.map { jsonObject([(field.key, $0)]) }
            if field.key == word { return [Word(owner: nil, about: field.about, example: line)] }
            guard contents[field.key]?.members.contains(where: { $0.key == word }) == true else { return [] }
            let about = field.shape.members.first { $0.key == word }?.about ?? ""
            return [Word(owner: field.key, about: about, example: line.flatMap { $0.contains(word.quoted) ? $0 : nil })]
        }
    }

    /// Values of keys, as JSON.
    private static let examples: [String: String] = {
        var examples = [
            "state": #""connected""#, "error": #""no device advertises the Heart Rate service""#,
            "peer": #""C0:FF:EE:00:00:01/random""#,
            "found": #"{"name": "Lubdub HRM", "services": ["180D"], "rssi": -60}"#,
            "statistic": #"{"name": "average_heart_rate", "value": 62}"#, "pairing": #""started""#,
            "passkey": #"{"displayed": 123456}"#, "paired": #"{"bonded": true, "authenticated": false}"#,
            "heart_rate": #"{"bpm": 62, "contact": true, "energy_kj": 12, "rr_ms": [812, 790]}"#,
            "characteristic": #"{"service": "180F", "uuid": "2A19", "handle": 24, "octets": "57"}"#,
        ]
        for use in uses where examples[use.key] == nil { examples[use.key] = use.example?.json }
        return examples
    }()
}

extension Shape {
    /// The fields of an object, or of the objects among alternatives.
    fileprivate var members: [Field] {
        switch self {
        case .object(let fields): fields
        case .any(let shapes): shapes.flatMap(\.members)
        default: []
        }
    }
}
