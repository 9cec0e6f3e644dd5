import LEHost
import SecurityManager
import VirtualWorld

// Faulty clients that pair as the initiator.  Core 6.0, Vol 3, Part H.
extension FaultyClient {
    private static func central(_ names: String..., fail expectations: String...) -> [String] {
        names.flatMap { name in expectations.map { "security/central/\(name) \($0)" } }
    }

    /// A client to which a PDU with an inverted last octet seems right.
    private static func trusting(
        _ name: String, _ about: String, _ code: UInt8, at offset: Int, _ scenarios: [String]
    )
        -> FaultyClient
    {
        FaultyClient(
            name: name, about: about,
            caughtBy: scenarios.flatMap { central($0, fail: "refuses", "gets_no_key") },
            mutation: Mutation([.init(.receivedSecurity(code), at: offset, "..", becomes: "~0")]))
    }

    static let initiators = [
        trusting(
            "trusts_confirm", "accepts confirm values that do not match", 0x03, at: 16,
            ["legacy_wrong_confirm", "passkey_wrong_confirm", "legacy_oob_wrong_confirm"]),
        trusting(
            "trusts_random", "accepts random values that do not match", 0x04, at: 16,
            ["legacy_wrong_random", "wrong_random", "legacy_passkey_wrong_random"]),
        trusting("trusts_check", "accepts a DHKey Check that does not match", 0x0D, at: 16, ["wrong_dhkey_check"]),
        trusting("trusts_key", "accepts a public key that is not on the curve", 0x0C, at: 64, ["invalid_public_key"]),
        FaultyClient(
            name: "short_keys", about: "accepts keys of 6 octets",
            caughtBy: central("short_key", fail: "refuses", "gets_no_key"),
            mutation: Mutation([.init(.receivedSecurity(0x02), at: 4, "06", becomes: "10")])),
        FaultyClient(
            name: "silent_refusal", about: "ends pairing without Pairing Failed",
            caughtBy: central(
                "legacy_echo", "legacy_passkey_echo", "invalid_public_key", "short_key", "wrong_dhkey_check",
                fail: "refuses"),
            mutation: Mutation([.init(.security(0x05), at: 0, "05", becomes: "0F")])),
        FaultyClient(
            name: "strict_about_bits", about: "ignores a Pairing Response with reserved bits",
            caughtBy: central(
                "legacy_reserved_bits", "reserved_bits", "passkey_reserved_bits", "oob_reserved_bits", fail: "pairs"),
            mutation: Mutation(
                ["C1", "C9", "CD"].map { .init(.receivedSecurity(0x02), at: 0, "02 .. .. \($0)", becomes: "0F") })),
        FaultyClient(
            name: "longest_key_only", about: "accepts only keys of 16 octets",
            caughtBy: central("shortest_key", fail: "pairs"), security: { $0.keySizes = 16...16 }),
        FaultyClient(
            name: "other_keys", about: "distributes other keys than those that the device requests",
            caughtBy: central("legacy_encryption_key", "legacy_identity_key", "identity_key", fail: "pairs"),
            mutation: Mutation([0x06, 0x08].map { .init(.security($0), at: 0, "..", becomes: "0A") })),
        FaultyClient(
            name: "promises_csrk", about: "offers a CSRK, but distributes its IRK instead",
            caughtBy: central("legacy_signing_key", "signing_key", fail: "pairs"),
            mutation: Mutation([.init(.security(0x0A), at: 0, "0A", becomes: "08")]),
            security: { $0.distributes = .all }),
        FaultyClient(
            name: "two_attempts", about: "pairs only in its first two connections",
            caughtBy: central("legacy_passkey_varies", "passkey_varies", fail: "pairs_anew"),
            commands: { command, view in
                if case .security(_, .secure) = command, view.connections > 2 { [] } else { [.asks(command)] }
            }),
        FaultyClient(
            name: "one_passkey", about: "displays the same passkey in each pairing",
            caughtBy: central("legacy_passkey_varies", "passkey_varies", fail: "varies"),
            security: { $0.passkey = 111_111 }),
        FaultyClient(
            name: "ignores_oob_data", about: "does not use the data that it has received out of band",
            caughtBy: central("legacy_oob", "oob", "oob_reserved_bits", fail: "pairs")
                + central("legacy_oob_wrong_confirm", "oob_wrong_public_key", fail: "refuses")
                + central("oob_cancelled", fail: "tries"),
            commands: { command, view in
                guard case .security(_, .secure) = command, let peer = view.firstPeer else { return [.asks(command)] }
                return [.asks(.exchangeOutOfBand(nil, with: peer)), .asks(command)]
            }),
        FaultyClient(
            name: "one_has_oob_data", about: "uses data out of band with LE legacy pairing if it has some itself",
            caughtBy: central("legacy_oob_client_only", "legacy_oob_client_only_just_works", fail: "pairs"),
            mutation: Mutation([.init(.receivedSecurity(0x02), at: 2, "00", becomes: "01")])),
        FaultyClient(
            name: "claims_oob_data", about: "claims to have the device's data out of band without any",
            caughtBy: central("legacy_oob_strap_only", "legacy_oob_strap_only_just_works", fail: "pairs"),
            mutation: Mutation([.init(.security(0x01), at: 2, "00", becomes: "01")])),
    ]
}
