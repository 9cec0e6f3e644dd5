import Spelling

/// Where something stands in a text.
public struct Position: Hashable, Sendable, Comparable {
    /// Counts from 1; a line ends with a line feed.
    public var line: Int
    /// Counts from 1, in Unicode scalars.
    public var column: Int

    /// The place in this line and column; without arguments the beginning of the text.
    public init(line: Int = 1, column: Int = 1) { (self.line, self.column) = (line, column) }

    /// Whether `left` comes earlier in the text.
    public static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A JSON value that knows where it was written.
public struct Node: Hashable, Sendable {
    /// What RFC 8259 allows, with everything that an author wrote: order, duplicate keys, digits.
    public enum Value: Hashable, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// As written, so that no digit is lost.
        case number(String)
        /// With its escapes replaced by what they stand for.
        case string(String)
        /// The items in order.
        case array([Node])
        /// The members in order.
        case object([Member])
        /// Nothing is known, and whoever put it here has said why: every shape fits.  No text reads as this.
        case unknown
    }

    /// A key of an object and what stands behind its colon.
    public struct Member: Hashable, Sendable {
        /// With its escapes replaced.
        public let key: String
        /// Of the key's first quotation mark.
        public let position: Position
        /// What stands behind the colon.
        public let node: Node

        /// This key, there, with this value.
        public init(key: String, position: Position, node: Node) {
            (self.key, self.position, self.node) = (key, position, node)
        }
    }

    /// The value and, for arrays and objects, everything in it.
    public let value: Value
    /// Of the value's first character.
    public let position: Position

    /// This value, written there.
    public init(_ value: Value, at position: Position = Position()) { (self.value, self.position) = (value, position) }

    /// The number, as near as a `Double` comes to it.
    var number: Double? {
        guard case .number(let text) = value else { return nil }
        return Double(text)
    }

    /// Whether it is a string.
    public var isString: Bool { if case .string = value { true } else { false } }

    /// Whether nothing is in it.
    public var isSimple: Bool {
        switch value {
        case .null, .bool, .number, .string, .unknown: true
        case .array, .object: false
        }
    }

    /// What a message calls it: a simple value as it is written, else its type.
    public var kind: String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let text): text.brief
        case .string(let string): string.brief.quoted
        case .array: "an array"
        case .object: "an object"
        case .unknown: "something unknown"
        }
    }
}
