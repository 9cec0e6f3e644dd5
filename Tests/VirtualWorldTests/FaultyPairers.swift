import Bluetooth
import Collector
import HCI
import LEHost

// Faulty clients of devices that require pairing.
extension FaultyClient {
    static let pairers = [
        FaultyClient(
            name: "never_pairs", about: "does not pair when the device refuses a request",
            caughtBy: [
                "security/encrypted pairs", "security/address_rotates_away pairs",
                "security/address_rotates_connected pairs",
            ], sets: { $0.pairs = false }),
        FaultyClient(
            name: "silent_after_pairing", about: "shows no heart rate in the connection in which it has paired",
            caughtBy: ["security/encrypted shows"],
            shows: { content, view in
                if case .heartRate = content, view.connections == 1 { return [] }
                return [content]
            }),
        FaultyClient(
            name: "stays_away", about: "does not reconnect to a device with which it has paired",
            caughtBy: ["security/encrypted encrypts_again", "security/encrypted returns"],
            sets: { $0.reconnects = false }),
        FaultyClient(
            name: "forgets_bonds", about: "keeps its keys only until the connection ends, and pairs again",
            caughtBy: [
                "security/encrypted pairs_once", "security/address_rotates_away pairs_once",
                "security/address_rotates_connected pairs_once",
            ],
            commands: { command, _ in
                guard case .connect(let creation, _) = command else { return [.asks(command)] }
                return [.asks(.forget(creation.peer)), .asks(command)]
            }),
        FaultyClient(
            name: "knows_one_address", about: "reconnects only to the address with which it has paired",
            caughtBy: [
                "security/address_rotates_away encrypts_again", "security/address_rotates_away returns",
                "security/address_rotates_connected encrypts_again", "security/address_rotates_connected returns",
            ],
            commands: { command, view in
                guard case .connect(var creation, let timeout) = command else { return [.asks(command)] }
                creation.peer = view.firstPeer ?? creation.peer
                return [.asks(.connect(creation, timeout: timeout))]
            }),
        FaultyClient(
            name: "leaves_after_pairing",
            about: "ends the connection after a few values of the device that it has paired with",
            caughtBy: ["security/address_rotates_connected stays"],
            values: { octets, _, view in view.values == 10 ? [.leaves] : [.hears(octets)] }),
        FaultyClient(
            name: "shows_five_values", about: "shows only the first values of a connection",
            caughtBy: ["security/address_rotates_connected goes_on"],
            values: { octets, _, view in view.values > 5 ? [] : [.hears(octets)] }),
    ]
}
