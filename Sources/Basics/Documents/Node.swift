import Basics

/// A position in a text.
package struct Position: Hashable, Sendable, Comparable {
    /// Line number, from 1; a line ends with a line feed.
    package var line: Int
    /// Column number, from 1, in Unicode scalars.
    package var column: Int

    /// A position; without arguments, the start of the text.
    package init(line: Int = 1, column: Int = 1) { (self.line, self.column) = (line, column) }

    /// Whether `left` is earlier in the text.
    package static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A JSON value and its position in the text.
package struct Node: Hashable, Sendable {
    /// The values of RFC 8259, exactly as written: order of members, duplicate keys and digits are kept.
    package enum Value: Hashable, Sendable {
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
    package struct Member: Hashable, Sendable {
        package let key: String
        /// Position of the key's opening quotation mark.
        package let position: Position
        package let node: Node

        package init(key: String, position: Position, node: Node) {
            (self.key, self.position, self.node) = (key, position, node)
        }
    }

    /// The value, including everything inside arrays and objects.
    package let value: Value
    /// Position of the value's first character.
    package let position: Position

    package init(_ value: Value, at position: Position = Position()) { (self.value, self.position) = (value, position) }

    /// The number as a `Double`; nil for other types.
    var number: Double? {
        guard case .number(let text) = value else { return nil }
        return Double(text)
    }

    /// The number if it is whole and fits into an `Int`: `7`, `7.0`.
    var integer: Int? {
        guard case .number(let text) = value else { return nil }
        return Int(text) ?? Double(text).flatMap { abs($0) <= Self.largestExact ? Int(exactly: $0) : nil }
    }

    /// Up to here, a `Double` has each whole number.
    private static let largestExact = 9_007_199_254_740_992.0

    package var isNumber: Bool { if case .number = value { true } else { false } }

    package var isString: Bool { if case .string = value { true } else { false } }

    /// Whether the value is neither an array nor an object.
    package var isSimple: Bool {
        switch value {
        case .null, .bool, .number, .string, .unknown: true
        case .array, .object: false
        }
    }

    /// Whether the value is or contains a placeholder for one that could not be determined.
    package var hasUnknown: Bool {
        switch value {
        case .unknown: true
        case .null, .bool, .number, .string: false
        case .array(let nodes): nodes.contains(where: \.hasUnknown)
        case .object(let members): members.contains { $0.node.hasUnknown }
        }
    }

    /// The value for messages: a simple value as written, otherwise its type.
    package var kind: String {
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
