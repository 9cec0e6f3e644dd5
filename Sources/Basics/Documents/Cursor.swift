import Spelling

/// A node and the way to it: what looks at a document goes from cursor to cursor, and notes problems at their places.
///
/// Its questions are quiet: what is not there, or of another type, is nil.  Whether a document has the right shape is
/// asked once, by ``Shape/check(_:in:)``; who reads a checked document need not ask again.
public struct Cursor {
    /// What stands here.
    public let node: Node
    /// The file in which it stands.
    public let file: String
    let log: ProblemLog
    private let way: Way

    /// A cursor at the root of a file's tree.
    public init(_ root: Node, file: String, log: ProblemLog) { self.init(root, .root, file: file, log: log) }

    private init(_ node: Node, _ way: Way, file: String, log: ProblemLog) {
        (self.node, self.way, self.file, self.log) = (node, way, file, log)
    }

    /// The way from the root, `devices[0].name`; empty for the root.
    public var path: String { way.description }

    /// Whether so much is wrong already that nobody looks any further.
    public var isGivenUp: Bool { log.isFull }

    /// The value behind a key of an object; the first, when there are two.
    public subscript(key: String) -> Cursor? {
        members.first { $0.key == key }.map(value)
    }

    /// The items of an array; of anything else, none.
    public var items: [Cursor] {
        guard case .array(let nodes) = node.value else { return [] }
        return nodes.enumerated().map { Cursor($1, .item($0, of: way), file: file, log: log) }
    }

    /// The items of an array that are numbers.
    public var numbers: [Double] {
        guard case .array(let nodes) = node.value else { return [] }
        return nodes.compactMap(\.number)
    }

    /// Goes through the items of an array one by one, while anybody looks.
    public func eachItem(_ body: (Cursor) -> Void) {
        guard case .array(let nodes) = node.value else { return }
        for (index, node) in nodes.enumerated() where !isGivenUp {
            body(Cursor(node, .item(index, of: way), file: file, log: log))
        }
    }

    /// The members of an object; of anything else, none.
    public var members: [Node.Member] {
        guard case .object(let members) = node.value else { return [] }
        return members
    }

    /// The members of an object, and a cursor at the value of each.
    public var entries: [(member: Node.Member, value: Cursor)] { members.map { ($0, value($0)) } }

    private func value(_ member: Node.Member) -> Cursor {
        Cursor(member.node, .key(member.key, of: way), file: file, log: log)
    }

    /// The string.
    public var string: String? {
        guard case .string(let string) = node.value else { return nil }
        return string
    }

    /// The number, as near as a `Double` comes to it.
    public var number: Double? { node.number }

    /// The number, if it is written without fraction and exponent and fits.
    public var integer: Int? {
        guard case .number(let text) = node.value else { return nil }
        return Int(text)
    }

    /// `true` or `false`.
    public var bool: Bool? {
        guard case .bool(let bool) = node.value else { return nil }
        return bool
    }

    /// Notes a problem of this node.
    public func note(_ code: DiagnosticCode, _ message: String) {
        log.note(Problem(file: file, position: node.position, code: code, path: path, message: message))
    }

    /// Notes a problem of one of this object's keys: at the key, or, when it is missing, at the object.
    func note(_ code: DiagnosticCode, _ message: String, key: String, at position: Position? = nil) {
        let position = position ?? node.position
        log.note(
            Problem(
                file: file, position: position, code: code, path: Way.key(key, of: way).description, message: message))
    }

    /// The same place with something else in it.
    public func replacing(_ node: Node) -> Cursor { Cursor(node, way, file: file, log: log) }
}
