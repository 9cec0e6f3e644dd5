import BlueZ
import Glibc
import Simulation

/// Who pairs the devices: the person at the terminal, and where there is none, one who agrees to everything.
actor Person {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// What the scenario has them enter.
    private let passkey: Int?
    private var question: (reads: @Sendable (String) -> PairingAgent.Answer?, reply: PairingAgent.Reply)?
    private var line: [UInt8] = []
    private var watch: EventLoop.Watch?
    private static let longestLine = 100

    init(passkey: Int?, on loop: EventLoop) { (self.passkey, self.loop) = (passkey, loop) }

    /// Says what bluetoothd wants, and answers it, now or when a line was typed.
    func asked(_ request: PairingAgent.Request, _ reply: @escaping PairingAgent.Reply) {
        switch request {
        case .justWorks(let peer):
            Console.complain("\(peer) pairs, and may: Just Works")
            reply(.yes)
        case .show(let peer, let digits):
            Console.complain("\(peer) pairs: enter \(digits) there")
            reply(.yes)
        case .compare(let peer, let digits) where Self.isAtTerminal:
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
            } else if Self.isAtTerminal {
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
    private static var isAtTerminal: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Only the last question counts, as bluetoothd has given up those before it.
    private func ask(
        _ text: String, _ reply: @escaping PairingAgent.Reply,
        reads: @escaping @Sendable (String) -> PairingAgent.Answer?
    ) {
        Console.complain(text)
        forget()
        question = (reads, reply)
        watch = loop.watch(STDIN_FILENO, for: .readable) { self.assumeIsolated { $0.readTyped() } }
    }

    private func forget() {
        question = nil
        line.removeAll()
        if let watch = watch.take() { loop.cancel(watch) }
    }

    private func readTyped() {
        var octets = [UInt8](repeating: 0, count: Self.longestLine)
        let count = unsafe read(STDIN_FILENO, &octets, octets.count)
        guard count > 0 else {
            question?.reply(.no)
            return forget()
        }
        for octet in octets.prefix(count) { typed(octet) }
    }

    private func typed(_ octet: UInt8) {
        guard octet == UInt8(ascii: "\n") || octet == UInt8(ascii: "\r") else {
            if line.count < Self.longestLine { line.append(octet) }
            return
        }
        let text = String(decoding: line, as: UTF8.self).lowercased()
        line.removeAll()
        guard let question, let answer = question.reads(text.filter { $0 != " " }) else { return }
        question.reply(answer)
        forget()
    }
}
