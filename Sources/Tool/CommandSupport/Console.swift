package import Basics
import Glibc
import Linux
import Synchronization

/// Results go to standard output, messages to standard error; lines are not buffered.
///
/// Results wait for their reader. So do messages, except between `queueMessages` and `endQueue`.
package enum Console {
    private struct State {
        var results = OutputDescriptor(sharing: STDOUT_FILENO)
        var messages = OutputDescriptor(sharing: STDERR_FILENO)
        var isDiverted = false
        var failure: Int32?
        var hasMessageReader = true
        var last = LastLine()
        var queue: MessageQueue?

        mutating func print(_ line: TerminalLine) {
            guard !isDiverted else { return complain(line) }
            report(last.erase())
            write(Array("\(line.description)\n".utf8))
            report(last.draw())
        }

        mutating func write(_ octets: [UInt8]) {
            guard failure != EINTR else { return }
            if let code = results.write(octets[...]) { failure = failure ?? code }
        }

        mutating func complain(_ line: TerminalLine) { report("\(last.erase())\(line.description)\n\(last.draw())") }

        mutating func report(_ text: String) {
            let octets = Array(text.utf8)
            guard !octets.isEmpty, hasMessageReader else { return }
            if queue != nil {
                queue?.add(octets, to: messages)
            } else {
                hasMessageReader = messages.write(octets[...]) != EINTR
            }
        }
    }

    /// A class, because Swift 6.3 with `-O` initializes a static mutex of this state with zeros.
    private final class Shared: Sendable { let state = Mutex(State()) }

    private static let shared = Shared()

    package static func print(_ line: TerminalLine) { shared.state.withLock { $0.print(line) } }

    /// Prints the lines of a text of ours, such as a help text: a line feed in a text from outside could forge a line.
    package static func print(linesOf text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { print("\(line)") }
    }

    /// Writes octets to standard output as they are, for another program.
    package static func write(_ octets: [UInt8]) { shared.state.withLock { $0.write(octets) } }

    /// Prints a line to standard error.
    package static func complain(_ line: TerminalLine) { shared.state.withLock { $0.complain(line) } }

    /// Prints a warning or an error to standard error, after the program's name.
    package static func warn(_ message: TerminalLine) { complain("lubdub: \(message)") }

    /// Messages no longer wait for a reader of standard error: they are queued, and written when the loop finds room.
    package static func queueMessages(on loop: EventLoop) {
        shared.state.withLock { state in
            state.queue = MessageQueue(on: loop, watching: state.messages.number) {
                shared.state.withLock { state in state.queue?.write(to: state.messages) }
            }
        }
    }

    /// Messages wait for their reader again. If nobody reads the queued ones, these and further ones are lost.
    package static func endQueue() {
        shared.state.withLock { state in
            if let isRead = state.queue?.finish(to: state.messages) { state.hasMessageReader = isRead }
            state.queue = nil
        }
    }

    /// Shows a status line below all others, on a terminal at standard error; nil removes it.
    ///
    /// While the terminal accepts no output, the line is skipped, so that nothing waits for it.
    package static func show(last line: TerminalLine?) {
        shared.state.withLock { state in
            let hasRoom = OutputDescriptor.hasRoom(state.messages.number)
            guard hasRoom || line == nil else { return }
            let text = state.last.show(line?.description)
            if hasRoom { state.report(text) }
        }
    }

    /// Writes a screen's control sequences to standard output, and ignores errors.
    package static func draw(_ text: String) {
        _ = shared.state.withLock { $0.results }.write(Array(text.utf8)[...])
    }

    /// Sends results to standard error, because standard output is used for something else.
    package static func divert() { shared.state.withLock { $0.isDiverted = true } }

    /// The width of the terminal of a descriptor; nil without one.
    package static func columns(of descriptor: CInt) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The descriptor of results.
    package static var descriptor: CInt {
        shared.state.withLock { $0.isDiverted ? $0.messages.number : $0.results.number }
    }

    /// The `errno(3)` of the first failed write of a result; `EPIPE` when the reader is gone, `EINTR` when it did not read
    /// before the program had to end.
    package static var failure: Int32? { shared.state.withLock { $0.failure } }

    /// Why a command need not go on: nobody reads its results any more; nil while somebody may.
    package static var interruption: ExitCode? { failure == EPIPE ? .signal(SIGPIPE) : nil }

    /// Opens descriptors 0 to 2 if they are closed, so that no file or socket gets their numbers, and ignores SIGPIPE
    /// and SIGXFSZ, so that a reader that is gone, and a file that may not grow, are errors of `write(2)`. So is writing a
    /// result to a closed standard output: `EBADF`.
    package static func prepare() {
        for (descriptor, access) in [(STDIN_FILENO, O_RDWR), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR)]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            _ = unsafe open("/dev/null", access)  // the lowest number that is free
        }
        for number in Launch.ignoredSignals { signal(number, SIG_IGN) }
    }

    /// From now on, notices are messages.
    package static func showNotices() {
        Notices.pass { notice in
            switch notice {
            case .warning(let text): warn("\(text)")
            case .information(let text): complain("\(text)")
            }
        }
    }
}
