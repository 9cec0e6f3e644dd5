import Glibc
import Simulation

/// Somebody at a terminal, whatever is shown there: it is ours while we are in the foreground, and left as it was.
protocol TerminalSession: Actor {
    nonisolated var loop: EventLoop { get }
    var terminal: Terminal { get }
    var ending: Ending { get }
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
struct TerminalWatches {
    var keys: EventLoop.Watch?
    var news: EventLoop.Watch?
    var tick: EventLoop.ScheduledCall?
}

extension TerminalSession {
    /// Takes the terminal, now or when we come into the foreground.
    func start() {
        watches.news = terminal.signals.watch(on: loop) { number in
            self.assumeIsolated { $0.signal(number) }
        }
        goOn()
    }

    /// Leaves the terminal as it was.
    func stop() {
        leave()
        watches.news.map(loop.cancel)
        watches.news = nil
    }

    func leave() {
        rest()
        Console.show(last: nil)
        terminal.giveBack()
    }

    /// Heeds keys from now on.
    func watchKeys() {
        guard watches.keys == nil else { return }
        watches.keys = loop.watch(STDIN_FILENO, for: .readable) { self.assumeIsolated { $0.typed() } }
    }

    func forgetKeys() {
        watches.keys.map(loop.cancel)
        watches.keys = nil
    }

    /// Heeds no keys, and does not look again.
    func rest() {
        forgetKeys()
        watches.tick?.cancel()
        watches.tick = nil
    }

    private func signal(_ number: Int32) {
        switch number {
        case SIGTSTP:
            leave()
            terminal.signals.letHappen(number)  // we are stopped in here
            goOn()
        case SIGQUIT: ending.say(.signal(number))
        case SIGCONT: goOn()
        case SIGWINCH: resized()
        default: break
        }
    }
}
