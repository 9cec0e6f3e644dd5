import Basics

/// What a value of a document may be. One table of shapes validates documents (``Grammar/check(_:)``) and generates
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
    /// A whole number.
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
        /// How to correct a string or number, given as it is written; nil if that is unknown.
        let correction: @Sendable (String) -> String?

        /// A format; every string that `accepts` returns true for must match `pattern`.
        package init(
            _ expected: String, pattern: String, names: [String] = [],
            correction: @escaping @Sendable (String) -> String? = { _ in nil },
            accepts: @escaping @Sendable (String) -> Bool
        ) {
            (self.expected, self.pattern, self.names) = (expected, pattern, names)
            (self.accepts, self.correction) = (accepts, correction)
        }

        /// How to correct a string, by its spelling or its format.
        func help(for string: String) -> String? {
            if let meant = closestMatch(to: string, in: names) { return "did you mean \(meant.quoted)?" }
            let related = relatedName(to: string, in: names).map { "did you mean \($0.quoted)?" }
            return [related, correction(string)].compactMap(\.self).first
        }
    }

    /// A key of an object and the shape of its value.
    package struct Field: Sendable {
        package let key: String
        package let shape: Shape
        package let isRequired: Bool
        /// The meaning of leaving the key out; nil for a required key, and for one whose absence needs no words.
        package let standard: Standard?
        /// A value for the documentation; nil if an example of the object has the key.
        package let example: Node?
        /// Its meaning and unit, for documentation.
        package let about: String

        package init(
            _ key: String, _ shape: Shape, required: Bool = false, standard: Standard? = nil, example: Node? = nil,
            _ about: String
        ) {
            (self.key, self.shape, isRequired, self.about) = (key, shape, required, about)
            (self.standard, self.example) = (standard, example)
        }

        /// The meaning and the default: `The advertising interval; 100 ms by default.`
        var summary: String {
            guard let standard, about.hasSuffix(".") else { return about }
            return "\(about.dropLast()); \(standard) by default."
        }
    }

    /// The value that a missing key means.
    package enum Standard: Sendable, CustomStringConvertible {
        case value(Node)
        case words(String)

        /// `100 ms`, `true`, `the next free one`.
        package var description: String {
            switch self {
            case .value(let node): node.string ?? node.json
            case .words(let words): words
            }
        }
    }

    /// One kind of an object that exists in several kinds.
    package struct Kind: Sendable {
        package let name: String
        /// One or two sentences, for documentation.
        package let about: String
        /// An object of this kind, for documentation.
        package let example: Node?
        package let fields: [Field]

        package init(_ name: String, about: String = "", example: Node? = nil, _ fields: [Field]) {
            (self.name, self.about, self.example, self.fields) = (name, about, example, fields)
        }
    }
}

/// The shape of a whole document, with named definitions of recurring shapes.
package struct Grammar: Sendable {
    package let root: Shape
    /// Definitions in the order of the schema.
    package let definitions: [(name: String, shape: Shape)]
    /// Optional fields of every object.
    package let everywhere: [Shape.Field]
    /// Suggestions for keys and values that are meant otherwise.
    let advice: Advice

    /// Suggestions for keys and values that are meant otherwise.
    package struct Advice: Sendable {
        /// For words that are not those of the grammar, the keys and names that they can mean, the likeliest first.
        let synonyms: [String: [String]]
        /// How to write a value of the wrong type as the definition with a name; nil if that is unknown.
        let correction: @Sendable (_ definition: String, _ found: Node) -> String?
        /// How to write a string that is accepted nowhere; nil if that depends on the place.
        let anywhere: @Sendable (_ found: String) -> String?
        /// Why the root cannot have a key.
        let barred: @Sendable (_ key: String) -> String?

        package init(
            synonyms: [String: [String]] = [:],
            correction: @escaping @Sendable (_ definition: String, _ found: Node) -> String? = { _, _ in nil },
            anywhere: @escaping @Sendable (_ found: String) -> String? = { _ in nil },
            barred: @escaping @Sendable (_ key: String) -> String? = { _ in nil }
        ) {
            (self.synonyms, self.correction) = (synonyms, correction)
            (self.anywhere, self.barred) = (anywhere, barred)
        }

        /// The one of these names that a word probably means.
        package func meaning(of word: String, in names: [String]) -> String? {
            synonyms[word.lowercased()]?.first(where: names.contains) ?? closestMatch(to: word, in: names)
        }
    }

    package init(
        root: Shape, definitions: [(name: String, shape: Shape)], everywhere: [Shape.Field], advice: Advice = Advice()
    ) {
        (self.root, self.definitions, self.everywhere, self.advice) = (root, definitions, everywhere, advice)
    }

    /// How to write a string that is accepted nowhere; nil for other values.
    func advice(on node: Node) -> String? {
        guard case .string(let string) = node.value else { return nil }
        return advice.anywhere(string)
    }

    /// The definition that `shape` refers to, or `shape` itself.
    func resolved(_ shape: Shape) -> Shape {
        guard case .definition(let name) = shape else { return shape }
        return definitions.first { $0.name == name }?.shape ?? .anything
    }
}
