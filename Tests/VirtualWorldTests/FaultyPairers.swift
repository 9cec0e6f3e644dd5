import Bluetooth
import Collector
import HCI
import LEHost
import SecurityManager

// Faulty clients of devices that require pairing.
extension FaultyClient {
    private static let lost = PairingStep.allCases.map { "security/lost_at_\($0.rawValue)" }
    private static let models = ["passkey_displayed", "passkey_entered", "numbers_compared", "slow_strap"]
        .map { "security/\($0)" }
    private static let rotations = ["security/address_rotates_away", "security/address_rotates_connected"]

    /// All scenarios for the client as the initiator, those where the first pairing must fail, and the others.
    private static let central = TestScenario.paths.compactMap { path in
        path.hasPrefix("scenarios/security/central/")
            ? String(path.dropFirst("scenarios/".count).dropLast(".json".count)) : nil
    }
    private static let failing = central.filter { name in
        ["wrong_", "_echo", "short_key", "invalid_", "_cancelled"].contains { name.contains($0) }
    }
    private static let succeeding = central.filter { !failing.contains($0) }
    private static let cancelled = failing.filter { $0.hasSuffix("_cancelled") }

    static let pairers = [
        FaultyClient(
            name: "never_pairs", about: "does not pair when the device refuses a request or requests security",
            caughtBy: (lost + models + rotations + succeeding).map { "\($0) pairs" } + cancelled.map { "\($0) tries" }
                + [
                    "security/encrypted pairs", "security/legacy pairs", "security/refused_and_retried tries",
                    "security/bond_lost_by_strap pairs", "security/bond_lost_by_client pairs",
                    "security/encrypts_before_requests pairs",
                    "security/subscribes_before_encryption subscribes", "security/key_too_short pairs",
                    "security/wrong_passkey tries", "security/security_request encrypts",
                    "security/security_request pairs",
                    "security/silent_strap pairs", "security/user_absent fails", "security/wrong_key pairs",
                    "security/second_phone pairs", "security/fitness_app pairs",
                ],
            sets: { $0.pairs = false }),
        FaultyClient(
            name: "pairs_at_once_or_never", about: "pairs only in its first connection",
            caughtBy: failing.map { "\($0) pairs" } + [
                "security/refused_and_retried pairs", "security/bond_lost_by_strap pairs_anew",
                "security/bond_lost_by_client pairs_anew", "security/user_absent pairs",
                "security/second_phone pairs_anew", "security/fitness_app pairs_anew",
            ],
            commands: { command, view in
                if case .security(_, .secure) = command, view.connections > 1 { [] } else { [.asks(command)] }
            }),
        FaultyClient(
            name: "disheartened", about: "does not pair any more after three failures",
            caughtBy: ["security/wrong_passkey pairs"],
            commands: { command, view in
                if case .security(_, .secure) = command, view.connections > 3 { [] } else { [.asks(command)] }
            }),
        FaultyClient(
            name: "blank_after_pairing", about: "shows no heart rate once it has paired",
            caughtBy: (lost + models + central).map { "\($0) shows" } + [
                "security/encrypted shows", "security/encrypted returns", "security/legacy shows",
                "security/bonded shows",
                "security/legacy returns", "security/refused_and_retried shows", "security/bond_lost_by_strap shows",
                "security/bond_lost_by_client shows", "security/encrypts_before_requests returns",
                "security/subscribes_before_encryption shows", "security/wrong_passkey shows",
                "security/security_request shows", "security/silent_strap shows", "security/user_absent shows",
                "security/wrong_key returns", "security/second_phone shows", "security/fitness_app heart_goes_on",
            ],
            shows: { content, _ in if case .heartRate = content { [] } else { [content] } }),
        FaultyClient(
            name: "only_heart", about: "does not show the values that it reads on demand",
            caughtBy: [
                "security/fitness_app shows_steps", "security/fitness_app shows_temperature",
                "security/fitness_app shows_steps_again", "security/fitness_app shows_temperature_again",
            ],
            shows: { content, _ in if case .value = content { [] } else { [content] } }),
        FaultyClient(
            name: "stays_away", about: "does not reconnect to a device with which it has paired",
            caughtBy: [
                "security/central/request_of_bonded encrypts",
                "security/encrypted encrypts_again", "security/encrypted returns", "security/legacy encrypts_again",
                "security/encrypts_before_requests encrypts_again", "security/wrong_key encrypts_again",
                "collector/heart_rate/bonded returns", "collector/thermometer/bonded returns",
            ],
            sets: { $0.reconnects = false }),
        FaultyClient(
            name: "forgets_bonds", about: "keeps its keys only until the connection ends, and pairs again",
            caughtBy: [
                "security/central/request_of_bonded pairs_once",
                "security/encrypted pairs_once", "security/legacy pairs_once",
                "security/bond_lost_by_strap does_not_pair_by_itself", "security/key_too_short gives_up",
                "security/fitness_app does_not_pair_by_itself", "security/bonded does_not_pair",
                "security/bond_lost_before does_not_pair_by_itself",
                "security/address_rotates_away pairs_once", "security/address_rotates_connected pairs_once",
            ],
            commands: { command, _ in
                guard case .connect(let creation, _) = command else { return [.asks(command)] }
                return [.asks(.forget(creation.peer)), .asks(command)]
            }),
        FaultyClient(
            name: "requests_first", about: "encrypts with its bond only when a request has been refused",
            caughtBy: [
                "security/encrypts_before_requests is_not_refused", "security/bonded is_not_refused",
                "collector/heart_rate/bonded encrypts",
                "collector/thermometer/bonded encrypts",
            ],
            commands: { command, _ in if case .security(_, .resume) = command { [] } else { [.asks(command)] } }),
        FaultyClient(
            name: "silent_about_errors", about: "does not report that pairing or encryption has failed",
            caughtBy: [
                "security/bond_lost_by_strap reports", "security/key_too_short reports",
                "security/bond_lost_before reports",
                "security/second_phone reports",
                "security/fitness_app reports",
            ],
            shows: { content, _ in
                switch content {
                case .error, .pairing(.failed): []
                default: [content]
                }
            }),
        FaultyClient(
            name: "holds_on", about: "keeps a connection in which it cannot pair any more",
            caughtBy: ["security/silent_strap gives_up"],
            commands: { command, _ in if case .disconnect = command { [] } else { [.asks(command)] } }),
        FaultyClient(
            name: "impatient", about: "disconnects as soon as pairing takes longer than a request",
            caughtBy: ["security/slow_strap tries_once"],
            commands: { command, _ in
                if case .security(_, .secure) = command { [.asks(command), .leaves] } else { [.asks(command)] }
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
