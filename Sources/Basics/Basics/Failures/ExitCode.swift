/// The result of a command.
package enum ExitCode: Hashable, Sendable {
    /// Everything is as expected.
    case success
    /// A check failed or could not be decided.
    case failure
    /// The command line is wrong, or a file it refers to is unreadable or invalid.
    case usage
    /// The machine lacks a prerequisite: a port, an adapter, a permission.
    case environment
    /// Lubdub itself is faulty.
    case internalError
    /// A signal ended the command, after it cleaned up; by its number in `signal(7)`.
    case signal(Int32)

    /// The exit status of the process: 0 to 4, or 128 plus the signal's number, as in a shell.
    package var status: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .usage: 2
        case .environment: 3
        case .internalError: 4
        case .signal(let number): 128 + number
        }
    }

    package var isInterruption: Bool { if case .signal = self { true } else { false } }
}
