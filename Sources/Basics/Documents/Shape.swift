/// What may stand in a place of a document.  One table of shapes checks documents, says what is wrong with them
/// (``Shape/check(_:in:)``), and is written as a JSON Schema (``Grammar/schema(title:placeholder:fixed:)``).
public indirect enum Shape: Sendable {
    /// Whatever JSON allows.
    case anything
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean
    /// A number without fraction and exponent.
    case integer(ClosedRange<Int>)
    /// Any number.
    case number(ClosedRange<Double>)
    /// Any string.
    case text
    /// A string that is written in a certain way.
    case form(Form)
    /// One of these strings.
    case name([String])
    /// An array of so many.
    case list(Shape, count: ClosedRange<Int> = 0...Int.max)
    /// An object with these keys, and no others.
    case object([Field])
    /// An object whose keys have this form, and all of whose values have this shape.
    case map(Form, Shape)
    /// An object that names its kind under this key; its fields stand beside it.
    case kinds(key: String, [Kind])
    /// The first of these that fits the value's type and, of objects, its keys.
    case any([Shape])
    /// The grammar's definition of this name: so shapes can contain themselves.
    case definition(String)

    /// A way of writing strings.
    public struct Form: Sendable {
        /// No form takes longer strings, in octets.
        static let longest = 1 << 16

        /// What a message calls it, with an example: `a duration such as "10 s"`.
        public let expected: String
        /// The same for JSON Schema, as a regular expression of ECMA-262.
        public let pattern: String
        /// What is probably meant by what does not fit.
        public let names: [String]
        /// Whether a string is written so.
        public let accepts: @Sendable (String) -> Bool

        /// Strings that `accepts` accepts, which must be those that `pattern` matches or fewer.
        public init(
            _ expected: String, pattern: String, names: [String] = [], accepts: @escaping @Sendable (String) -> Bool
        ) { (self.expected, self.pattern, self.names, self.accepts) = (expected, pattern, names, accepts) }
    }

    /// A key and what may stand behind it.
    public struct Field: Sendable {
        /// As it is written.
        public let key: String
        /// What may stand behind it.
        public let shape: Shape
        /// Whether it must be there.
        public let isRequired: Bool
        /// What it means, in the unit in which it counts.
        public let about: String

        /// This key with this shape.
        public init(_ key: String, _ shape: Shape, required: Bool = false, _ about: String) {
            (self.key, self.shape, isRequired, self.about) = (key, shape, required, about)
        }
    }

    /// One of the kinds of an object that comes in kinds.
    public struct Kind: Sendable {
        /// As it is written.
        public let name: String
        /// What stands beside it.
        public let fields: [Field]

        /// This kind with these fields.
        public init(_ name: String, _ fields: [Field]) { (self.name, self.fields) = (name, fields) }
    }
}

/// The shape of a whole document, with names for the shapes that come in it often.
public struct Grammar: Sendable {
    /// The shape of the document.
    public let root: Shape
    /// In the order in which a schema lists them.
    public let definitions: [(name: String, shape: Shape)]
    /// Fields that every object may have.
    public let everywhere: [Shape.Field]

    /// This root with these definitions.
    public init(root: Shape, definitions: [(name: String, shape: Shape)], everywhere: [Shape.Field]) {
        (self.root, self.definitions, self.everywhere) = (root, definitions, everywhere)
    }

    /// The shape itself, when it is the name of one.
    func resolved(_ shape: Shape) -> Shape {
        guard case .definition(let name) = shape else { return shape }
        return definitions.first { $0.name == name }?.shape ?? .anything
    }
}
