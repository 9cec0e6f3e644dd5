import Documents

extension Tables {
    /// What is known, and not played yet by this version: a key and its value.  What is played loses its row.
    private static let notYet: [(key: String, names: [String])] = [
        (
            "do",
            [
                "forget_bond"
            ]
        )
    ]

    /// Notes everything at and below `cursor` that is not played yet.
    static func noteNotYet(_ cursor: Cursor) {
        for (member, value) in cursor.entries where !cursor.isGivenUp {
            if let name = value.string, notYet.contains(where: { $0.key == member.key && $0.names.contains(name) }) {
                value.note(.notYet, "\(value.node.kind) is known, and not played yet by this version")
            }
            noteNotYet(value)
        }
        cursor.eachItem { if !$0.node.isSimple { noteNotYet($0) } }
    }
}
