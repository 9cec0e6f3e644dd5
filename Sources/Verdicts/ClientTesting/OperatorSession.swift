import CommandSupport
import Glibc
import ScenarioRuns
import Simulation
import Terminal

/// Reads an operator's answers from the terminal; the last line shows the question and the typed text.
actor OperatorSession: TerminalSession {
    private static let maximumLine = 1000

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
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
