import Basics

/// A match rule that a program has added to a bus.
///
/// Source: D-Bus Specification, "Match Rules".
struct ReceivedRule: Hashable, Sendable {
    /// A condition on an argument of a message.
    private struct ArgumentCondition: Hashable, Sendable {
        let index: Int
        let value: String
        /// Whether one is a prefix of the other, and ends with `/`.
        let isPath: Bool
    }

    /// A text is not a match rule.
    struct Malformed: Error, Equatable {
        /// A sentence that names the part that is wrong.
        let reason: String
    }

    private var type: String?
    private var sender: String?
    /// The same as a name; nil if it is not one, so that nobody has it.
    private var senderName: BusName?
    private var destination: String?
    private var interface: String?
    private var member: String?
    private var path: String?
    private var namespace: String?
    /// The namespace of the first argument.
    private var firstNamespace: String?
    private var arguments: [ArgumentCondition] = []

    /// The highest argument that a rule can name.
    private static let lastArgument = 63

    /// Reads a rule.
    init(_ text: String) throws(Malformed) {
        for (key, value) in try Self.conditions(of: text) { try add(key, value) }
        arguments.sort { $0.index < $1.index }
        if path != nil, namespace != nil {
            throw Malformed(reason: "path and path_namespace are both in the match rule")
        }
    }

    /// The keys and values: quoted by `'`; outside of quotes `\'` means `'`.
    private static func conditions(of text: String) throws(Malformed) -> [(key: String, value: String)] {
        var conditions: [(String, String)] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            guard !rest.isEmpty else { break }
            guard let equals = rest.firstIndex(of: "=") else {
                throw Malformed(reason: "\(String(rest).quoted) in the match rule has no =")
            }
            let key = String(rest[..<equals]).trimmingSpaces
            rest = rest[rest.index(after: equals)...]
            conditions.append((key, try takeValue(from: &rest)))
        }
        return conditions
    }

    private static func takeValue(from rest: inout Substring) throws(Malformed) -> String {
        var (value, isQuoted) = ("", false)
        while let character = rest.popFirst() {
            switch character {
            case "'": isQuoted.toggle()
            case "\\" where !isQuoted && rest.first == "'":
                rest.removeFirst()
                value.append("'")
            case "," where !isQuoted: return value
            default: value.append(character)
            }
        }
        guard !isQuoted else { throw Malformed(reason: "a quote in the match rule is not closed") }
        return value
    }

    private mutating func add(_ key: String, _ value: String) throws(Malformed) {
        switch key {
        case "type":
            guard ["signal", "method_call", "method_return", "error"].contains(value) else {
                throw Malformed(reason: "Invalid message type (\(value)) in match rule\n")
            }
            try Self.set(&type, value, key)
        case "sender":
            try Self.set(&sender, value, key)
            senderName = try? BusName(value)
        case "destination": try Self.set(&destination, value, key)
        case "interface": try Self.set(&interface, value, key)
        case "member": try Self.set(&member, value, key)
        case "path": try Self.set(&path, value, key)
        case "path_namespace": try Self.set(&namespace, value, key)
        case "arg0namespace": try Self.set(&firstNamespace, value, key)
        case "eavesdrop": break  // only monitors receive messages that are not for them
        case _ where key.hasPrefix("arg"): try addArgument(key, value)
        default: throw Malformed(reason: "Unknown key \(key.quoted) in match rule")
        }
    }

    private static func set(_ member: inout String?, _ value: String, _ key: String) throws(Malformed) {
        guard member == nil else { throw Malformed(reason: "Key \(key.quoted) is in the match rule twice") }
        member = value
    }

    private mutating func addArgument(_ key: String, _ value: String) throws(Malformed) {
        let isPath = key.hasSuffix("path")
        guard let index = Int(key.dropFirst(3).dropLast(isPath ? 4 : 0)), (0...Self.lastArgument).contains(index) else {
            throw Malformed(reason: "Unknown key \(key.quoted) in match rule")
        }
        guard !arguments.contains(where: { $0.index == index }) else {
            throw Malformed(reason: "argument \(index) is in the match rule twice")
        }
        arguments.append(ArgumentCondition(index: index, value: value, isPath: isPath))
    }

    /// Whether a message matches; `owns` returns whether its sender has a well-known name.
    func matches(_ message: borrowing Message, _ header: MessageHeader, owns: (BusName) -> Bool) -> Bool {
        if let type, type != header.type { return false }
        if let interface, interface != header.interface { return false }
        if let member, member != header.member { return false }
        if let path, path != header.path { return false }
        if let namespace, header.path?.isPath(within: namespace) != true { return false }
        if let destination, destination != header.destination { return false }
        if let sender, sender != header.sender, !(senderName.map(owns) ?? false) { return false }
        if let firstNamespace, !Self.isName(message.text(ofArgument: 0)?.text, within: firstNamespace) { return false }
        for condition in arguments {
            guard let (text, isPath) = message.text(ofArgument: condition.index) else { return false }
            if condition.isPath {
                guard Self.isPath(text, near: condition.value) else { return false }
            } else if isPath || text != condition.value {
                return false
            }
        }
        return true
    }

    private static func isName(_ name: String?, within namespace: String) -> Bool {
        guard let name else { return false }
        return name == namespace || name.utf8.starts(with: (namespace + ".").utf8)
    }

    private static func isPath(_ path: String, near other: String) -> Bool {
        path == other || other.hasSuffix("/") && path.hasPrefix(other) || path.hasSuffix("/") && other.hasPrefix(path)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
