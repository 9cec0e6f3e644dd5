package import CommandSupport
import Glibc
import Synchronization

/// A terminal that shows what we write; it gives every key at once while it is `taken`, and is left as it was.
///
/// Keys that make signals go on to make them.  A terminal belongs to the processes of its foreground: in the background
/// it is neither read nor changed, since that would stop us, or change what a shell reads its lines with.
package final class TerminalDevice: Sendable {
    private struct State {
        package var original: termios?  // what it is given back with
        package var isTaken = false
    }

    /// What it tells by signals: that we are stopped or went on, that its size is another one, that we are to break off.
    package let signals: Signals
    private let output: CInt
    private let state = Mutex(State())

    /// Nil when nobody can see what is written to `output`, as it is no terminal.
    package init?(on output: CInt) {
        guard isatty(output) == 1 else { return nil }
        self.output = output
        signals = Signals([SIGTSTP, SIGCONT, SIGWINCH, SIGQUIT])
    }

    /// Whether we may use it.  One that does not control our session belongs to nobody's foreground.
    package var isOurs: Bool {
        [STDIN_FILENO, output].allSatisfy { descriptor in
            let foreground = tcgetpgrp(descriptor)
            return foreground < 0 || foreground == getpgrp()
        }
    }

    /// How many characters stand beside and below each other; 80 and 24 if it does not say.
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Whether it takes something, now or after so many milliseconds: one that somebody has halted does not.
    package func hasRoom(within milliseconds: CInt = 0) -> Bool { Console.hasRoom(output, within: milliseconds) }

    /// Gives keys at once and without an echo; false when it cannot or may not, or nobody types.
    package func take() -> Bool {
        guard isOurs else { return false }
        return state.withLock { state in
            var modes = termios()
            guard unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return false }
            // A shell may bring back our own modes when it brings us back.
            if state.original == nil || modes.c_lflag & tcflag_t(ICANON) != 0 { state.original = modes }
            modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
            unsafe withUnsafeMutableBytes(of: &modes.c_cc) { characters in
                unsafe characters[Int(VMIN)] = 0  // a read waits for nothing
                unsafe characters[Int(VTIME)] = 0
            }
            state.isTaken = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0
            return state.isTaken
        }
    }

    /// Is as it was before `take`.
    package func giveBack() {
        state.withLock { state in
            guard state.isTaken, var modes = state.original else { return }
            state.isTaken = false
            if isOurs { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes) }
        }
    }

    /// What was typed, at once; nil when nothing will be any more.
    package func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        guard count <= 0 else { return Array(buffer[..<count]) }
        guard count == 0 || errno == EINTR || errno == EAGAIN else { return nil }
        var end = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
        unsafe poll(&end, 1, 0)
        return CInt(end.revents) & (POLLHUP | POLLERR | POLLNVAL) == 0 ? [] : nil
    }
}
