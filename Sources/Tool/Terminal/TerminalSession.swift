package import CommandSupport
import Glibc
package import Simulation

/// A session that uses the terminal while the process is in the foreground, and restores it otherwise.
package protocol TerminalSession: LoopActor {
    var terminal: TerminalDevice { get }
    var completion: RunCompletion { get }
    var watches: TerminalWatches { get set }

    /// Takes the terminal and draws, if the process is in the foreground.
    func resume()
    /// Erases its output, and restores the terminal.
    func leave()
    func resized()
    /// Keys can be read, or the input has ended.
    func typed()
}

/// The events that a session waits for.
package struct TerminalWatches {
    package var keys: EventLoop.Watch?
    package var signals: EventLoop.Watch?
    package var tick: EventLoop.ScheduledCall?

    package init() {}
}

extension TerminalSession {
    /// Takes the terminal, now or when the process comes to the foreground.
    package func start() {
        watches.signals = terminal.signals.watch(on: loop) { number in
            self.assumeIsolated { $0.signal(number) }
        }
        resume()
    }

    package func stop() {
        leave()
        watches.signals.map(loop.cancel)
        watches.signals = nil
    }

    package func leave() {
        rest()
        Console.show(last: nil)
        terminal.giveBack()
    }

    package func watchKeys() {
        guard watches.keys == nil else { return }
        watches.keys = loop.watch(STDIN_FILENO, for: .readable) { self.assumeIsolated { $0.typed() } }
    }

    package func forgetKeys() {
        watches.keys.map(loop.cancel)
        watches.keys = nil
    }

    /// Stops watching keys and drawing.
    package func rest() {
        forgetKeys()
        watches.tick?.cancel()
        watches.tick = nil
    }

    private func signal(_ number: Int32) {
        switch number {
        case SIGTSTP:
            leave()
            terminal.signals.performDefaultAction(of: number)  // the process stops here
            resume()
        case SIGQUIT: completion.finish(.signal(number))
        case SIGCONT: resume()
        case SIGWINCH: resized()
        default: break
        }
    }
}
