/// What a value of a document may be. One table of shapes validates documents (``Shape/check(_:in:)``) and generates
/// their JSON Schema (``Grammar/schema(title:placeholder:fixed:)``).
package indirect enum Shape: Sendable {
    /// Any JSON value.
    case anything
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean
    /// The number of the only supported version.
    case version(Int)
    /// A number without fraction or exponent.
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// Any string.
    case text
    case form(Form)
    case name([String])
    /// An array with this number of items.
    case list(Shape, count: ClosedRange<Int> = 0...Int.max)
    /// An object with these keys and no others.
    case object([Field])
    /// An object whose keys have this format and whose values have this shape.
    case map(Form, Shape)
    /// An object whose kind is named under this key; the kind determines the other keys.
    case kinds(key: String, [Kind])
    /// The first of these shapes that fits the type of the value and, for an object, its keys.
    case any([Shape])
    /// The grammar's definition with this name; allows recursive shapes.
    case definition(String)

    /// A format of strings.
    package struct Form: Sendable {
        /// Maximum length of a string in octets.
        static let maximumLength = 1 << 16

        /// A description with an example for messages: `a duration such as "10 s"`.
        package let expected: String
        /// The format as a regular expression of ECMA-262, for JSON Schema.
        package let pattern: String
        /// Strings to suggest for a string with a similar spelling.
        package let names: [String]
        package let accepts: @Sendable (String) -> Bool

        /// A format; every string that `accepts` returns true for must match `pattern`.
        package init(
            _ expected: String, pattern: String, names: [String] = [], accepts: @escaping @Sendable (String) -> Bool
        ) { (self.expected, self.pattern, self.names, self.accepts) = (expected, pattern, names, accepts) }
    }

    /// A key of an object and the shape of its value.
    package struct Field: Sendable {
        package let key: String
        package let shape: Shape
        package let isRequired: Bool
        /// Its meaning and unit, for documentation.
        package let about: String

        package init(_ key: String, _ shape: Shape, required: Bool = false, _ about: String) {
            (self.key, self.shape, isRequired, self.about) = (key, shape, required, about)
        }
    }

    /// One kind of an object that exists in several kinds.
    package struct Kind: Sendable {
        package let name: String
        package let fields: [Field]

        package init(_ name: String, _ fields: [Field]) { (self.name, self.fields) = (name, fields) }
    }
}

/// The shape of a whole document, with named definitions of recurring shapes.
package struct Grammar: Sendable {
    package let root: Shape
    /// Definitions in the order of the schema.
    package let definitions: [(name: String, shape: Shape)]
    /// Optional fields of every object.
    package let everywhere: [Shape.Field]

    package init(root: Shape, definitions: [(name: String, shape: Shape)], everywhere: [Shape.Field]) {
        (self.root, self.definitions, self.everywhere) = (root, definitions, everywhere)
    }

    /// The definition that `shape` refers to, or `shape` itself.
    func resolved(_ shape: Shape) -> Shape {
        guard case .definition(let name) = shape else { return shape }
        return definitions.first { $0.name == name }?.shape ?? .anything
    }
}
