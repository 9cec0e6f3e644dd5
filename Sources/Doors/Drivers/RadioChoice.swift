package import Basics
import Bluetooth

/// The radio of a central.
package enum RadioChoice: CustomStringConvertible {
    case controller(ControllerAddress)
    /// This machine's Bluetooth, through bluetoothd; the first adapter if none is named.
    case bluez(adapter: String?)

    /// Reads `bluez`, `bluez:hci0`, `hci:0`, `hci:tcp:HOST:PORT` or `hci:unix:PATH`.
    package init(_ text: String) throws(Obstacle) {
        guard isBlueZ(text) else {
            self = .controller(try ControllerAddress(radio: text))
            return
        }
        let name = text.dropFirst("bluez:".count)
        guard text == "bluez" || isAdapter(name) else {
            throw Obstacle(
                .usage, "--radio must name a single adapter, for example bluez:hci0, not \(text.quoted)")
        }
        self = .bluez(adapter: name.isEmpty ? nil : String(name))
    }

    /// The text of `--radio`, without the `hci:` of a controller.
    package var description: String {
        switch self {
        case .controller(let address): "\(address)"
        case .bluez(let adapter): adapter.map { "bluez:\($0)" } ?? "bluez"
        }
    }
}

/// Whether a radio is this machine's Bluetooth, through bluetoothd.
package func isBlueZ(_ radio: String) -> Bool { radio == "bluez" || radio.hasPrefix("bluez:") }

/// Whether a text has the form of an adapter's name: `hci0`.
package func isAdapter(_ name: Substring) -> Bool { AdapterName.number(in: name) != nil }
