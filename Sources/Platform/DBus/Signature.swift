import Basics

/// The type of a value: a single complete type of the D-Bus Specification, "Type System".
public indirect enum ValueType: Hashable, Sendable {
    /// `y`
    case byte
    /// `b`
    case boolean
    /// `n`
    case int16
    /// `q`
    case uint16
    /// `i`
    case int32
    /// `u`
    case uint32
    /// `x`
    case int64
    /// `t`
    case uint64
    /// `d`
    case double
    /// `s`
    case string
    /// `o`
    case path
    /// `g`
    case signature
    /// `h`
    case descriptor
    /// `v`
    case variant
    /// `a` and the type of the elements.
    case array(ValueType)
    /// `a{`, a basic type, any type, `}`.
    case dictionary(key: ValueType, value: ValueType)
    /// `(`, at least one type, `)`.
    case structure([ValueType])

    static let basic: [(letter: UInt8, type: ValueType)] = [
        (UInt8(ascii: "y"), .byte), (UInt8(ascii: "b"), .boolean), (UInt8(ascii: "n"), .int16),
        (UInt8(ascii: "q"), .uint16), (UInt8(ascii: "i"), .int32), (UInt8(ascii: "u"), .uint32),
        (UInt8(ascii: "x"), .int64), (UInt8(ascii: "t"), .uint64), (UInt8(ascii: "d"), .double),
        (UInt8(ascii: "s"), .string), (UInt8(ascii: "o"), .path), (UInt8(ascii: "g"), .signature),
        (UInt8(ascii: "h"), .descriptor),
    ]

    /// Whether the type can be the key of a dictionary.
    var isBasic: Bool {
        switch self {
        case .variant, .array, .dictionary, .structure: false
        default: true
        }
    }
}

extension ValueType: CustomStringConvertible {
    /// The signature of the type.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate func append(to text: inout [UInt8]) {
        switch self {
        case .variant: text.append(UInt8(ascii: "v"))
        case .array(let element):
            text.append(UInt8(ascii: "a"))
            element.append(to: &text)
        case .dictionary(let key, let value):
            text += "a{".utf8
            key.append(to: &text)
            value.append(to: &text)
            text.append(UInt8(ascii: "}"))
        case .structure(let members):
            text.append(UInt8(ascii: "("))
            for member in members { member.append(to: &text) }
            text.append(UInt8(ascii: ")"))
        default: if let letter = Self.basic.first(where: { $0.type == self })?.letter { text.append(letter) }
        }
    }
}

/// The types of several values: at most 255 letters, 32 nested arrays and 32 nested structures.
///
/// Source: D-Bus Specification, "Valid Signatures".
public struct Signature: Hashable, Sendable {
    /// The types in order; empty for a method without arguments.
    public let types: [ValueType]

    static let maximumLength = 255
    static let maximumDepth = 32  // of arrays and of structures, counted separately

    /// Parses a signature such as `a{sv}u`.
    public init(_ text: String) throws(InvalidArgument) {
        guard let types = Self.read(Array(text.utf8)) else {
            throw InvalidArgument("\(text.quoted) is not a signature")
        }
        self.types = types
    }

    /// A signature of these types; throws if they are too many, too deep or not allowed by D-Bus.
    public init(_ types: [ValueType]) throws(InvalidArgument) {
        self = try Signature(types.map(\.description).joined())
    }

    private static func read(_ text: [UInt8]) -> [ValueType]? {
        guard text.count <= maximumLength else { return nil }
        var reader = SignatureReader(text: text[...])
        var types: [ValueType] = []
        while !reader.text.isEmpty {
            guard let type = reader.type(arrays: 0, structures: 0) else { return nil }
            types.append(type)
        }
        return types
    }
}

extension Signature: CustomStringConvertible {
    /// The signature as `init` parses it.
    public var description: String { types.map(\.description).joined() }
}

extension Signature: ExpressibleByStringLiteral {
    /// For signatures in source code; an invalid one traps.
    public init(stringLiteral literal: StaticString) {
        let types = Self.read(Array(literal.description.utf8))
        precondition(types != nil, "invalid signature in the source code")
        self.types = types ?? []
    }
}

/// Parses types from the front of a text.
private struct SignatureReader {
    var text: ArraySlice<UInt8>

    mutating func type(arrays: Int, structures: Int) -> ValueType? {
        guard arrays <= Signature.maximumDepth, structures <= Signature.maximumDepth, let letter = text.popFirst()
        else {
            return nil
        }
        switch letter {
        case UInt8(ascii: "v"): return .variant
        case UInt8(ascii: "a"):
            guard text.first == UInt8(ascii: "{") else {
                return type(arrays: arrays + 1, structures: structures).map { .array($0) }
            }
            text.removeFirst()
            guard let key = type(arrays: arrays + 1, structures: structures), key.isBasic,
                let value = type(arrays: arrays + 1, structures: structures),
                text.popFirst() == UInt8(ascii: "}")
            else { return nil }
            return .dictionary(key: key, value: value)
        case UInt8(ascii: "("):
            var members: [ValueType] = []
            while let next = text.first, next != UInt8(ascii: ")") {
                guard let member = type(arrays: arrays, structures: structures + 1) else { return nil }
                members.append(member)
            }
            return text.popFirst() != nil && !members.isEmpty ? .structure(members) : nil
        default: return ValueType.basic.first { $0.letter == letter }?.type
        }
    }
}
