import Basics
public import Bluetooth

/// A range of attribute handles, both ends included.
///
/// It may be invalid, as received: see `isValid`.
public struct HandleRange: Hashable, Sendable, CustomStringConvertible {
    /// Starting Handle.
    public var first: UInt16
    /// Ending Handle, or End Group Handle.
    public var last: UInt16

    /// From `first` to `last`.
    public init(_ first: UInt16, _ last: UInt16) { (self.first, self.last) = (first, last) }

    /// Every handle that an attribute can have: 0x0001 to 0xFFFF.
    public static let all = HandleRange(0x0001, 0xFFFF)

    /// Whether `first` is neither 0 nor above `last`.
    public var isValid: Bool { first > 0 && first <= last }

    /// Whether `handle` is in the range.
    public func contains(_ handle: UInt16) -> Bool { first <= handle && handle <= last }

    /// Four hexadecimal digits each: `0001-FFFF`.
    public var description: String { "\(hexadecimal(first))-\(hexadecimal(last))" }
}

/// An attribute's handle and its type, as `ATT_FIND_INFORMATION_RSP` lists them.
public struct AttributeType: Hashable, Sendable {
    /// The attribute's handle.
    public var handle: UInt16
    /// The attribute's type.
    public var type: UUID

    /// An entry of the list.
    public init(_ handle: UInt16, _ type: UUID) { (self.handle, self.type) = (handle, type) }
}

/// An attribute's handle and its value.
public struct AttributeData: Hashable, Sendable {
    /// The attribute's handle.
    public var handle: UInt16
    /// The value, possibly truncated to fit into the PDU.
    public var value: [UInt8]

    /// A handle with its value.
    public init(_ handle: UInt16, _ value: [UInt8]) { (self.handle, self.value) = (handle, value) }
}

/// A group of attributes, and the value of its declaration.
public struct GroupData: Hashable, Sendable {
    /// From the declaration to the last attribute of the group.
    public var range: HandleRange
    /// The declaration's value: for a service its UUID.
    public var value: [UInt8]

    /// A group with the value of its declaration.
    public init(_ range: HandleRange, _ value: [UInt8]) { (self.range, self.value) = (range, value) }
}

/// One value of several in `ATT_READ_MULTIPLE_VARIABLE_RSP`.
public struct LengthValue: Hashable, Sendable {
    /// The length of the attribute's value, in octets; above `value.count` only for the last value of a PDU.
    public var length: UInt16
    /// The value, truncated to fit into the PDU.
    public var value: [UInt8]

    /// A value of `length` octets that starts with these.
    public init(length: UInt16, _ value: [UInt8]) { (self.length, self.value) = (length, value) }
}

func hexadecimal(_ handle: UInt16) -> String { handle.zeroPadded(to: 4, radix: 16) }
