import Spelling

/// Which texts are names of one kind; a rule is a type without values.
///
/// Source: D-Bus Specification, "Valid Names" and "Valid Object Paths".
public protocol TextRule: Sendable {
    /// What such a text is called, with its article, as in `an object path`.
    static var noun: String { get }
    /// Whether the octets of a text in UTF-8 are such a name.
    static func allows(_ text: [UInt8]) -> Bool
}

/// A text that D-Bus allows in its place.  There is no other way to make one than to have it checked, since libdbus ends
/// the process for a wrong one.
public struct ValidText<Rule: TextRule>: Hashable, Comparable, Sendable {
    /// As it is sent.
    public let text: String

    /// Throws what the text should have been.
    public init(_ text: String) throws(InvalidArgument) {
        guard Rule.allows(Array(text.utf8)) else { throw InvalidArgument("\(text.quoted) is not \(Rule.noun)") }
        self.text = text
    }

    /// By the octets of the texts.
    public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
}

extension ValidText: CustomStringConvertible {
    /// The text alone.
    public var description: String { text }
}

extension ValidText: ExpressibleByStringLiteral {
    /// For names in the source; a wrong one is a mistake of the program and traps.
    public init(stringLiteral literal: StaticString) {
        text = literal.description
        precondition(Rule.allows(Array(text.utf8)), "a name in the source is not \(Rule.noun)")
    }
}

/// `/`, or elements of letters, digits and `_`, each after a `/`.
public typealias ObjectPath = ValidText<ObjectPathRule>
/// Who can be called: `:1.42`, which the bus gives, or `org.bluez`, which a program takes.
public typealias BusName = ValidText<BusNameRule>
/// `org.bluez.GattService1`
public typealias InterfaceName = ValidText<InterfaceNameRule>
/// The name of a method, a signal or a property.
public typealias MemberName = ValidText<MemberNameRule>
/// `org.bluez.Error.Failed`
public typealias ErrorName = ValidText<ErrorNameRule>

/// The rule of `ObjectPath`.
public enum ObjectPathRule: TextRule {
    /// `an object path`
    public static let noun = "an object path"

    /// Paths have no limit of their own; ours is 4096 octets.
    public static func allows(_ text: [UInt8]) -> Bool {
        guard text.first == UInt8(ascii: "/"), text.count <= 4096 else { return false }
        return text.count == 1 || text.dropFirst().isElements(separator: "/") { $0.isWordOctet }
    }
}

/// The rule of `BusName`.
public enum BusNameRule: TextRule {
    /// `a bus name`
    public static let noun = "a bus name"

    /// Two elements or more; only those of unique names may begin with a digit.
    public static func allows(_ text: [UInt8]) -> Bool {
        guard text.count <= longestName, text.contains(UInt8(ascii: ".")) else { return false }
        let isNameOctet = { (octet: UInt8) in octet.isWordOctet || octet == UInt8(ascii: "-") }
        return text.first == UInt8(ascii: ":")
            ? text.dropFirst().isElements(separator: ".", of: isNameOctet)
            : text[...].isElements(separator: ".", startingWithDigits: false, of: isNameOctet)
    }
}

/// The rule of `InterfaceName`.
public enum InterfaceNameRule: TextRule {
    /// `an interface name`
    public static let noun = "an interface name"

    /// Two elements or more, none of which begins with a digit.
    public static func allows(_ text: [UInt8]) -> Bool {
        text.count <= longestName && text.contains(UInt8(ascii: "."))
            && text[...].isElements(separator: ".", startingWithDigits: false) { $0.isWordOctet }
    }
}

/// The rule of `MemberName`.
public enum MemberNameRule: TextRule {
    /// `a member name`
    public static let noun = "a member name"

    /// One element, which does not begin with a digit.
    public static func allows(_ text: [UInt8]) -> Bool {
        text.count <= longestName && text[...].isElement(startingWithDigit: false) { $0.isWordOctet }
    }
}

/// The rule of `ErrorName`.
public enum ErrorNameRule: TextRule {
    /// `an error name`
    public static let noun = "an error name"

    /// As of interfaces.
    public static func allows(_ text: [UInt8]) -> Bool { InterfaceNameRule.allows(text) }
}

private let longestName = 255

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isWordOctet: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) || self == UInt8(ascii: "_")
    }
}

extension ArraySlice<UInt8> {
    /// Whether it is one element or more, with a separator between each two.
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
