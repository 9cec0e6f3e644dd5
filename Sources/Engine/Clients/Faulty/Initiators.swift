import LEHost
import SecurityManager
import VirtualWorld

// Faulty clients that pair as the initiator.  Core 6.0, Vol 3, Part H.
extension FaultyClient {
    /// A client to which a PDU with an inverted last octet seems right.
    private static func trusting(
        _ name: String, _ about: String, _ code: UInt8, at offset: Int
    )
        -> FaultyClient
    {
        FaultyClient(
            name: name, about: about,
            mutation: Mutation([.init(.receivedSecurity(code), at: offset, "..", becomes: "~0")]))
    }

    static let initiators = [
        trusting(
            "trusts_confirm", "accepts confirm values that do not match", 0x03, at: 16),
        trusting(
            "trusts_random", "accepts random values that do not match", 0x04, at: 16),
        trusting("trusts_check", "accepts a DHKey Check that does not match", 0x0D, at: 16),
        trusting("trusts_key", "accepts a public key that is not on the curve", 0x0C, at: 64),
        FaultyClient(
            name: "short_keys", about: "accepts keys of 6 octets",
            mutation: Mutation([.init(.receivedSecurity(0x02), at: 4, "06", becomes: "10")])),
        FaultyClient(
            name: "silent_refusal", about: "ends pairing without Pairing Failed",
            mutation: Mutation([.init(.security(0x05), at: 0, "05", becomes: "0F")])),
        FaultyClient(
            name: "strict_about_bits", about: "ignores a Pairing Response with reserved bits",
            mutation: Mutation(
                ["C1", "C9", "CD"].map { .init(.receivedSecurity(0x02), at: 0, "02 .. .. \($0)", becomes: "0F") })),
        FaultyClient(
            name: "longest_key_only", about: "accepts only keys of 16 octets",
            security: { $0.keySizes = 16...16 }),
        FaultyClient(
            name: "other_keys", about: "distributes other keys than those that the device requests",
            mutation: Mutation([0x06, 0x08].map { .init(.security($0), at: 0, "..", becomes: "0A") })),
        FaultyClient(
            name: "promises_csrk", about: "offers a CSRK, but distributes its IRK instead",
            mutation: Mutation([.init(.security(0x0A), at: 0, "0A", becomes: "08")]),
            security: { $0.distributes = .all }),
        pairing("two_attempts", "pairs only in its first two connections", inFirst: 2),
        pairing("four_attempts", "pairs only in its first four connections", inFirst: 4),
        FaultyClient(
            name: "one_passkey", about: "displays the same passkey in each pairing",
            security: { $0.passkey = 111_111 }),
        FaultyClient(
            name: "ignores_oob_data", about: "does not use the data that it has received out of band",
            commands: { command, view in
                guard case .security(_, .secure) = command, let peer = view.firstPeer else {
                    return [.request(command)]
                }
                return [.request(.exchangeOutOfBand(nil, with: peer)), .request(command)]
            }),
        FaultyClient(
            name: "one_has_oob_data", about: "uses data out of band with LE legacy pairing if it has some itself",
            mutation: Mutation([.init(.receivedSecurity(0x02), at: 2, "00", becomes: "01")])),
        FaultyClient(
            name: "claims_oob_data", about: "claims to have the device's data out of band without any",
            mutation: Mutation([.init(.security(0x01), at: 2, "00", becomes: "01")])),
    ]
}
