public import Bluetooth
import Spelling

/// The handles from one to another, both included, as requests ask for them and groups have them.
///
/// As received: `first` may be 0 or behind `last`; `isValid` says whether it is neither.
public struct HandleRange: Hashable, Sendable, CustomStringConvertible {
    /// Starting Handle.
    public var first: UInt16
    /// Ending Handle, or End Group Handle.
    public var last: UInt16

    /// From `first` to `last`.
    public init(_ first: UInt16, _ last: UInt16) { (self.first, self.last) = (first, last) }

    /// Every handle that an attribute can have: 0x0001 to 0xFFFF.
    public static let all = HandleRange(0x0001, 0xFFFF)

    /// Whether it begins above 0 and does not end before it begins.
    public var isValid: Bool { first > 0 && first <= last }

    /// Whether `handle` is not below the first and not above the last.
    public func contains(_ handle: UInt16) -> Bool { first <= handle && handle <= last }

    /// Four hexadecimal digits each: `0001-FFFF`.
    public var description: String { "\(hexadecimal(first))-\(hexadecimal(last))" }
}

/// An attribute's handle and its type, as `ATT_FIND_INFORMATION_RSP` lists them.
public struct AttributeType: Hashable, Sendable {
    /// The attribute's own handle.
    public var handle: UInt16
    /// What kind of attribute it is.
    public var type: UUID

    /// The attribute `handle` is a `type`.
    public init(_ handle: UInt16, _ type: UUID) { (self.handle, self.type) = (handle, type) }
}

/// An attribute's handle and its value.
public struct AttributeData: Hashable, Sendable {
    /// The attribute's own handle.
    public var handle: UInt16
    /// The value, or as much of it as the PDU has room for.
    public var value: [UInt8]

    /// The attribute `handle` has this value.
    public init(_ handle: UInt16, _ value: [UInt8]) { (self.handle, self.value) = (handle, value) }
}

/// A group of attributes, and the value of the one that declares it.
public struct GroupData: Hashable, Sendable {
    /// From the declaration to the last attribute of the group.
    public var range: HandleRange
    /// The value of the declaration: for a service its UUID.
    public var value: [UInt8]

    /// The group of these handles, declared with this value.
    public init(_ range: HandleRange, _ value: [UInt8]) { (self.range, self.value) = (range, value) }
}

/// One value of several in `ATT_READ_MULTIPLE_VARIABLE_RSP`.
public struct LengthValue: Hashable, Sendable {
    /// How many octets the attribute's value has; more than are in `value` only for the last of the PDU.
    public var length: UInt16
    /// Those octets that the PDU had room for.
    public var value: [UInt8]

    /// A value of `length` octets, which begins with these.
    public init(length: UInt16, _ value: [UInt8]) { (self.length, self.value) = (length, value) }
}

func hexadecimal(_ handle: UInt16) -> String { handle.zeroPadded(to: 4, radix: 16) }
