import Bluetooth
import Collector
import HCI
import LEHost

// Faulty clients of devices that require pairing.
extension FaultyClient {
    static let pairers = [
        FaultyClient(
            name: "never_pairs", about: "does not pair when the device refuses a request",
            caughtBy: ["security/encrypted pairs"], sets: { $0.pairs = false }),
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
            caughtBy: ["security/encrypted pairs_once"],
            commands: { command, _ in
                guard case .connect(let creation, _) = command else { return [.asks(command)] }
                return [.asks(.forget(creation.peer)), .asks(command)]
            }),
    ]
}
