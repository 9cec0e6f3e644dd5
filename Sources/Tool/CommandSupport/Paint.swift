package import Basics
import Glibc

/// Colours of terminal output.
package struct Paint: Sendable {
    /// The role of a text; the raw value is the parameter of SGR: ECMA-48, section 8.3.117.
    package enum Style: String, Sendable {
        case failure = "31"
        case heading = "1;35"
        case heart = "1;31"
        case packet = "36"
        case quiet = "2"
        case state = "1"
        case success = "32"
        case warning = "33"
    }

    package let isOn: Bool

    /// Reads `--color`; `auto` uses colours when `descriptor` is a capable terminal and `NO_COLOR` is not set.
    package init(_ invocation: Invocation, for descriptor: CInt) throws(Obstacle) {
        let choice = try orFail { try invocation.choice("--color", of: ["auto", "always", "never"]) }
        switch choice {
        case "always": isOn = true
        case "never": isOn = false
        default: isOn = isatty(descriptor) == 1 && environmentVariable("NO_COLOR").isEmpty && Self.canErase
        }
    }

    package init(isOn: Bool) { self.isOn = isOn }

    /// Whether the terminal understands control sequences.
    package static var canErase: Bool { !["", "dumb"].contains(environmentVariable("TERM")) }

    package func callAsFunction(_ text: some StringProtocol, _ style: Style) -> TerminalLine {
        TerminalLine(text, isOn ? style : nil)
    }
}

package let colorOption = CommandGrammar.Option.option(
    "--color", "WHEN", of: .words(["auto", "always", "never"]),
    "Use colours: auto (default: on a terminal), always or never")

/// An environment variable; empty when it is not set.
package func environmentVariable(_ name: String) -> String {
    guard let value = unsafe getenv(name) else { return "" }
    return unsafe String(cString: value)
}
