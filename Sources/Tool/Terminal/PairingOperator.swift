package import BlueZ
import CommandSupport
package import Simulation
import Spelling

/// Who pairs the devices: the person at the terminal, and where there is none, one who agrees to everything.
///
/// What is typed comes from who reads the terminal's keys, as long as something is asked.
package actor PairingOperator {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// What the scenario has them enter.
    private let passkey: Int?
    private var question: (reads: @Sendable (String) -> PairingAgent.Answer?, reply: PairingAgent.Reply)?
    private var line: [UInt8] = []
    private static let longestLine = 100

    private let terminal: TerminalDevice?

    /// Nobody is asked without a terminal.
    package init(passkey: Int?, at terminal: TerminalDevice?, on loop: EventLoop) {
        (self.passkey, self.terminal, self.loop) = (passkey, terminal, loop)
    }

    /// Passes on what bluetoothd asks, on the loop's thread.
    package nonisolated var handler: @Sendable (PairingAgent.Request, @escaping PairingAgent.Reply) -> Void {
        { request, reply in self.assumeIsolated { $0.asked(request, reply) } }
    }

    /// Says what bluetoothd wants, and answers it, now or when a line was typed.
    package func asked(_ request: PairingAgent.Request, _ reply: @escaping PairingAgent.Reply) {
        switch request {
        case .justWorks(let peer):
            Console.complain("\(peer) pairs, and may: Just Works")
            reply(.yes)
        case .show(let peer, let digits):
            Console.complain("\(peer) pairs: enter \(digits) there")
            reply(.yes)
        case .compare(let peer, let digits) where isAtTerminal:
            ask("\(peer) pairs: does it show \(digits)? yes or no", reply) { line in
                ["y", "yes"].contains(line) ? .yes : ["n", "no"].contains(line) ? .no : nil
            }
        case .compare(let peer, let digits):
            Console.complain("\(peer) pairs, and may: \(digits) is not compared, as nobody is at a terminal")
            reply(.yes)
        case .enter(let peer):
            if let passkey {
                Console.complain("\(peer) pairs: the passkey of the scenario is entered")
                reply(.digits(UInt32(passkey)))
            } else if isAtTerminal {
                ask("\(peer) pairs: which six digits does it show?", reply) { line in
                    line.utf8.count == 6 ? UInt32(line).map(PairingAgent.Answer.digits) : nil
                }
            } else {
                Console.complain("\(peer) may not pair: its digits are in no security.passkey, and nobody is asked")
                reply(.no)
            }
        case .cancel:
            guard question != nil else { return }
            Console.complain("never mind: the pairing has ended")
            forget()
        }
    }

    /// Whether somebody can type an answer: a program in the background must not read.
    private var isAtTerminal: Bool { terminal?.isOurs ?? false }

    /// Whether the next line that is typed is an answer.
    package var isAsking: Bool { question != nil }

    /// Only the last question counts, as bluetoothd has given up those before it.
    private func ask(
        _ text: String, _ reply: @escaping PairingAgent.Reply,
        reads: @escaping @Sendable (String) -> PairingAgent.Answer?
    ) {
        Console.complain(text)
        forget()
        question = (reads, reply)
    }

    private func forget() {
        question = nil
        line.removeAll()
    }

    /// Nobody will type anything any more.
    package func hasLeft() {
        question?.reply(.no)
        forget()
    }

    /// Takes what was typed, which the terminal does not show by itself.
    package func typed(_ octets: [UInt8]) {
        for octet in octets { typed(octet) }
    }

    private func typed(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): answer()
        case 0x08, 0x7F: _ = line.popLast()
        default: if line.count < Self.longestLine { line.append(octet) }
        }
    }

    private func answer() {
        let text = String(decoding: line, as: UTF8.self).lowercased().filter { $0 != " " }
        line.removeAll()
        guard let question else { return }
        guard let answer = question.reads(text) else {
            return Console.complain("\(text.quoted) is no answer; once more")
        }
        Console.complain("answered: \(text)")
        question.reply(answer)
        forget()
    }
}
