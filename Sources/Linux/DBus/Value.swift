/// A value of any type that D-Bus has.  Values are compared as they are sent: entries of dictionaries have an order.
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
    /// `s`; without NUL.
    case string(String)
    /// `o`
    case path(ObjectPath)
    /// `g`
    case signature(Signature)
    /// `h`: a file descriptor that somebody sent.  It is closed with its message, and none can be sent.
    case descriptor
    /// `ay`
    case octets([UInt8])
    /// An array of anything but octets.
    case array(of: ValueType, [Value])
    /// `a{…}`
    case dictionary(key: ValueType, value: ValueType, [Entry])
    /// `(…)`; one member at least.
    case structure([Value])
    /// `v`
    case variant(Value)

    /// One entry of a dictionary.
    public struct Entry: Hashable, Sendable {
        /// Of a basic type.
        public var key: Value
        /// Of any type.
        public var value: Value

        /// A pair.
        public init(_ key: Value, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    /// `a{sv}`: options or properties by name; each value is wrapped in a variant.
    public static func options(_ options: [(name: String, value: Value)]) -> Value {
        .dictionary(
            key: .string, value: .variant, options.map { Entry(.string($0.name), .variant($0.value)) })
    }

    /// `as`
    public static func strings(_ texts: [String]) -> Value { .array(of: .string, texts.map { .string($0) }) }

    /// `ao`
    public static func paths(_ paths: [ObjectPath]) -> Value { .array(of: .path, paths.map { .path($0) }) }

    /// What it is sent as.
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

/// What a value is, or nil when it is of another type.
extension Value {
    /// Of `y`.
    public var byte: UInt8? { if case .byte(let value) = self { value } else { nil } }
    /// Of `b`.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// Of `n`.
    public var int16: Int16? { if case .int16(let value) = self { value } else { nil } }
    /// Of `q`.
    public var uint16: UInt16? { if case .uint16(let value) = self { value } else { nil } }
    /// Of `u`.
    public var uint32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    /// Of `s`.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// Of `o`.
    public var path: ObjectPath? { if case .path(let value) = self { value } else { nil } }
    /// Of `ay`.
    public var octets: [UInt8]? { if case .octets(let value) = self { value } else { nil } }
    /// Of `v`: what is inside.
    public var variant: Value? { if case .variant(let value) = self { value } else { nil } }
    /// Of arrays, but for `ay`.
    public var elements: [Value]? { if case .array(_, let elements) = self { elements } else { nil } }
    /// Of dictionaries.
    public var entries: [Entry]? { if case .dictionary(_, _, let entries) = self { entries } else { nil } }
    /// Of structures.
    public var members: [Value]? { if case .structure(let members) = self { members } else { nil } }

    /// Of `as`.
    public var strings: [String]? {
        guard case .array(.string, let elements) = self else { return nil }
        return elements.compactMap(\.string)
    }

    /// What a dictionary has for `name`, without its variant; nil also when there is no such entry, or this is no
    /// dictionary.  Of several entries the last one counts.
    public subscript(name: String) -> Value? {
        guard let entry = entries?.last(where: { $0.key == .string(name) }) else { return nil }
        return entry.value.variant ?? entry.value
    }
}
