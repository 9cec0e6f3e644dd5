package import Arguments
import Glibc

/// Colours, for people who read on a terminal.
package struct Paint: Sendable {
    /// What a text is; the raw value is what `ESC [ … m` says for it: ECMA-48, section 8.3.117.
    package enum Style: String, Sendable {
        case heading = "1;35"
        case heart = "1;31"
        case packet = "36"
        case quiet = "2"
        case state = "1"
        case warning = "33"
    }

    /// Whether there are any.
    package let isOn: Bool

    /// With `auto`, where `descriptor` is a terminal that can show them, and `NO_COLOR` does not forbid it.
    package init(_ invocation: Invocation, for descriptor: CInt) throws(CommandFailure) {
        do throws(UsageError) {
            switch try invocation.choice("--color", of: ["auto", "always", "never"]) {
            case "always": isOn = true
            case "never": isOn = false
            default:
                isOn = isatty(descriptor) == 1 && Self.variable("NO_COLOR").isEmpty && Self.canErase
            }
        } catch { throw CommandFailure(.usage, "\(error)") }
    }

    package init(isOn: Bool) { self.isOn = isOn }

    /// Whether a terminal of ours understands control sequences.
    package static var canErase: Bool { !["", "dumb"].contains(variable("TERM")) }

    /// Of the environment; empty when it is not set.
    package static func variable(_ name: String) -> String {
        guard let value = unsafe getenv(name) else { return "" }
        return unsafe String(cString: value)
    }

    /// The text, dressed.
    package func callAsFunction(_ text: some StringProtocol, _ style: Style) -> String {
        isOn ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : String(text)
    }
}

/// Whether colours are used.
package let colorOption = Arguments.Grammar.Option.option(
    "--color", "WHEN", "auto (default: on a terminal), always or never")
