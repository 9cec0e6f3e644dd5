package import Basics
import Documents

extension Datum {
    /// Parses JSON text; nil if it is invalid.
    package init?(json text: some Collection<UInt8>) {
        guard let node = try? Node(json: text, file: "") else { return nil }
        self.init(node)
    }

    private init(_ node: Node) {
        switch node.value {
        case .null, .unknown: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let text): self = .number(Double(text) ?? .nan)
        case .string(let string): self = .string(string)
        case .array(let nodes): self = .list(nodes.map(Datum.init))
        case .object(let members): self = .object(members.map { Member($0.key, Datum($0.node)) })
        }
    }
}
