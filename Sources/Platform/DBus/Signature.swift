import Basics
import CLubdubDBus

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

    /// Parses a signature such as `a{sv}u`.
    public init(_ text: String) throws(InvalidArgument) {
        guard let types = Self.read(text) else { throw InvalidArgument("\(text.quoted) is not a signature") }
        self.types = types
    }

    /// A signature of these types; throws if they are too many, too deep or not allowed by D-Bus.
    public init(_ types: [ValueType]) throws(InvalidArgument) {
        self = try Signature(types.map(\.description).joined())
    }

    private static func read(_ text: String) -> [ValueType]? {
        guard !text.utf8.contains(0), unsafe dbus_signature_validate(text, nil) != 0 else { return nil }
        var reader = SignatureReader(text: Array(text.utf8)[...])
        return reader.types()
    }
}

extension Signature: CustomStringConvertible {
    /// The signature as `init` parses it.
    public var description: String { types.map(\.description).joined() }
}

extension Signature: ExpressibleByStringLiteral {
    /// For signatures in source code; an invalid one traps.
    public init(stringLiteral literal: StaticString) {
        let types = Self.read(literal.description)
        precondition(types != nil, "invalid signature in the source code")
        self.types = types ?? []
    }
}

/// Reads types from the front of a text that libdbus has validated.
private struct SignatureReader {
    var text: ArraySlice<UInt8>

    /// The types up to the end of the text, or of a structure or a dictionary.
    mutating func types() -> [ValueType] {
        var types: [ValueType] = []
        while let type = type() { types.append(type) }
        return types
    }

    private mutating func type() -> ValueType? {
        switch text.popFirst() {
        case UInt8(ascii: "v"): return .variant
        case UInt8(ascii: "a"):
            guard text.first == UInt8(ascii: "{") else { return type().map { .array($0) } }
            text.removeFirst()
            let entry = types()
            return entry.count == 2 ? .dictionary(key: entry[0], value: entry[1]) : nil
        case UInt8(ascii: "("): return .structure(types())
        case let letter: return ValueType.basic.first { $0.letter == letter }?.type
        }
    }
}
