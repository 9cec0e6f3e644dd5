import Basics
import CLubdubDBus

/// The syntax of one kind of name. Conforming types have no values.
///
/// Source: D-Bus Specification, "Valid Names" and "Valid Object Paths".
public protocol TextRule: Sendable {
    /// The kind for messages, with its article: `an object path`.
    static var noun: String { get }
    /// Whether a text without NUL has this syntax.
    static func allows(_ text: String) -> Bool
}

/// A name or path that is valid for D-Bus. It is always checked, because libdbus ends the process for an invalid one.
public struct ValidText<Rule: TextRule>: Hashable, Comparable, Sendable {
    /// The text.
    public let text: String

    /// Throws if the text does not have the syntax of `Rule`.
    public init(_ text: String) throws(InvalidArgument) {
        guard Self.isValid(text) else { throw InvalidArgument("\(text.quoted) is not \(Rule.noun)") }
        self.text = text
    }

    /// For libdbus, a text ends before its first NUL.
    private static func isValid(_ text: String) -> Bool { !text.utf8.contains(0) && Rule.allows(text) }

    /// Compares the UTF-8 octets.
    public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
}

extension ValidText: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension ValidText: ExpressibleByStringLiteral {
    /// For names in source code; an invalid one traps.
    public init(stringLiteral literal: StaticString) {
        text = literal.description
        precondition(Self.isValid(text), "a name in the source code is not \(Rule.noun)")
    }
}

/// An object path: `/`, or elements of letters, digits and `_`, each after a `/`.
public typealias ObjectPath = ValidText<ObjectPathRule>
/// A bus name: a unique one, assigned by the bus (`:1.42`), or a well-known one (`org.bluez`).
public typealias BusName = ValidText<BusNameRule>
/// An interface name: `org.bluez.GattService1`.
public typealias InterfaceName = ValidText<InterfaceNameRule>
/// The name of a method, a signal or a property.
public typealias MemberName = ValidText<MemberNameRule>
/// An error name: `org.bluez.Error.Failed`.
public typealias ErrorName = ValidText<ErrorNameRule>

/// The syntax of `ObjectPath`.
public enum ObjectPathRule: TextRule {
    /// `an object path`
    public static let noun = "an object path"

    /// D-Bus does not limit the length of paths; this module allows 4096 octets.
    public static func allows(_ text: String) -> Bool {
        unsafe text.utf8.count <= 4096 && dbus_validate_path(text, nil) != 0
    }
}

/// The syntax of `BusName`.
public enum BusNameRule: TextRule {
    /// `a bus name`
    public static let noun = "a bus name"

    /// libdbus allows `:`, `:1` and `:.1`; the specification requires at least two elements, none of which is empty.
    public static func allows(_ text: String) -> Bool {
        unsafe text.contains(".") && !text.hasPrefix(":.") && dbus_validate_bus_name(text, nil) != 0
    }
}

/// The syntax of `InterfaceName`.
public enum InterfaceNameRule: TextRule {
    /// `an interface name`
    public static let noun = "an interface name"

    /// At least two elements, none of which begins with a digit.
    public static func allows(_ text: String) -> Bool { unsafe dbus_validate_interface(text, nil) != 0 }
}

/// The syntax of `MemberName`.
public enum MemberNameRule: TextRule {
    /// `a member name`
    public static let noun = "a member name"

    /// One element that does not begin with a digit.
    public static func allows(_ text: String) -> Bool { unsafe dbus_validate_member(text, nil) != 0 }
}

/// The syntax of `ErrorName`.
public enum ErrorNameRule: TextRule {
    /// `an error name`
    public static let noun = "an error name"

    /// The same syntax as that of interface names.
    public static func allows(_ text: String) -> Bool { unsafe dbus_validate_error_name(text, nil) != 0 }
}
