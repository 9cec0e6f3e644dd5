package import Arguments
import Basics
import Glibc
import Sockets

/// The version that `--version` prints, and that event logs and reports contain.
package let version = "0.1.0"

/// Why a command failed: the exit status, and the message for standard error.
package struct CommandFailure: Error, CustomStringConvertible {
    package let code: ExitCode
    /// One line, without the program's name; or one for each of several problems.
    package let lines: [String]
    /// Whether `lines` are problems, each with its file, that are printed as they are.
    package let isProblemList: Bool

    package var description: String { lines.joined(separator: "\n") }

    package init(_ code: ExitCode, _ message: String) {
        (self.code, lines, isProblemList) = (code, [message], false)
    }

    /// Problems of files, one per line.
    package init(_ code: ExitCode, problems: [String]) {
        (self.code, lines, isProblemList) = (code, problems, true)
    }
}

/// Runs `body`, and turns its error into a failure of the command.
///
/// A `CommandFailure` is thrown as it is. A `UsageError` has the exit code `usage`, a `SocketFailure` has `environment`,
/// and any other error has `code`; their message is `context`, the error's description and `hint`.
package func orFail<Value>(
    _ code: ExitCode = .internalError, _ context: String = "", hint: String = "", _ body: () throws -> Value
) throws(CommandFailure) -> Value {
    do { return try body() } catch { throw CommandFailure(error, code, context, hint) }
}

/// As `orFail` with a body that does not wait.
package func orFail<Value>(
    _ code: ExitCode = .internalError, _ context: String = "", hint: String = "", _ body: () async throws -> Value
) async throws(CommandFailure) -> Value {
    do { return try await body() } catch { throw CommandFailure(error, code, context, hint) }
}

extension CommandFailure {
    fileprivate init(_ error: any Error, _ code: ExitCode, _ context: String, _ hint: String) {
        let message = "\(context)\(error)\(hint)"
        switch error {
        case let failure as CommandFailure: self = failure
        case is UsageError: self.init(.usage, message)
        case let failure as OutputFailure where failure.code == EINTR:
            self.init(.signal(EndSignal.number ?? SIGINT), message)
        case is SocketFailure, is EventLoop.Unavailable: self.init(.environment, message)
        default: self.init(code, message)
        }
    }
}

extension ExitCode {
    package var isInterruption: Bool { if case .signal = self { true } else { false } }
}
