import Glibc
import Synchronization

/// Standard output carries results, standard error messages; each line goes out at once.
package enum Console {
    private struct State {
        package var results = STDOUT_FILENO
        package var failure: Int32?
        package var last = LastLine()

        /// Writes a line above the last one.
        package mutating func write(_ line: String, to descriptor: CInt) -> Int32? {
            _ = Console.write(last.erase(), to: STDERR_FILENO)
            let failure = Console.write(line + "\n", to: descriptor)
            _ = Console.write(last.draw(), to: STDERR_FILENO)
            return failure
        }
    }

    /// Behind a reference: of a static mutex of such a state, Swift 6.3 with `-O` makes one that is all zeros.
    private final class Shared: Sendable { let state = Mutex(State()) }

    private static let shared = Shared()

    /// A line of results.
    package static func print(_ line: String) {
        shared.state.withLock { state in
            guard let code = state.write(line, to: state.results), state.results == STDOUT_FILENO else { return }
            state.failure = state.failure ?? code
        }
    }

    /// A line for the person who typed the command.
    package static func complain(_ line: String) { _ = shared.state.withLock { $0.write(line, to: STDERR_FILENO) } }

    /// Prints a warning or an error to standard error, after the program's name.
    package static func warn(_ message: String) { complain("lubdub: \(message)") }

    /// Keeps a line below all others, on a terminal that is standard error; nil: no more.
    ///
    /// It is left out while the terminal takes nothing, so that nobody waits for it.
    package static func show(last line: String?) {
        let hasRoom = hasRoom(STDERR_FILENO)
        guard hasRoom || line == nil else { return }
        shared.state.withLock { state in
            let text = state.last.show(line)
            if hasRoom { _ = write(text, to: STDERR_FILENO) }
        }
    }

    /// Writes to standard output what a screen is drawn with; that it is gone, others notice.
    package static func draw(_ text: String) { _ = write(text, to: STDOUT_FILENO) }

    /// Whether something can be written, or the writing fails, at once or after so many milliseconds.
    package static func hasRoom(_ descriptor: CInt, within milliseconds: CInt = 0) -> Bool {
        var room = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
        return unsafe poll(&room, 1, milliseconds) == 1
    }

    /// From now on lines of results go to standard error, as something else is written to standard output.
    package static func divert() { shared.state.withLock { $0.results = STDERR_FILENO } }

    /// Where lines of results go.
    package static var descriptor: CInt { shared.state.withLock { $0.results } }

    /// Why lines of results cannot be written any more, by the number that `errno(3)` explains; `EPIPE` when the
    /// reader has gone.
    package static var failure: Int32? { shared.state.withLock { $0.failure } }

    /// Makes sure that descriptors 0 to 2 are open, so that no log or socket gets one of these numbers, and that a
    /// reader who goes away is an error of `write(2)` and not a signal.
    package static func prepare() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = unsafe open("/dev/null", O_RDWR)  // the lowest number that is free
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Why it could not be written, or nil.
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
