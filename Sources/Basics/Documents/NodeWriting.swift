package import Basics

extension Node: JSONWritable {
    /// Appends the value on one line: `{"do": "set", "to": 62}`. Spaces and escapes are normalized; an unknown value
    /// becomes `null`.
    package func write(to text: inout JSONText) {
        switch value {
        case .null, .unknown: text.append("null")
        case .bool(let bool): text.append(text: "\(bool)")
        case .number(let digits): text.append(text: digits)
        case .string(let string): text.append(quoted: string)
        case .array(let nodes): text.append(list: nodes) { $1.write(to: &$0) }
        case .object(let members):
            text.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(", ") }
                text.append(quoted: member.key)
                text.append(": ")
                member.node.write(to: &text)
            }
            text.append("}")
        }
    }

    /// The value with line breaks: what fits into 120 columns is on one line, otherwise there is one indented item or
    /// member per line.
    package var indentedJSON: String { indented(by: 0, labelWidth: 0) }

    private static let width = 120

    private func indented(by margin: Int, labelWidth: Int) -> String {
        let line = json
        if isSimple || margin + labelWidth + line.count < Self.width { return line }
        let space = String(repeating: " ", count: margin + 2)
        let (open, rows, close): (String, [String], String)
        switch value {
        case .array(let nodes):
            (open, rows, close) = ("[", nodes.map { $0.indented(by: margin + 2, labelWidth: 0) }, "]")
        case .object(let members):
            let inner = members.map { member in
                let label = "\(member.key.quoted): "
                return label + member.node.indented(by: margin + 2, labelWidth: label.count)
            }
            (open, rows, close) = ("{", inner, "}")
        case .null, .bool, .number, .string, .unknown: return line
        }
        return "\(open)\n" + rows.map { space + $0 }.joined(separator: ",\n") + "\n\(space.dropLast(2))\(close)"
    }
}

extension Node {
    /// The value of a key of an object; the first if the key is duplicated.
    package subscript(key: String) -> Node? {
        guard case .object(let members) = value else { return nil }
        return members.first { $0.key == key }?.node
    }

    /// An object with these members in this order and without positions.
    package static func object(_ members: [(key: String, node: Node)]) -> Node {
        Node(.object(members.map { Member(key: $0.key, position: Position(), node: $0.node) }))
    }

    /// The members of an object, in order; none for other types.
    package var pairs: [(key: String, node: Node)] {
        guard case .object(let members) = value else { return [] }
        return members.map { ($0.key, $0.node) }
    }

    /// The items of an array; none for other types.
    package var items: [Node] { if case .array(let items) = value { items } else { [] } }

    /// The string; nil for other types.
    package var string: String? {
        guard case .string(let string) = value else { return nil }
        return string
    }
}
