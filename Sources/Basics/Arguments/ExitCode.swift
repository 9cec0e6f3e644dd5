/// How a command ended.
public enum ExitCode: Hashable, Sendable {
    /// All is well.
    case success
    /// What was checked is wrong, or could not be decided.
    case failure
    /// The command line is wrong, or a file that it names is unreadable or invalid.
    case usage
    /// This machine lacks something: a port, an adapter, a permission.
    case environment
    /// The program itself is wrong.
    case inner
    /// Ended in good order because of a signal, by its number in `signal(7)`.
    case signal(Int32)

    /// What the process gives to `exit`: 0 to 4, or 128 and the signal's number, as a shell has it.
    public var status: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .usage: 2
        case .environment: 3
        case .inner: 4
        case .signal(let number): 128 + number
        }
    }
}
