import CommandSupport
import Glibc
import ScenarioRuns
import Simulation
import Terminal

/// A person at the terminal, who types answers: the question stays in the last line, and what is typed behind it.
actor OperatorSession: TerminalSession {
    private static let longestLine = 1000

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    let terminal: TerminalDevice
    let completion: RunCompletion
    var watches = TerminalWatches()
    private let take: @Sendable (String?) -> Void
    private var question = ""
    private var typing = Typing()

    /// `take` gets each line that is typed, and nil when there will be no more.
    init(
        _ terminal: TerminalDevice, on loop: EventLoop, _ completion: RunCompletion,
        take: @escaping @Sendable (String?) -> Void
    ) {
        (self.terminal, self.loop, self.completion, self.take) = (terminal, loop, completion, take)
    }

    /// From now on this is asked; nothing when it is empty.
    func ask(_ question: String) {
        guard question != self.question else { return }
        self.question = question
        draw()
    }

    /// Whether an answer has been begun.
    var isTyping: Bool { !typing.text.isEmpty }

    func goOn() {
        guard terminal.take() else { return leave() }
        watchKeys()
        draw()
    }

    func resized() { draw() }

    func typed() {
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
        let room = terminal.size.columns - 1  // the last column would begin another line
        Console.show(last: question.isEmpty && typing.text.isEmpty ? nil : String(text.suffix(max(1, room))))
    }

    /// A line while it is typed: what can be seen is added, backspace and Ctrl-U take it back, Ctrl-D ends.
    struct Typing {
        enum Typed: Equatable {
            case line(String)
            case end
        }

        private var octets: [UInt8] = []
        private var isEscaped = false

        var text: String { String(decoding: octets, as: UTF8.self) }

        /// Takes what a key sends.
        mutating func type(_ octet: UInt8) -> Typed? {
            if isEscaped {  // a control sequence, ECMA-48, ends with a letter; `[` and `O` begin it
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
            default: if octets.count < OperatorSession.longestLine { octets.append(octet) }
            }
            return nil
        }
    }
}

extension String {
    fileprivate var withoutMargin: String { first == " " ? String(dropFirst()) : self }
}
