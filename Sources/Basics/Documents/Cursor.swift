import Basics

/// A node of a document and its path, for reading values and reporting problems.
///
/// Accessors return nil if the value is missing or has another type. ``Grammar/check(_:)`` validates a document once;
/// code that reads a validated document does not check again.
package struct Cursor {
    package let node: Node
    package let file: String
    let log: ProblemLog
    private let location: DocumentPath

    package init(_ root: Node, file: String, log: ProblemLog) { self.init(root, .root, file: file, log: log) }

    private init(_ node: Node, _ location: DocumentPath, file: String, log: ProblemLog) {
        (self.node, self.location, self.file, self.log) = (node, location, file, log)
    }

    /// The path from the root, `devices[0].name`; empty for the root.
    package var path: String { location.description }

    /// Whether the log is full, so that checking further is useless.
    package var isLogFull: Bool { log.isFull }

    /// The value of a key of an object; the first if the key is duplicated.
    package subscript(key: String) -> Cursor? {
        members.first { member in
            log.steps += 1
            return member.key == key
        }.map(value)
    }

    /// The items of an array; empty for other types.
    package var items: [Cursor] {
        guard case .array(let nodes) = node.value else { return [] }
        log.steps += nodes.count
        return nodes.enumerated().map { Cursor($1, .item($0, of: location), file: file, log: log) }
    }

    /// The numbers among the items of an array.
    package var numbers: [Double] {
        guard case .array(let nodes) = node.value else { return [] }
        log.steps += nodes.count
        return nodes.compactMap(\.number)
    }

    /// Calls `body` for each item of an array until the log is full.
    package func eachItem(_ body: (Cursor) -> Void) {
        guard case .array(let nodes) = node.value else { return }
        for (index, node) in nodes.enumerated() where !isLogFull {
            log.steps += 1
            body(Cursor(node, .item(index, of: location), file: file, log: log))
        }
    }

    /// The members of an object; empty for other types.
    package var members: [Node.Member] {
        guard case .object(let members) = node.value else { return [] }
        return members
    }

    package var entries: [(member: Node.Member, value: Cursor)] {
        log.steps += members.count
        return members.map { ($0, value($0)) }
    }

    private func value(_ member: Node.Member) -> Cursor {
        Cursor(member.node, .key(member.key, of: location), file: file, log: log)
    }

    /// The string; nil for other types.
    package var string: String? { node.string }

    /// The number as a `Double`; nil for other types.
    package var number: Double? { node.number }

    /// The number if it is whole and fits into an `Int`; nil for other numbers and types.
    package var integer: Int? { node.integer }

    /// The Boolean; nil for other types.
    package var bool: Bool? {
        guard case .bool(let bool) = node.value else { return nil }
        return bool
    }

    /// Whether the next problem with a code is listed; others are counted only, without their message and help.
    package func lists(_ code: DiagnosticCode) -> Bool { log.lists(code, in: file) }

    /// Counts work that is not on this document: see ``ProblemLog/steps``.
    package func count(steps: Int) { log.steps += steps }

    /// Reports a problem that can have several places: further ones with the same code and `key` are added to the first.
    package func note(
        _ code: DiagnosticCode, _ message: @autoclosure () -> String, help: @autoclosure () -> String,
        mergedBy key: String
    ) {
        let path = path
        log.note(code, in: file, at: node.position, path, mergedBy: key) {
            Problem(file: file, position: node.position, code: code, path: path, message: message(), help: help())
        }
    }

    /// Reports a problem of this value.
    package func note(
        _ code: DiagnosticCode, _ message: @autoclosure () -> String, help: @autoclosure () -> String? = nil,
        related: @autoclosure () -> [RelatedPlace] = []
    ) {
        let path = path
        log.note(code, in: file, at: node.position, path) {
            Problem(
                file: file, position: node.position, code: code, path: path, message: message(), help: help(),
                related: related())
        }
    }

    /// Reports a problem of one of this object's keys: at `position` or, if the key is missing, at the object.
    package func note(
        _ code: DiagnosticCode, _ message: @autoclosure () -> String, help: @autoclosure () -> String? = nil,
        key: String, at position: Position? = nil
    ) {
        note(code, key: key, at: position) { (message(), help()) }
    }

    /// The same, with message and help made together.
    func note(
        _ code: DiagnosticCode, key: String, at position: Position?, _ text: () -> (message: String, help: String?)
    ) {
        let path = DocumentPath.key(key, of: location).description
        let position = position ?? node.position
        log.note(code, in: file, at: position, path) {
            let (message, help) = text()
            return Problem(file: file, position: position, code: code, path: path, message: message, help: help)
        }
    }

    /// Reports that the string is not one of these names; one of them was probably `meant`, if that is known.
    package func noteUnknownName(_ names: [String], meant: String?) {
        guard let string else { return note(.wrongType, "expected a name, found \(node.kind)") }
        note(
            .unknownName, "unknown name \(string.abbreviated.quoted)",
            help: meant.map { "did you mean \($0.quoted)?" }
                ?? relatedName(to: string, in: names).map { "perhaps \($0.quoted); \(names.asChoice)" }
                ?? names.asChoice)
    }

    /// A cursor at the same place with another value.
    package func replacing(_ node: Node) -> Cursor { Cursor(node, location, file: file, log: log) }

    /// A cursor at the same place whose problems go to another log.
    package func reporting(to log: ProblemLog) -> Cursor { Cursor(node, location, file: file, log: log) }
}

extension [String] {
    /// `a, b and c`.
    package func enumerated(by conjunction: String) -> String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " \(conjunction) " + self[count - 1]
    }

    /// `it is one of a, b`, for a help.
    var asChoice: String { count == 1 ? "write \(self[0].quoted)" : "choose one of \(joined(separator: ", "))" }
}
