import Spelling

/// A position in a text.
public struct Position: Hashable, Sendable, Comparable {
    /// Line number, from 1; a line ends with a line feed.
    public var line: Int
    /// Column number, from 1, in Unicode scalars.
    public var column: Int

    /// A position; without arguments, the start of the text.
    public init(line: Int = 1, column: Int = 1) { (self.line, self.column) = (line, column) }

    /// Whether `left` is earlier in the text.
    public static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A JSON value and its position in the text.
public struct Node: Hashable, Sendable {
    /// The values of RFC 8259, exactly as written: order of members, duplicate keys and digits are kept.
    public enum Value: Hashable, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number as written, so that no digit is lost.
        case number(String)
        /// A string with its escapes decoded.
        case string(String)
        /// An array, in order.
        case array([Node])
        /// An object, in order.
        case object([Member])
        /// A placeholder for a value that could not be determined and was reported as a problem: it fits every shape.
        /// Parsing never produces it.
        case unknown
    }

    /// A key of an object and its value.
    public struct Member: Hashable, Sendable {
        /// The key with its escapes decoded.
        public let key: String
        /// Position of the key's opening quotation mark.
        public let position: Position
        /// The value.
        public let node: Node

        /// A member with this key, position and value.
        public init(key: String, position: Position, node: Node) {
            (self.key, self.position, self.node) = (key, position, node)
        }
    }

    /// The value, including everything inside arrays and objects.
    public let value: Value
    /// Position of the value's first character.
    public let position: Position

    /// A value at a position.
    public init(_ value: Value, at position: Position = Position()) { (self.value, self.position) = (value, position) }

    /// The number as a `Double`; nil for other types.
    var number: Double? {
        guard case .number(let text) = value else { return nil }
        return Double(text)
    }

    /// Whether the value is a string.
    public var isString: Bool { if case .string = value { true } else { false } }

    /// Whether the value is neither an array nor an object.
    public var isSimple: Bool {
        switch value {
        case .null, .bool, .number, .string, .unknown: true
        case .array, .object: false
        }
    }

    /// The value for messages: a simple value as written, otherwise its type.
    public var kind: String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): text.abbreviated
        case .string(let string): string.abbreviated.quoted
        case .array: "an array"
        case .object: "an object"
        case .unknown: "an unknown value"
        }
    }
}
