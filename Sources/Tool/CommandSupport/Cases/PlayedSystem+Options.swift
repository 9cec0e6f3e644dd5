package import Basics
package import Cases

extension PlayedSystem {
    /// The option `--system`; `condition` begins its text.
    package static func option(_ condition: String = "") -> CommandGrammar.Option {
        let play = condition.isEmpty ? "Play" : "play"
        return .option(
            "--system", "bluez[:unix:PATH]", of: .address,
            "\(condition)\(play) bluetoothd 5.66 on a message bus of this program, for programs that use BlueZ: they find the\n"
                + "bus by DBUS_SYSTEM_BUS_ADDRESS")
    }

    /// Reads `--system`; nil without the option.
    package init?(_ invocation: Invocation) throws(Obstacle) {
        guard let text = invocation.text("--system") else { return nil }
        try self.init(text)
    }
}
