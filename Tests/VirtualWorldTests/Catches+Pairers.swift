import SecurityManager

extension Catches {
    private static let lost = PairingStep.allCases.map { "security/lost_at_\($0.rawValue)" }
    private static let models = ["passkey_displayed", "passkey_entered", "numbers_compared", "slow_strap"]
        .map { "security/\($0)" }
    private static let rotations = ["security/address_rotates_away", "security/address_rotates_connected"]

    /// All scenarios for the client as the initiator, those where the first pairing must fail, and the others.
    private static let scenarios = TestScenario.paths.compactMap { path in
        path.hasPrefix("scenarios/security/central/")
            ? String(path.dropFirst("scenarios/".count).dropLast(".json".count)) : nil
    }
    private static let failing = scenarios.filter { name in
        (["wrong_", "_echo", "short_key", "invalid_"] + ends).contains { name.contains($0) }
    }
    private static let succeeding = scenarios.filter { !failing.contains($0) }
    /// Those where the device ends the first pairing.
    private static let cancelled = failing.filter { name in ends.contains { name.hasSuffix($0) } }
    private static let ends = ["_cancelled", "refused", "_rejected"]

    /// Those of clients that pair wrongly.
    static let pairers: [(client: String, by: [String])] = [
        (
            "never_pairs",
            (lost + models + rotations + succeeding).map { "\($0) pairs" } + cancelled.map { "\($0) tries" }
                + [
                    "security/encrypted pairs", "security/legacy pairs", "security/refused_and_retried tries",
                    "security/bond_lost_by_strap pairs", "security/bond_lost_by_client pairs",
                    "security/encrypts_before_requests pairs",
                    "security/subscribes_before_encryption subscribes", "security/key_too_short pairs",
                    "security/wrong_passkey tries", "security/security_request encrypts",
                    "security/security_request pairs",
                    "security/silent_strap pairs", "security/user_absent fails", "security/wrong_key pairs",
                    "security/second_phone pairs", "security/fitness_app pairs",
                ]
        ),
        (
            "pairs_at_once_or_never",
            failing.filter { !$0.hasSuffix("refused") }.map { "\($0) pairs" } + [
                "security/refused_and_retried pairs", "security/bond_lost_by_strap pairs_anew",
                "security/bond_lost_by_client pairs_anew", "security/user_absent pairs",
                "security/second_phone pairs_anew", "security/fitness_app pairs_anew",
            ]
        ),
        ("disheartened", ["security/wrong_passkey pairs"]),
        (
            "blank_after_pairing",
            (lost + models + scenarios).map { "\($0) shows" } + [
                "security/encrypted shows", "security/encrypted returns", "security/legacy shows",
                "security/bonded shows",
                "security/legacy returns", "security/refused_and_retried shows", "security/bond_lost_by_strap shows",
                "security/bond_lost_by_client shows", "security/encrypts_before_requests returns",
                "security/subscribes_before_encryption shows", "security/wrong_passkey shows",
                "security/security_request shows", "security/silent_strap shows", "security/user_absent shows",
                "security/wrong_key returns", "security/second_phone shows", "security/fitness_app heart_goes_on",
            ]
        ),
        (
            "only_heart",
            [
                "security/fitness_app shows_steps", "security/fitness_app shows_temperature",
                "security/fitness_app shows_steps_again", "security/fitness_app shows_temperature_again",
            ]
        ),
        (
            "stays_away",
            [
                "security/central/request_of_bonded encrypts", "security/central/shortest_key encrypts_again",
                "security/encrypted encrypts_again", "security/encrypted returns", "security/legacy encrypts_again",
                "security/encrypts_before_requests encrypts_again", "security/wrong_key encrypts_again",
                "collector/heart_rate/bonded returns", "collector/thermometer/bonded returns",
            ]
        ),
        (
            "forgets_bonds",
            [
                "security/central/request_of_bonded pairs_once", "security/central/shortest_key pairs_once",
                "security/encrypted pairs_once", "security/legacy pairs_once",
                "security/bond_lost_by_strap does_not_pair_by_itself", "security/key_too_short gives_up",
                "security/fitness_app does_not_pair_by_itself", "security/bonded does_not_pair",
                "security/bond_lost_before does_not_pair_by_itself",
                "security/address_rotates_away pairs_once", "security/address_rotates_connected pairs_once",
            ]
        ),
        (
            "requests_first",
            [
                "security/encrypts_before_requests is_not_refused", "security/bonded is_not_refused",
                "collector/heart_rate/bonded encrypts",
                "collector/thermometer/bonded encrypts",
            ]
        ),
        (
            "silent_about_errors",
            [
                "security/bond_lost_by_strap reports", "security/key_too_short reports",
                "security/bond_lost_before reports",
                "security/second_phone reports",
                "security/fitness_app reports",
            ]
        ),
        ("holds_on", ["security/silent_strap gives_up"]),
        ("impatient", ["security/slow_strap tries_once"]),
        (
            "knows_one_address",
            [
                "security/address_rotates_away encrypts_again", "security/address_rotates_away returns",
                "security/address_rotates_connected encrypts_again", "security/address_rotates_connected returns",
            ]
        ),
        ("leaves_after_pairing", ["security/address_rotates_connected stays"]),
        ("shows_five_values", ["security/address_rotates_connected goes_on"]),
    ]
}
