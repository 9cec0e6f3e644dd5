import CommandSupport
import Glibc
import ScenarioRuns
import Simulation
import Synchronization
import Terminal

/// Reads an operator's answers from the terminal; the last line shows the question and the typed text.
actor OperatorSession: TerminalSession {
    private static let maximumLine = 1000

    package nonisolated let loop: EventLoop
    package let terminal: TerminalDevice
    package let completion: RunCompletion
    package var watches = TerminalWatches()
    private let take: @Sendable (String?) -> Void
    private var question = ""
    private var typing = Typing()

    /// `take` receives each line, and nil at the end of the input.
    init(
        _ terminal: TerminalDevice, on loop: EventLoop, _ completion: RunCompletion,
        take: @escaping @Sendable (String?) -> Void
    ) {
        (self.terminal, self.loop, self.completion, self.take) = (terminal, loop, completion, take)
    }

    /// Shows a question; none when it is empty.
    package func ask(_ question: String) {
        guard question != self.question else { return }
        self.question = question
        draw()
    }

    var isTyping: Bool { !typing.text.isEmpty }

    package func resume() {
        guard terminal.take() else { return leave() }
        watchKeys()
        draw()
    }

    package func resized() { draw() }

    package func typed() {
        guard terminal.isOurs, let octets = terminal.read() else {
            forgetKeys()
            return take(nil)
        }
        for octet in octets {
            switch typing.type(octet) {
            case .line(let line)?:
                Console.complain("\(question) \(line)".withoutMargin)
                take(line)
            case .end?: take(nil)
            case nil: break
            }
        }
        draw()
    }

    private func draw() {
        let text = "\(question) \(typing.text)".withoutMargin
        let room = terminal.size.columns - 1  // a character in the last column would wrap
        Console.show(last: question.isEmpty && typing.text.isEmpty ? nil : String(text.suffix(max(1, room))))
    }

    /// A line editor: backspace, Ctrl-U, and Ctrl-D for the end of the input.
    struct Typing {
        enum Typed: Equatable {
            case line(String)
            case end
        }

        private var octets: [UInt8] = []
        private var isEscaped = false

        package var text: String { String(decoding: octets, as: UTF8.self) }

        package mutating func type(_ octet: UInt8) -> Typed? {
            if isEscaped {  // an ECMA-48 control sequence starts with `[` or `O` and ends with a letter
                isEscaped = !(0x40...0x7E).contains(octet) || [0x4F, 0x5B].contains(octet)
                return nil
            }
            switch octet {
            case 0x0A, 0x0D:
                defer { octets.removeAll() }
                return .line(text)
            case 0x04: return octets.isEmpty ? .end : nil
            case 0x15: octets.removeAll()
            case 0x08, 0x7F:
                while let last = octets.popLast(), last & 0xC0 == 0x80 {}
            case 0x1B: isEscaped = true
            case 0x00..<0x20: break
            default: if octets.count < OperatorSession.maximumLine { octets.append(octet) }
            }
            return nil
        }
    }
}

extension String {
    fileprivate var withoutMargin: String { first == " " ? String(dropFirst()) : self }
}

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
