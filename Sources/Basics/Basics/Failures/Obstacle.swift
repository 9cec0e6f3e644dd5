/// Why something that a user asked for cannot be done: where the reason is, and a message.
package struct Obstacle: Error, CustomStringConvertible {
    /// The exit code of a command that ends for this reason.
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

    fileprivate init(_ error: any Error, _ code: ExitCode, _ context: String, _ hint: String) {
        if let obstacle = error as? Obstacle {
            self = obstacle
        } else {
            self.init((error as? any CodedError)?.exitCode ?? code, "\(context)\(error)\(hint)")
        }
    }
}

/// An error that ends a command with the same exit code wherever it occurs.
package protocol CodedError: Error {
    /// The exit code; nil if it depends on the place.
    var exitCode: ExitCode? { get }
}

/// Runs `body`, and turns its error into an obstacle.
///
/// An `Obstacle` is thrown as it is. Another error has its own exit code or else `code`; the message is `context`, the
/// error's description and `hint`.
package func orFail<Value>(
    _ code: ExitCode = .internalError, _ context: String = "", hint: String = "", _ body: () throws -> Value
) throws(Obstacle) -> Value {
    do { return try body() } catch { throw Obstacle(error, code, context, hint) }
}

/// As `orFail` with a body that does not wait.
package func orFail<Value>(
    _ code: ExitCode = .internalError, _ context: String = "", hint: String = "", _ body: () async throws -> Value
) async throws(Obstacle) -> Value {
    do { return try await body() } catch { throw Obstacle(error, code, context, hint) }
}
