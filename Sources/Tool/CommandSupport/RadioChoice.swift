package import Arguments
package import Sockets
import Spelling

/// What `--radio` can name for a central.
package let radioOption = Arguments.Grammar.Option.option(
    "--radio", "RADIO",
    "what to hear with: bluez[:hci0] for this machine's Bluetooth; or a controller:\nhci:tcp:HOST:PORT or hci:unix:PATH"
)

/// What a central hears with.
package enum RadioChoice: CustomStringConvertible {
    /// A controller at the other end of a stream.
    case controller(StreamAddress)
    /// This machine's Bluetooth, by bluetoothd; the first adapter, if none is named.
    case bluez(adapter: String?)

    /// What `--radio` names: `bluez`, `bluez:hci0`, `hci:tcp:HOST:PORT` or `hci:unix:PATH`.
    package init(_ text: String) throws(CommandFailure) {
        guard isBlueZ(text) else {
            self = .controller(try controllerAddress(of: text))
            return
        }
        let name = text.dropFirst("bluez:".count)
        guard text == "bluez" || isAdapter(name) else {
            throw CommandFailure(
                .usage, "--radio \(text.quoted) names no adapter: a central has one, as in bluez:hci0")
        }
        self = .bluez(adapter: name.isEmpty ? nil : String(name))
    }

    /// As `--radio` has it, but for the `hci:` of a controller.
    package var description: String {
        switch self {
        case .controller(let address): "\(address)"
        case .bluez(let adapter): adapter.map { "bluez:\($0)" } ?? "bluez"
        }
    }
}

/// The radio that `--radio` names.
package func radio(_ invocation: Invocation) throws(CommandFailure) -> RadioChoice {
    guard let text = invocation.text("--radio") else {
        throw CommandFailure(
            .usage,
            "there is nothing to hear without --radio; after `lubdub serve`, --radio hci:tcp:127.0.0.1:6402; "
                + "with this machine's Bluetooth, --radio bluez")
    }
    return try RadioChoice(text)
}

/// Whether a radio is this machine's Bluetooth, by bluetoothd.
package func isBlueZ(_ radio: String) -> Bool { radio == "bluez" || radio.hasPrefix("bluez:") }

/// Whether this can be the name of an adapter: `hci0`.
package func isAdapter(_ name: Substring) -> Bool { name.hasPrefix("hci") && Int(name.dropFirst(3)) != nil }

/// The address in `hci:tcp:HOST:PORT` and `hci:unix:PATH`.
package func controllerAddress(of text: String) throws(CommandFailure) -> StreamAddress {
    guard text.hasPrefix("hci:") else {
        throw CommandFailure(
            .usage,
            "--radio \(text.quoted) is not played yet by this version; bluez, bluez:hci0, hci:tcp:HOST:PORT and "
                + "hci:unix:PATH are")
    }
    do throws(StreamAddress.Unreadable) { return try StreamAddress(String(text.dropFirst(4))) } catch {
        throw CommandFailure(.usage, "--radio: \(error)")
    }
}

/// The port that rootcanal made customary, and those behind it that are tried when it is in use.
package let customaryPorts = 6402...6411
