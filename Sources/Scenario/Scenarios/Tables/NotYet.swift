import Documents

extension Tables {
    /// What is known, and not played yet by this version: a key, its value and why.  What is played loses its row.
    private static let notYet = [
        (key: "do", value: "forget_bond", why: "needs pairing, which is not played yet")
    ]

    /// Notes everything at and below `cursor` that is not played yet.
    static func noteNotYet(_ cursor: Cursor) {
        for (member, value) in cursor.entries where !cursor.isLogFull {
            if let row = notYet.first(where: { $0.key == member.key && $0.value == value.string }) {
                value.note(.notYet, "\(value.node.kind) \(row.why)")
            }
            noteNotYet(value)
        }
        cursor.eachItem { if !$0.node.isSimple { noteNotYet($0) } }
    }
}
