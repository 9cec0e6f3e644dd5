import Basics

/// The syntax of one kind of name. Conforming types have no values.
///
/// Source: D-Bus Specification, "Valid Names" and "Valid Object Paths".
public protocol TextRule: Sendable {
    /// The kind for messages, with its article: `an object path`.
    static var noun: String { get }
    /// Whether the UTF-8 octets of a text have this syntax.
    static func allows(_ text: [UInt8]) -> Bool
}

/// A name or path that is valid for D-Bus. It is always checked, because libdbus ends the process for an invalid one.
public struct ValidText<Rule: TextRule>: Hashable, Comparable, Sendable {
    /// The text.
    public let text: String

    /// Throws if the text does not have the syntax of `Rule`.
    public init(_ text: String) throws(InvalidArgument) {
        guard Rule.allows(Array(text.utf8)) else { throw InvalidArgument("\(text.quoted) is not \(Rule.noun)") }
        self.text = text
    }

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
        precondition(Rule.allows(Array(text.utf8)), "a name in the source code is not \(Rule.noun)")
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
    public static func allows(_ text: [UInt8]) -> Bool {
        guard text.first == UInt8(ascii: "/"), text.count <= 4096 else { return false }
        return text.count == 1 || text.dropFirst().isElements(separator: "/") { $0.isWordOctet }
    }
}

/// The syntax of `BusName`.
public enum BusNameRule: TextRule {
    /// `a bus name`
    public static let noun = "a bus name"

    /// At least two elements; only those of unique names may begin with a digit.
    public static func allows(_ text: [UInt8]) -> Bool {
        guard text.count <= maximumNameLength, text.contains(UInt8(ascii: ".")) else { return false }
        let isNameOctet = { (octet: UInt8) in octet.isWordOctet || octet == UInt8(ascii: "-") }
        return text.first == UInt8(ascii: ":")
            ? text.dropFirst().isElements(separator: ".", of: isNameOctet)
            : text[...].isElements(separator: ".", startingWithDigits: false, of: isNameOctet)
    }
}

/// The syntax of `InterfaceName`.
public enum InterfaceNameRule: TextRule {
    /// `an interface name`
    public static let noun = "an interface name"

    /// At least two elements, none of which begins with a digit.
    public static func allows(_ text: [UInt8]) -> Bool {
        text.count <= maximumNameLength && text.contains(UInt8(ascii: "."))
            && text[...].isElements(separator: ".", startingWithDigits: false) { $0.isWordOctet }
    }
}

/// The syntax of `MemberName`.
public enum MemberNameRule: TextRule {
    /// `a member name`
    public static let noun = "a member name"

    /// One element that does not begin with a digit.
    public static func allows(_ text: [UInt8]) -> Bool {
        text.count <= maximumNameLength && text[...].isElement(startingWithDigit: false) { $0.isWordOctet }
    }
}

/// The syntax of `ErrorName`.
public enum ErrorNameRule: TextRule {
    /// `an error name`
    public static let noun = "an error name"

    /// The same syntax as that of interface names.
    public static func allows(_ text: [UInt8]) -> Bool { InterfaceNameRule.allows(text) }
}

private let maximumNameLength = 255

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isWordOctet: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) || self == UInt8(ascii: "_")
    }
}

extension ArraySlice<UInt8> {
    /// Whether it consists of one or more elements with separators between them.
    fileprivate func isElements(
        separator: Unicode.Scalar, startingWithDigits: Bool = true, of isAllowed: (UInt8) -> Bool
    ) -> Bool {
        split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .allSatisfy { $0.isElement(startingWithDigit: startingWithDigits, of: isAllowed) }
    }

    fileprivate func isElement(startingWithDigit: Bool, of isAllowed: (UInt8) -> Bool) -> Bool {
        guard let first else { return false }
        return (startingWithDigit || !first.isDigit) && allSatisfy(isAllowed)
    }
}
