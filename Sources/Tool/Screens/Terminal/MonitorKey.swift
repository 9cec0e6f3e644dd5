/// A key of the screen of `monitor`.
package enum MonitorKey: Character, CaseIterable, Sendable {
    case help = "?"
    case quit = "q"

    /// For the last row of the screen, after the key.
    var effect: String {
        switch self {
        case .help: "explains"
        case .quit: "quits"
        }
    }

    /// For a list of keys.
    package var explanation: String {
        switch self {
        case .help: "explain the screen; again: show it"
        case .quit: "quit"
        }
    }
}
