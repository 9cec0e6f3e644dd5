import VirtualWorld

// Peripherals with one fault in pairing.
extension Peripheral {
    /// Exchanges the first two octets of a number that the peripheral sends with this code.
    private static func garbles(_ code: UInt8) -> Mutation.Change {
        .init(.security(code), at: 1, ".. ..", becomes: "@1 @0")
    }

    /// Ignores Pairing Failed.
    private static func ignoresFailure(_ reason: String) -> Mutation.Change {
        .init(.receivedSecurity(0x05), at: 0, "05 \(reason)", becomes: "7F ..")
    }

    /// Sends Pairing Random in place of Pairing Failed with Confirm Value Failed.
    private static let trustsAnyone = Mutation.Change(
        .security(0x05), at: 0, "05 04", becomes: "04" + String(repeating: " 00", count: 16))

    /// Rejects a Pairing Request with these octets in place of OOB data flag and AuthReq.
    private static func rejects(_ flag: String, _ requirements: String) -> Mutation.Change {
        .init(.receivedSecurity(0x01), at: 2, "\(flag) \(requirements)", becomes: "07 ..")
    }

    /// The y coordinate of the base point of P-256, the least significant octet first.
    private static let baseY =
        "F5 51 BF 37 68 40 B6 CB CE 5E 31 6B 57 33 CE 2B 16 9E 0F 7C 4A EB E7 8E 9B 7F 1A FE E2 42 E3 4F"
    private static let baseX =
        "96 C2 98 D8 45 39 A1 F4 A0 33 EB 2D 81 7D 03 77 F2 40 A4 63 E5 E6 BC F8 47 42 2C E1 F2 D1 17 6B"

