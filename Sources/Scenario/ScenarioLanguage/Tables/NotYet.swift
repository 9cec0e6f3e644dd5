import Documents
import Scenarios

extension Tables {
    /// Notes all actions at and below `cursor` that no radio supports yet.
    static func noteNotYet(_ cursor: Cursor) {
        for (member, value) in cursor.entries where !cursor.isLogFull {
            if member.key == "do", let kind: Action.Kind = Optional(value).choice(), kind.row.support.radios.isEmpty {
                value.note(.notYet, "\(value.node.kind) is \(kind.row.support.reason)")
            }
            noteNotYet(value)
        }
        cursor.eachItem { if !$0.node.isSimple { noteNotYet($0) } }
    }
}
