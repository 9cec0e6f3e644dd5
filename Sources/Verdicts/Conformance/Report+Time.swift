import Basics

extension Report {
    /// In whose time the cases of a client outside of this program were played.
    package enum Time: String, Hashable, Sendable {
        case virtual, real
        /// Some in virtual time and some in real time.
        case mixed

        /// For the end of a line with a duration.
        package var ending: String {
            switch self {
            case .virtual: " of virtual time"
            case .real: " of real time"
            case .mixed: " of virtual and real time"
            }
        }
    }

    /// The time of `duration`.
    var timeWords: String {
        let kind =
            switch time {
            case nil: ""
            case .virtual?: ", which was virtual"
            case .real?: ", which was real"
            case .mixed?: ", which was virtual for some, and real for the others"
            }
        return "in the cases' time\(kind)" + (compute.map { "; each turn of the client took \($0)" } ?? "")
    }

    /// `time` and `compute` of reports, where they are known.
    var timeMembers: [(String, String)] {
        [("time", time?.rawValue), ("compute", compute)].compactMap { name, value in value.map { (name, $0) } }
    }
}
