import CommandSupport
import Glibc
import Synchronization

/// Lines of standard input that is no terminal, taken one by one by the cases that ask; of a long one the beginning.
final class OperatorLines: Sendable {
    private struct State {
        var cutter = LineCutter(longest: 4096)
        var lines: [[UInt8]] = []  // that have come, and are not taken
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether nothing comes any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded && $0.lines.isEmpty } }

    /// The next line, if it has come by now.
    func next() -> String? {
        state.withLock { state in
            while state.lines.isEmpty, Self.read(&state) {}
            return state.lines.isEmpty ? nil : String(decoding: state.lines.removeFirst(), as: UTF8.self)
        }
    }

    /// Reads what is there now; false when there is nothing.
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
