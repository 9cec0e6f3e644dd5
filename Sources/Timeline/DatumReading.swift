public import Documents

extension Datum {
    /// What a JSON text says; nil for what is none.
    public init?(json text: String) {
        guard let node = try? Node(json: text.utf8, file: "") else { return nil }
        self.init(node)
    }

    /// What a node says; nil where something in it is not known.
    public init?(_ node: Node) {
        switch node.value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = Double(number).map(Datum.number) ?? .null
        case .string(let string): self = .string(string)
        case .array(let nodes):
            let data = nodes.compactMap { Datum($0) }
            guard data.count == nodes.count else { return nil }
            self = .list(data)
        case .object(let members):
            let data = members.compactMap { member in
                Datum(member.node).map { Member(member.key, $0) }
            }
            guard data.count == members.count else { return nil }
            self = .object(data)
        case .unknown: return nil
        }
    }
}
