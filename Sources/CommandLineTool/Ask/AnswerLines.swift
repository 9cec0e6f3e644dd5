import Glibc
import Synchronization

/// Lines of standard input that is no terminal, taken one by one by the cases that ask.
final class AnswerLines: Sendable {
    private struct State {
        var octets: [UInt8] = []
        var hasEnded = false
        var isTooLong = false  // what is read belongs to a line that was cut
    }

    private static let longestLine = 4096
    private let state = Mutex(State())

    /// Whether nothing comes any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded && $0.octets.isEmpty } }

    /// The next line, as far as it has come by now; it is cut where it is too long.
    func next() -> String? {
        state.withLock { state in
            while true {
                if let end = state.octets.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { state.octets.removeSubrange(...end) }
                    if state.isTooLong {
                        state.isTooLong = false
                        continue
                    }
                    return String(decoding: state.octets[..<end].prefix(Self.longestLine), as: UTF8.self)
                }
                if state.hasEnded || state.octets.count > Self.longestLine {
                    defer { state.octets.removeAll() }
                    guard !state.octets.isEmpty else { return nil }
                    let isRest = state.isTooLong
                    state.isTooLong = !state.hasEnded
                    guard !isRest else { continue }
                    return String(decoding: state.octets.prefix(Self.longestLine), as: UTF8.self)
                }
                guard Self.read(&state) else { return nil }
            }
        }
    }

    /// Reads what is there now; false when there is nothing.
    private static func read(_ state: inout State) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: CShort(POLLIN), revents: 0)
        guard unsafe poll(&input, 1, 0) == 1 else { return false }
        var buffer = [UInt8](repeating: 0, count: longestLine)
        let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
            state.octets += buffer[..<count]
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
            state.hasEnded = true
        }
        return true
    }
}
