import Bluetooth
import HCI
import LEHost
import SecurityManager

// Faulty clients of devices that require pairing.
extension FaultyClient {
    static let pairers = [
        FaultyClient(
            name: "never_pairs", about: "does not pair when the device refuses a request or requests security",
            settings: { $0.pairs = false }),
        pairing("pairs_at_once_or_never", "pairs only in its first connection", inFirst: 1),
        pairing("disheartened", "does not pair any more after three failures", inFirst: 3),
        FaultyClient(
            name: "blank_after_pairing", about: "shows no heart rate once it has paired",
            shows: { content, _ in if case .heartRate = content { [] } else { [content] } }),
        FaultyClient(
            name: "only_heart", about: "does not show the values that it reads on demand",
            shows: { content, _ in if case .value = content { [] } else { [content] } }),
        FaultyClient(
            name: "stays_away", about: "does not reconnect to a device with which it has paired",
            settings: { $0.reconnects = false }),
        FaultyClient(
            name: "forgets_bonds", about: "keeps its keys only until the connection ends, and pairs again",
            commands: { command, _ in
                guard case .connect(let creation, _) = command else { return [.request(command)] }
                return [.request(.forget(creation.peer)), .request(command)]
            }),
        FaultyClient(
            name: "requests_first", about: "encrypts with its bond only when a request has been refused",
            commands: { command, _ in if case .security(_, .resume) = command { [] } else { [.request(command)] } }),
        FaultyClient(
            name: "silent_about_errors", about: "does not report that pairing or encryption has failed",
            shows: { content, _ in
                switch content {
                case .error, .pairing(.failed): []
                default: [content]
                }
            }),
        FaultyClient(
            name: "holds_on", about: "keeps a connection in which it cannot pair any more",
            commands: { command, _ in if case .disconnect = command { [] } else { [.request(command)] } }),
        FaultyClient(
            name: "impatient", about: "disconnects as soon as pairing takes longer than a request",
            commands: { command, _ in
                if case .security(_, .secure) = command {
                    [.request(command), .reconnect]
                } else {
                    [.request(command)]
                }
            }),
        FaultyClient(
            name: "knows_one_address", about: "reconnects only to the address with which it has paired",
            commands: { command, view in
                guard case .connect(var creation, let timeout) = command else { return [.request(command)] }
                creation.peer = view.firstPeer ?? creation.peer
                return [.request(.connect(creation, timeout: timeout))]
            }),
        FaultyClient(
            name: "leaves_after_pairing",
            about: "ends the connection after a few values of the device that it has paired with",
            values: { octets, _, view in view.values == 10 ? [.reconnect] : [.receive(octets)] }),
        FaultyClient(
            name: "shows_five_values", about: "shows only the first values of a connection",
            values: { octets, _, view in view.values > 5 ? [] : [.receive(octets)] }),
    ]
}
