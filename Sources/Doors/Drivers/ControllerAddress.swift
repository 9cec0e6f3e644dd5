package import Basics
import Bluetooth
package import Sockets

/// Where a controller is that Lubdub does not simulate.
package enum ControllerAddress: Hashable, Sendable, CustomStringConvertible {
    /// At the other end of a stream with HCI packets.
    case stream(StreamAddress)
    /// An adapter of this machine without bluetoothd, by its index: 0 for hci0.
    case adapter(UInt16)

    /// Reads a value of `--radio`: `hci:0`, `hci:tcp:HOST:PORT` or `hci:unix:PATH`.
    package init(radio text: String) throws(Obstacle) {
        guard text.hasPrefix("hci:") else {
            let meant = isAdapter(text[...]) ? "; do you mean hci:\(text.dropFirst(3))?" : ""
            throw Obstacle(
                .usage,
                "--radio must be bluez, bluez:hci0, hci:0, hci:tcp:HOST:PORT or hci:unix:PATH, not \(text.quoted)\(meant)"
            )
        }
        let place = text.dropFirst("hci:".count)
        // hci:socket:0 is another name of hci:0.
        if let index = Self.adapterIndex(place.hasPrefix("socket:") ? place.dropFirst("socket:".count) : place) {
            self = .adapter(index)
        } else {
            let hint = StreamAddress.resembles(place) ? "" : ", or an adapter's number, as in hci:0"
            self = .stream(try orFail(.usage, "--radio: ", hint: hint) { try StreamAddress(String(place)) })
        }
    }

    /// Reads the name of an adapter: `hci:0` or `hci0`.
    package init(adapter text: String) throws(Obstacle) {
        let name = text.hasPrefix("hci:") ? text.dropFirst("hci:".count) : text[...]
        guard text.hasPrefix("hci"), let index = Self.adapterIndex(name) else {
            throw Obstacle(
                .usage, "an adapter has a name such as hci:0, not \(text.quoted) (lubdub doctor lists this machine's)")
        }
        self = .adapter(index)
    }

    /// The index in `0` or `hci0`.
    private static func adapterIndex(_ name: Substring) -> UInt16? {
        AdapterName.number(in: name) ?? AdapterName.number(name)
    }

    /// As in messages: `hci0` or `tcp:127.0.0.1:6402`.
    package var description: String {
        switch self {
        case .stream(let address): "\(address)"
        case .adapter(let index): "hci\(index)"
        }
    }

    /// The value of `--radio`.
    package var radio: String {
        switch self {
        case .stream(let address): "hci:\(address)"
        case .adapter(let index): "hci:\(index)"
        }
    }
}
