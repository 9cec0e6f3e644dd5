import Devices
import Documents
import Services

extension ClientLines {
    /// The values of a key or a member.
    indirect enum Content {
        case anything
        case number
        case truth
        case text
        case words([String])
        case list
        /// The main member is the first one.  If they are not complete, clients can print others.
        case object([(key: String, content: Content)], isComplete: Bool)

        init(_ shape: Shape) {
            self =
                switch shape {
                case .integer, .number: .number
                case .boolean: .truth
                case .text: .text
                case .name(let words): .words(words)
                case .list: .list
                case .object(let fields):
                    .object(fields.map { ($0.key, Content($0.shape)) }, isComplete: true)
                case .any(let shapes): Content(anyOf: shapes.map { Content($0) })
                default: .anything
                }
        }

        /// One of several, of which `.anything` is null.
        private init(anyOf contents: [Content]) {
            let members = contents.flatMap(\.members)
            let others = contents.filter { if case .anything = $0 { false } else { true } }
            self = members.isEmpty ? others.first ?? .anything : .object(members, isComplete: true)
        }

        /// That of an example, with further members.
        fileprivate init(_ example: Node, adding names: [String] = []) {
            switch example.value {
            case .number: self = .number
            case .bool: self = .truth
            case .string: self = .text
            case .array: self = .list
            case .object(let members):
                let shown = members.map { ($0.key, Content($0.node)) }
                let others = names.filter { name in !members.contains { $0.key == name } }.map {
                    ($0, Content.anything)
                }
                self = .object(shown + others, isComplete: false)
            case .null, .unknown: self = .anything
            }
        }

        /// The same for clients that may print other members.
        fileprivate var incomplete: Content { members.isEmpty ? self : .object(members, isComplete: false) }

        var members: [(key: String, content: Content)] {
            if case .object(let members, _) = self { members } else { [] }
        }

        /// For people: `a number`.
        var name: String {
            switch self {
            case .anything: "any value"
            case .number: "a number"
            case .truth: "true or false"
            case .text, .words: "a text"
            case .list: "a list"
            case .object: "an object"
            }
        }
    }

    /// By key.
    static let contents: [String: Content] = {
        var contents: [String: Content] = [:]
        for characteristic in characteristics {
            guard let example = characteristic.client.example else { continue }
            let content = Content(example, adding: characteristic.members.compactMap(\.key))
            let known = contents[characteristic.client.key]?.members ?? []
            let new = content.members.filter { member in !known.contains { $0.key == member.key } }
            contents[characteristic.client.key] =
                known.isEmpty ? content : .object(known + new, isComplete: false)
        }
        for field in states + device(isRequired: false) { contents[field.key] = Content(field.shape) }
        return contents
    }()

    static let keys = contents.keys.sorted()

    /// The same with the keys of results, which mean something else in the lines of many clients.
    static let expected = contents.merging(results.map { ($0.key, Content($0.shape).incomplete) }) { known, _ in known }

    /// For a member of a characteristic's value, the first key with it.
    static let owners: [String: String] = {
        let own = Set(uses.map(\.key))
        let pairs = keys.filter(own.contains).flatMap { key in contents[key]?.members.map { ($0.key, key) } ?? [] }
        return Dictionary(pairs) { first, _ in first }
    }()

    /// Words of other programs for keys, and for members.
    static let synonyms = [
        "heart": "heart_rate", "heartbeat": "heart_rate", "hr": "heart_rate", "oxygen": "pulse_oximeter",
        "pulse": "heart_rate", "rate": "bpm", "status": "state", "step_count": "steps", "temp": "temperature",
    ]
}
