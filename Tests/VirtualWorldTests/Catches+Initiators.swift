extension Catches {
    private static func central(_ names: String..., fail expectations: String...) -> [String] {
        names.flatMap { name in expectations.map { "security/central/\(name) \($0)" } }
    }

    /// Those of clients that pair wrongly as the initiator.
    static let initiators: [(client: String, by: [String])] = [
        (
            "trusts_confirm",
            central(
                "legacy_wrong_confirm", "passkey_wrong_confirm", "legacy_oob_wrong_confirm", fail: "refuses",
                "gets_no_key")
        ),
        (
            "trusts_random",
            central(
                "legacy_wrong_random", "wrong_random", "legacy_passkey_wrong_random", fail: "refuses", "gets_no_key")
        ),
        ("trusts_check", central("wrong_dhkey_check", fail: "refuses", "gets_no_key")),
        ("trusts_key", central("invalid_public_key", fail: "refuses", "gets_no_key")),
        ("short_keys", central("short_key", fail: "refuses", "gets_no_key")),
        (
            "silent_refusal",
            central(
                "legacy_echo", "legacy_passkey_echo", "invalid_public_key", "short_key", "wrong_dhkey_check",
                fail: "refuses")
        ),
        (
            "strict_about_bits",
            central(
                "legacy_reserved_bits", "reserved_bits", "passkey_reserved_bits", "oob_reserved_bits", fail: "pairs")
        ),
        ("longest_key_only", central("shortest_key", fail: "pairs")),
        ("other_keys", central("legacy_encryption_key", "legacy_identity_key", "identity_key", fail: "pairs")),
        ("promises_csrk", central("legacy_signing_key", "signing_key", fail: "pairs")),
        ("two_attempts", central("legacy_passkey_varies", "passkey_varies", fail: "pairs_anew")),
        ("four_attempts", central("legacy_refused", "refused", "passkey_refused", "oob_refused", fail: "pairs")),
        ("one_passkey", central("legacy_passkey_varies", "passkey_varies", fail: "varies")),
        (
            "ignores_oob_data",
            central("legacy_oob", "oob", "oob_reserved_bits", fail: "pairs")
                + central("legacy_oob_wrong_confirm", "oob_wrong_public_key", fail: "refuses")
                + central("oob_cancelled", fail: "tries")
        ),
        ("one_has_oob_data", central("legacy_oob_client_only", "legacy_oob_client_only_just_works", fail: "pairs")),
        ("claims_oob_data", central("legacy_oob_strap_only", "legacy_oob_strap_only_just_works", fail: "pairs")),
    ]
}
