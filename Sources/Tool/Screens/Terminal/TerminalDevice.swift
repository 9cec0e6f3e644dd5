import CommandSupport
import Glibc
package import Linux
import Synchronization

/// The terminal: unbuffered keys while it is taken, and restored modes afterwards.
///
/// Keys that make signals still make them.  A background process neither reads nor changes the terminal: that would stop
/// the process, or change the modes of the shell.
package final class TerminalDevice: Sendable {
    private struct State {
        package var original: termios?  // the modes to restore
        package var isTaken = false
    }

    /// SIGTSTP, SIGCONT, SIGWINCH and SIGQUIT.
    package let signals: Signals
    private let output: CInt
    private let state = Mutex(State())

    /// Nil when `output` is not a terminal.
    package init?(on output: CInt) {
        guard isatty(output) == 1 else { return nil }
        self.output = output
        signals = Signals([SIGTSTP, SIGCONT, SIGWINCH, SIGQUIT])
    }

    /// Whether this process is in the foreground.  A terminal that does not control the session has no foreground.
    package var isOurs: Bool { [STDIN_FILENO, output].allSatisfy(Self.isOurs) }

    static func isOurs(_ descriptor: CInt) -> Bool {
        let foreground = tcgetpgrp(descriptor)
        return foreground < 0 || foreground == getpgrp()
    }

    /// The size in characters; 80 × 24 when it is unknown.
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Waits up to `milliseconds` until it accepts output, which it does not while it is paused.
    package func hasRoom(within milliseconds: CInt = 0) -> Bool {
        OutputDescriptor.hasRoom(output, within: milliseconds)
    }

    /// Switches to unbuffered keys without echo. Returns false when that is not possible.
    package func take() -> Bool {
        guard isOurs else { return false }
        return state.withLock { state in
            var modes = termios()
            guard unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return false }
            // A shell may restore this process's modes when it resumes it.
            if state.original == nil || modes.c_lflag & tcflag_t(ICANON) != 0 { state.original = modes }
            modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
            unsafe withUnsafeMutableBytes(of: &modes.c_cc) { characters in
                unsafe characters[Int(VMIN)] = 0  // reads do not wait
                unsafe characters[Int(VTIME)] = 0
            }
            state.isTaken = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0
            return state.isTaken
        }
    }

    /// Restores the modes before `take`.
    package func giveBack() {
        state.withLock { state in
            guard state.isTaken, var modes = state.original else { return }
            state.isTaken = false
            if isOurs { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes) }
        }
    }

    /// The typed octets, without waiting; nil at the end of the input.
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

/// The settings of the user's locale.
enum Locale {
    /// Whether the character encoding is UTF-8, by `LC_ALL`, else `LC_CTYPE`, else `LANG`: locale(7).
    static var isUTF8: Bool {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.map(environmentVariable).first { !$0.isEmpty } ?? ""
        let charset = name.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
        return ["utf-8", "utf8"].contains(charset.lowercased())
    }

    /// Today in local time; the first day when there is no clock.
    static var today: CalendarDay {
        var now = time(nil)
        var local = unsafe tm()
        unsafe localtime_r(&now, &local)
        let (year, month, day) = unsafe (local.tm_year, local.tm_mon, local.tm_mday)
        return CalendarDay(year: Int(year) + 1900, month: Int(month) + 1, day: Int(day)) ?? .first
    }
}
