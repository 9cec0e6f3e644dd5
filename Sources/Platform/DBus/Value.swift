/// A value of any D-Bus type. Equality follows the wire format: entries of dictionaries have an order.
public indirect enum Value: Hashable, Sendable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case boolean(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`; cannot contain NUL.
    case string(String)
    /// `o`
    case path(ObjectPath)
    /// `g`
    case signature(Signature)
    /// `h`: a file descriptor.
    case descriptor(Descriptor)
    /// `ay`.
    case octets([UInt8])
    /// An array with any elements except octets.
    case array(of: ValueType, [Value])
    /// `a{…}`.
    case dictionary(key: ValueType, value: ValueType, [Entry])
    /// `(…)` with at least one member.
    case structure([Value])
    /// `v`.
    case variant(Value)

    /// An entry of a dictionary.
    public struct Entry: Hashable, Sendable {
        /// A value of a basic type.
        public var key: Value
        /// A value of any type.
        public var value: Value

        /// An entry with this key and value.
        public init(_ key: Value, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    /// `a{sv}`: named options or properties; each value is wrapped in a variant.
    public static func options(_ options: [(name: String, value: Value)]) -> Value {
        .dictionary(
            key: .string, value: .variant, options.map { Entry(.string($0.name), .variant($0.value)) })
    }

    /// `as`.
    public static func strings(_ texts: [String]) -> Value { .array(of: .string, texts.map { .string($0) }) }

    /// `ao`.
    public static func paths(_ paths: [ObjectPath]) -> Value { .array(of: .path, paths.map { .path($0) }) }

    /// The type on the wire.
    public var type: ValueType {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .path: .path
        case .signature: .signature
        case .descriptor: .descriptor
        case .octets: .array(.byte)
        case .array(let element, _): .array(element)
        case .dictionary(let key, let value, _): .dictionary(key: key, value: value)
        case .structure(let members): .structure(members.map(\.type))
        case .variant: .variant
        }
    }
}

/// Contents; nil if the value has another type.
extension Value {
    /// The content of `y`.
    public var byte: UInt8? { if case .byte(let value) = self { value } else { nil } }
    /// The content of `b`.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The content of `n`.
    public var int16: Int16? { if case .int16(let value) = self { value } else { nil } }
    /// The content of `q`.
    public var uint16: UInt16? { if case .uint16(let value) = self { value } else { nil } }
    /// The content of `u`.
    public var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    /// The content of `s`.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The content of `o`.
    public var path: ObjectPath? { if case .path(let value) = self { value } else { nil } }
    /// The content of `h`.
    public var descriptor: Descriptor? { if case .descriptor(let value) = self { value } else { nil } }
    /// The content of `ay`.
    public var octets: [UInt8]? { if case .octets(let value) = self { value } else { nil } }
    /// The value inside a variant.
    public var variant: Value? { if case .variant(let value) = self { value } else { nil } }
    /// The elements of an array, except of `ay`.
    public var elements: [Value]? { if case .array(_, let elements) = self { elements } else { nil } }
    /// The entries of a dictionary.
    public var entries: [Entry]? { if case .dictionary(_, _, let entries) = self { entries } else { nil } }
    /// The members of a structure.
    public var members: [Value]? { if case .structure(let members) = self { members } else { nil } }

    /// The elements of `as`.
    public var strings: [String]? {
        guard case .array(.string, let elements) = self else { return nil }
        return elements.compactMap(\.string)
    }

    /// The value of the last entry named `name` in a dictionary, unwrapped from its variant; nil if there is no such
    /// entry.
    public subscript(name: String) -> Value? {
        guard let entry = entries?.last(where: { $0.key == .string(name) }) else { return nil }
        return entry.value.variant ?? entry.value
    }
}
