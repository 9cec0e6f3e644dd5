import CommandSupport
import Glibc
import Synchronization

/// The lines of a standard input that is not a terminal, for the cases that ask; long lines are truncated.
final class OperatorLines: Sendable {
    private struct State {
        var cutter = LineCutter(longest: 4096)
        package var lines: [[UInt8]] = []  // not taken yet
        package var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether the input has ended and all lines are taken.
    package var hasEnded: Bool { state.withLock { $0.hasEnded && $0.lines.isEmpty } }

    /// The next line; nil when none is available now.
    package func next() -> String? {
        state.withLock { state in
            while state.lines.isEmpty, Self.read(&state) {}
            return state.lines.isEmpty ? nil : String(decoding: state.lines.removeFirst(), as: UTF8.self)
        }
    }

    /// Reads without waiting; returns false when nothing is available.
    private static func read(_ state: inout State) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: CShort(POLLIN), revents: 0)
        guard !state.hasEnded, unsafe poll(&input, 1, 0) == 1 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
            state.lines += state.cutter.take(buffer[..<count])
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
            state.hasEnded = true
            let rest = state.cutter.finish()
            if !rest.isEmpty { state.lines.append(rest) }
        }
        return true
    }
}
