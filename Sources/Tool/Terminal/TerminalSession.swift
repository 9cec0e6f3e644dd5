package import CommandSupport
import Glibc
package import Simulation

/// Somebody at a terminal, whatever is shown there: it is ours while we are in the foreground, and left as it was.
package protocol TerminalSession: Actor {
    nonisolated var loop: EventLoop { get }
    var terminal: TerminalDevice { get }
    var completion: RunCompletion { get }
    var watches: TerminalWatches { get set }

    /// Takes the terminal and shows what is to be seen, if we are in the foreground.
    func goOn()
    /// Takes off what is shown, and gives the terminal back.
    func leave()
    /// The terminal has another size.
    func resized()
    /// There are keys to be read, or never again.
    func typed()
}

/// What a session waits for.
package struct TerminalWatches {
    package var keys: EventLoop.Watch?
    package var news: EventLoop.Watch?
    package var tick: EventLoop.Appointment?

    package init() {}
}

extension TerminalSession {
    /// Takes the terminal, now or when we come into the foreground.
    package func start() {
        watches.news = terminal.signals.watch(on: loop) { number in
            self.assumeIsolated { $0.signal(number) }
        }
        goOn()
    }

    /// Leaves the terminal as it was.
    package func stop() {
        leave()
        watches.news.map(loop.cancel)
        watches.news = nil
    }

    package func leave() {
        rest()
        Console.show(last: nil)
        terminal.giveBack()
    }

    /// Heeds keys from now on.
    package func watchKeys() {
        guard watches.keys == nil else { return }
        watches.keys = loop.watch(STDIN_FILENO, for: .readable) { self.assumeIsolated { $0.typed() } }
    }

    package func forgetKeys() {
        watches.keys.map(loop.cancel)
        watches.keys = nil
    }

    /// Heeds no keys, and does not look again.
    package func rest() {
        forgetKeys()
        watches.tick?.cancel()
        watches.tick = nil
    }

    private func signal(_ number: Int32) {
        switch number {
        case SIGTSTP:
            leave()
            terminal.signals.performDefaultAction(of: number)  // we are stopped in here
            goOn()
        case SIGQUIT: completion.finish(.signal(number))
        case SIGCONT: goOn()
        case SIGWINCH: resized()
        default: break
        }
    }
}
