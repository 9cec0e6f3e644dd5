package import Basics
import CommandSupport
import Glibc

/// Asks on the terminal for the passkey that a device displays.
///
/// The terminal edits the line, so that Ctrl-C ends the program as usual.
package actor PasskeyPrompt: LoopActor {
    package typealias Answer = @Sendable (UInt32?) -> Void

    package nonisolated let loop: EventLoop
    private var question: (text: TerminalLine, answer: Answer)?
    private var watch: EventLoop.Watch?
    private var tick: EventLoop.ScheduledCall?
    private static let period = Duration.milliseconds(200)

    /// nil if there is no terminal.
    package init?(on loop: EventLoop) {
        guard [STDIN_FILENO, STDERR_FILENO].allSatisfy({ isatty($0) == 1 }) else { return nil }
        self.loop = loop
    }

    /// Asks, and passes on the answer; nil if the user gives none, or the process is in the background.
    package func ask(about device: String, _ answer: @escaping Answer) {
        cancel()
        guard isInForeground else { return answer(nil) }
        tcflush(STDIN_FILENO, TCIFLUSH)
        question = ("Passkey that \(device) displays: ", answer)
        watch = loop.watch(STDIN_FILENO, for: .readable) { self.assumeIsolated { $0.typed() } }
        if Paint.canErase { show() } else { question.map { Console.complain($0.text) } }
    }

    /// Withdraws the question; the answer is nil.
    package func cancel() {
        if question != nil { end(nil) }
    }

    /// A background process must not read, since that would stop it.
    private var isInForeground: Bool { TerminalDevice.isOurs(STDIN_FILENO) }

    /// Shows the question below what is printed meanwhile.
    private func show() {
        guard let question else { return }
        Console.show(last: question.text)
        tick = loop.call(at: loop.now.advanced(by: Self.period)) { self.assumeIsolated { $0.show() } }
    }

    private func typed() {
        guard isInForeground else { return end(nil) }
        var octets = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(STDIN_FILENO, &octets, octets.count)
        guard count > 0 else {
            if count == 0 || errno != EINTR && errno != EAGAIN { end(nil) }
            return
        }
        let line = String(decoding: octets[..<count], as: UTF8.self).filter { !$0.isWhitespace }
        guard line.utf8.count == 6, !line.hasPrefix("+"), let passkey = UInt32(line) else {
            return Console.complain("\(line.quoted) is not a passkey, which has six digits; try again")
        }
        end(passkey)
    }

    private func end(_ passkey: UInt32?) {
        guard let answer = question?.answer else { return }
        question = nil
        watch.map(loop.cancel)
        tick?.cancel()
        (watch, tick) = (nil, nil)
        if Paint.canErase { Console.show(last: nil) }
        answer(passkey)
    }
}
