package import Basics
package import BlueZ

/// Answers bluetoothd's pairing requests: asks the operator, and if there is none, agrees to everything.
///
/// The session that reads the keys of the operator's terminal passes them on while `isAsking`.
package actor PairingOperator: LoopActor {
    package nonisolated let loop: EventLoop

    private let passkey: Int?
    private var question: (reads: @Sendable (String) -> PairingAgent.Answer?, reply: PairingAgent.Reply)?
    private var line: [UInt8] = []
    private static let maximumLine = 100

    /// Whether an answer can be typed.
    private let isAtTerminal: @Sendable () -> Bool

    /// Unless somebody `isAtTerminal`, the operator is not asked.
    package init(
        passkey: Int?, on loop: EventLoop, isAtTerminal: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.passkey, self.loop, self.isAtTerminal) = (passkey, loop, isAtTerminal)
    }

    /// Handles bluetoothd's requests, on the loop's thread.
    package nonisolated var handler: @Sendable (PairingAgent.Request, @escaping PairingAgent.Reply) -> Void {
        { request, reply in self.assumeIsolated { $0.asked(request, reply) } }
    }

    /// Answers a request, now or when a line has been typed.
    package func asked(_ request: PairingAgent.Request, _ reply: @escaping PairingAgent.Reply) {
        switch request {
        case .justWorks(let peer):
            Notices.inform("\(peer) pairs: accepted (Just Works)")
            reply(.yes)
        case .show(let peer, let digits):
            Notices.inform("\(peer) pairs: enter \(digits) on that device")
            reply(.yes)
        case .compare(let peer, let digits) where isAtTerminal():
            ask("\(peer) pairs: does it show \(digits)? yes or no", reply) { line in
                ["y", "yes"].contains(line) ? .yes : ["n", "no"].contains(line) ? .no : nil
            }
        case .compare(let peer, let digits):
            Notices.inform("\(peer) pairs: accepted without comparing \(digits), because there is no terminal")
            reply(.yes)
        case .enter(let peer):
            if let passkey {
                Notices.inform("\(peer) pairs: entered the scenario's passkey")
                reply(.digits(UInt32(passkey)))
            } else if isAtTerminal() {
                ask("\(peer) pairs: enter the six digits that it shows", reply) { line in
                    line.utf8.count == 6 ? UInt32(line).map(PairingAgent.Answer.digits) : nil
                }
            } else {
                Notices.inform(
                    "\(peer) pairs: refused, because the scenario has no security.passkey and there is no terminal")
                reply(.no)
            }
        case .cancel:
            guard question != nil else { return }
            Notices.inform("the pairing has ended")
            forget()
        }
    }

    /// Whether the next typed line is an answer.
    package var isAsking: Bool { question != nil }

    /// Asks a question; it replaces an earlier one, which bluetoothd has given up.
    private func ask(
        _ text: String, _ reply: @escaping PairingAgent.Reply,
        reads: @escaping @Sendable (String) -> PairingAgent.Answer?
    ) {
        Notices.inform(text)
        forget()
        question = (reads, reply)
    }

    private func forget() {
        question = nil
        line.removeAll()
    }

    package func inputEnded() {
        question?.reply(.no)
        forget()
    }

    /// Takes typed octets; the terminal does not echo them.
    package func typed(_ octets: [UInt8]) {
        for octet in octets { typed(octet) }
    }

    private func typed(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): answer()
        case 0x08, 0x7F: _ = line.popLast()
        default: if line.count < Self.maximumLine { line.append(octet) }
        }
    }

    private func answer() {
        let text = String(decoding: line, as: UTF8.self).lowercased().filter { $0 != " " }
        line.removeAll()
        guard let question else { return }
        guard let answer = question.reads(text) else {
            return Notices.inform("\(text.quoted) is not an answer; try again")
        }
        Notices.inform("answered: \(text)")
        question.reply(answer)
        forget()
    }
}
