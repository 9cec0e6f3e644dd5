import Glibc
import Synchronization

/// Results go to standard output, messages to standard error; lines are not buffered.
package enum Console {
    private struct State {
        package var results = STDOUT_FILENO
        package var failure: Int32?
        package var last = LastLine()

        package mutating func write(_ line: TerminalLine, to descriptor: CInt) -> Int32? {
            _ = Console.write(last.erase(), to: STDERR_FILENO)
            let failure = Console.write("\(line.description)\n", to: descriptor)
            _ = Console.write(last.draw(), to: STDERR_FILENO)
            return failure
        }
    }

    /// A class, because Swift 6.3 with `-O` initializes a static mutex of this state with zeros.
    private final class Shared: Sendable { let state = Mutex(State()) }

    private static let shared = Shared()

    package static func print(_ line: TerminalLine) {
        shared.state.withLock { state in
            guard let code = state.write(line, to: state.results), state.results == STDOUT_FILENO else { return }
            state.failure = state.failure ?? code
        }
    }

    /// Prints the lines of a text of ours, such as a help text: a line feed in a text from outside could forge a line.
    package static func print(linesOf text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { print("\(line)") }
    }

    /// Prints a line to standard error.
    package static func complain(_ line: TerminalLine) {
        _ = shared.state.withLock { $0.write(line, to: STDERR_FILENO) }
    }

    /// Prints a warning or an error to standard error, after the program's name.
    package static func warn(_ message: TerminalLine) { complain("lubdub: \(message)") }

    /// Shows a status line below all others, on a terminal at standard error; nil removes it.
    ///
    /// While the terminal accepts no output, the line is skipped, so that nothing waits for it.
    package static func show(last line: TerminalLine?) {
        let hasRoom = hasRoom(STDERR_FILENO)
        guard hasRoom || line == nil else { return }
        shared.state.withLock { state in
            let text = state.last.show(line?.description)
            if hasRoom { _ = write(text, to: STDERR_FILENO) }
        }
    }

    /// Writes a screen's control sequences to standard output, and ignores errors.
    package static func draw(_ text: String) { _ = write(text, to: STDOUT_FILENO) }

    /// Waits up to `milliseconds` until a write would not block.
    package static func hasRoom(_ descriptor: CInt, within milliseconds: CInt = 0) -> Bool {
        var room = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
        return unsafe poll(&room, 1, milliseconds) == 1
    }

    /// Sends results to standard error, because standard output is used for something else.
    package static func divert() { shared.state.withLock { $0.results = STDERR_FILENO } }

    package static var descriptor: CInt { shared.state.withLock { $0.results } }

    /// The `errno(3)` of the first failed write of a result; `EPIPE` when the reader is gone.
    package static var failure: Int32? { shared.state.withLock { $0.failure } }

    /// Opens descriptors 0 to 2 if they are closed, so that no file or socket gets their numbers, and ignores SIGPIPE, so
    /// that a reader that is gone is an error of `write(2)`.
    package static func prepare() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = unsafe open("/dev/null", O_RDWR)  // the lowest number that is free
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes a text; returns an `errno(3)`, or nil.
    private static func write(_ text: String, to descriptor: CInt) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
                unsafe poll(&room, 1, -1)
            } else if count == 0 || errno != EINTR {
                return count == 0 ? EIO : errno
            }
        }
        return nil
    }
}