    static let pairingMutants = [
        sealed.but(
            "garbled_random", "sends a random value that does not match its confirm value", "SM/PER/JW/BV-02-C",
            by: [garbles(0x04)]),
        sealed.but(
            "trusts_anyone", "accepts a wrong confirm value", "SM/PER/JW/BI-02-C", by: [trustsAnyone]),
        sealed.but(
            "reads_reserved_bits", "rejects reserved bits of AuthReq", "SM/PER/JW/BI-03-C", by: [rejects("00", "C0")]),
        sealed.but(
            "garbled_check", "sends a wrong DHKey check value", "SM/PER/SCJW/BV-02-C", by: [garbles(0x0D)]),
        sealed.but(
            "deaf_to_failure", "ignores Pairing Failed", "SM/PER/SCJW/BI-02-C", by: [ignoresFailure("04")]),
        sealed.but(
            "reads_reserved_secure_bits", "rejects reserved bits of AuthReq with LE Secure Connections",
            "SM/PER/SCJW/BV-03-C", by: [rejects("00", "C8")]),
        sealed.but(
            "always_sixteen", "uses 16 octets of the key", "SM/PER/EKS/BV-02-C",
            by: [.init(.receivedSecurity(0x01), at: 4, "07", becomes: "10")]),
        sealed.but(
            "takes_six", "takes a key size of 6 octets for 7", "SM/PER/EKS/BI-02-C",
            by: [.init(.receivedSecurity(0x01), at: 4, "06", becomes: "07")]),
        sealed.but(
            "never_too_late", "continues pairing after the timeout", "SM/PER/PROT/BV-02-C",
            script: #"""
                {"when": {"event": "connected", "after": "38 s"}, "do": "raw", "of": "strap", "channel": "smp",
                 "octets": "0300112233445566778899aabbccddeeff"}
                """#),
        sealed.but(
            "no_curve", "accepts a public key that is not on the curve", "SM/PER/KDU/BI-01-C",
            by: [
                .init(
                    .receivedSecurity(0x0C), at: 1,
                    String(repeating: ".. ", count: 32) + String(repeating: "00 ", count: 32),
                    becomes: "\(baseX) \(baseY)"),
                .init(.security(0x05), at: 0, "05 0B", becomes: "0D" + String(repeating: " 00", count: 16)),
            ]),
        sealed.but(
            "vague_about_keys", "rejects an invalid public key with another reason", "SM/PER/KDU/BI-04-C",
            by: [.init(.security(0x05), at: 0, "05 0B", becomes: "05 0A")]),
        sealed.but(
            "asks_and_rejects", "sends Security Request, and rejects pairing", "SM/PER/PIS/BV-01-C",
            by: [.init(.security(0x02), at: 0, "02 .. .. .. .. .. ..", becomes: "05 05")]),
    ]

    static let passkeyMutants = [
        display.but(
            "garbled_passkey_random", "sends a random value that does not match its confirm value",
            "SM/PER/PKE/BV-02-C", by: [garbles(0x04)]),
        display.but("any_passkey", "accepts a wrong passkey", "SM/PER/PKE/BI-03-C", by: [trustsAnyone]),
        strict.but(
            "vague_about_authentication", "rejects pairing without authentication for an unspecified reason",
            "SM/PER/PKE/BV-05-C", by: [.init(.security(0x05), at: 0, "05 03", becomes: "05 08")]),
        display.but(
            "garbled_passkey_check", "sends a wrong DHKey check value", "SM/PER/SCPK/BV-02-C", by: [garbles(0x0D)]),
        display.but(
            "reads_reserved_passkey_bits", "rejects reserved bits of AuthReq", "SM/PER/SCPK/BV-03-C",
            by: [rejects("00", "CC")]),
        display.but("any_round", "accepts a wrong confirm value", "SM/PER/SCPK/BI-03-C", by: [trustsAnyone]),
        display.but(
            "deaf_to_passkey_failure", "ignores Pairing Failed", "SM/PER/SCPK/BI-04-C", by: [ignoresFailure("..")]),
    ]

    static let outOfBandMutants = [
        tapped.but(
            "garbled_tap_random", "sends a random value that does not match its confirm value", "SM/PER/OOB/BV-02-C",
            by: [garbles(0x04)]),
        tapped.but("any_tap", "accepts other data", "SM/PER/OOB/BI-02-C", by: [trustsAnyone]),
        tapped.but(
            "hides_data", "clears the OOB data flag although it has data", "SM/PER/OOB/BV-04-C",
            by: [.init(.security(0x02), at: 2, "01", becomes: "00")]),
        tapped.but(
            "hides_data_from_none", "clears the OOB data flag although it has data", "SM/PER/OOB/BV-10-C",
            by: [.init(.security(0x02), at: 2, "01", becomes: "00")]),
        tapped.but(
            "confused_by_flag", "fails pairing if only the central has data", "SM/PER/OOB/BV-06-C",
            by: [garbles(0x03)]),
        tapped.but(
            "confused_by_flag_of_none", "fails Just Works if only the central has data", "SM/PER/OOB/BV-08-C",
            by: [garbles(0x03)]),
        tapped.but("garbled_tap_check", "sends a wrong DHKey check value", "SM/PER/SCOB/BV-02-C", by: [garbles(0x0D)]),
        tapped.but(
            "reads_reserved_tap_bits", "rejects reserved bits of AuthReq", "SM/PER/SCOB/BV-03-C",
            by: [rejects("01", "C8")]),
        tapped.but("deaf_to_tap_failure", "ignores Pairing Failed", "SM/PER/SCOB/BI-02-C", by: [ignoresFailure("..")]),
        tapped.but("any_commitment", "accepts another public key", "SM/PER/SCOB/BI-03-C", by: [trustsAnyone]),
    ]

    static let keyMutants = [
        sealed.but(
            "no_central_identification", "distributes no EDIV and Rand", "SM/PER/KDU/BV-01-C",
            by: [.init(.security(0x07), at: 0, "07", becomes: "7F")]),
        sealed.but(
            "private_identity", "distributes a private address as its identity address", "SM/PER/KDU/BV-02-C",
            by: [.init(.security(0x09), at: 7, "..", becomes: "40")]),
        sealed.but(
            "no_csrk", "announces a CSRK, and distributes none", "SM/PER/KDU/BV-03-C",
            by: [.init(.security(0x0A), at: 0, "0A", becomes: "7F")]),
        sealed.but(
            "private_secure_identity", "distributes a private address as its identity address", "SM/PER/KDU/BV-08-C",
            by: [.init(.security(0x09), at: 7, "..", becomes: "40")]),
        sealed.but(
            "no_secure_csrk", "announces a CSRK, and distributes none", "SM/PER/KDU/BV-09-C",
            by: [.init(.security(0x0A), at: 0, "0A", becomes: "7F")]),
        sealed.but(
            "garbled_ltk", "distributes another LTK than it uses", "SM/PER/KDU/BV-07-C", by: [garbles(0x06)]),
        sealed.but(
            "deaf_to_rejection", "ignores Pairing Failed after its keys", "SM/PER/KDU/BI-02-C",
            by: [ignoresFailure("0F")]),
        sealed.but(
            "deaf_to_secure_rejection", "ignores Pairing Failed after its keys", "SM/PER/KDU/BI-03-C",
            by: [ignoresFailure("0F")]),
    ]

    static let bondMutants: [Peripheral] =
        [
            Peripheral(
                name: "forgetful", about: "announces a bond, and keeps no keys", services: [heartRate, battery],
                security: #"{"bonds": 0}"#, caughtBy: "SM/PER/PIS/BV-02-C"),
            Peripheral(
                name: "forgets_bonds", about: "announces a bond, and keeps no keys", services: [plainHeartRate],
                security: #"{"bonds": 0}"#, caughtBy: "pairing/bond_is_kept"),
            Peripheral(
                name: "forgets_short_keys", about: "announces a bond, and keeps no keys", services: [battery],
                security: #"{"bonds": 0}"#, caughtBy: "SM/PER/EKS/BV-02-C"),
            sealed.but(
                "knows_absent_clients", "answers a bonded client that was absent during a change",
                "GATT/SR/GAS/BV-07-C", by: [.init(.att(0x01), at: 0, "01 0A 03 00 12", becomes: "0B 4C")]),
            recorder.but(
                "forgets_notifications", "reads back 0 for a configuration of 1", "GATT/SR/GAN/BV-03-C",
                by: [says("00 00", instead: "01 00")]),
            recorder.but(
                "forgets_indications", "reads back 0 for a configuration of 2", "GATT/SR/GAI/BV-02-C",
                by: [says("00 00", instead: "02 00")]),
            sealed.but(
                "silent_battery", "notifies no level over an encrypted link", "BAS/SR/CN/BV-21-C",
                script: #"{"when": "encrypted", "do": "silence", "of": "strap/battery"}"#),
            sealed.but(
                "forgets_features", "reads back 0 for Client Supported Features", "GATT/SR/GAS/BV-04-C",
                by: [says("00", instead: "01")]),
            vault.but(
                "stays_closed", "rejects reads of a paired client", "gatt/pairing_opens_values",
                by: [.init(.att(0x0B), at: 0, "0B 5A 5B", becomes: "01 0A 30 00 0F")]),
            vault.but(
                "handle_0_0A_0C", "rejects Read with 0x0C for handle 0", "GATT/SR/GAR/BI-05-C",
                by: [.init(.att(0x01), at: 1, "0A .. .. 0C", becomes: ".. 00 00 ..")]),
            vault.but(
                "handle_0_16_0C", "rejects Prepare Write with 0x0C for handle 0", "GATT/SR/GAW/BI-13-C",
                by: [.init(.att(0x01), at: 1, "16 .. .. 0C", becomes: ".. 00 00 ..")]),
        ]
        + [("11", "08"), ("17", "0C"), ("22", "0E"), ("44", "20")].map { number, request in
            vault.but(
                "unlikely_vault_\(request)_0C", "rejects request 0x\(request) with 0x0E instead of 0x0C",
                "GATT/SR/GAR/BI-\(number)-C", by: [answers("0E", to: request, instead: "0C")])
        }
        + [
            vault.but(
                "unlikely_vault_12_0C", "rejects request 0x12 with 0x0E instead of 0x0C", "GATT/SR/GAW/BI-06-C",
                by: [answers("0E", to: "12", instead: "0C")])
        ]
}
