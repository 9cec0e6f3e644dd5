import Basics
import SecurityManager
import Testing

/// A responder that sends wrong octets on purpose: how this initiator reacts, and how far an attacker gets with others.
@Suite struct AlterationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let test: String
        let alteration: PairingAlteration
        var io = IOCapability.noInputNoOutput
        var isSecure = true
        /// Why the initiator fails; nil: it pairs.
        var reason: PairingFailedReason?

        var testDescription: String { test }
    }

    static let cases = [
        Case(
            test: "a wrong random value", alteration: .init(at: .random, .inverted), isSecure: false,
            reason: .confirmValueFailed),
        Case(
            test: "SM/CEN/JW/BI-01-C: a wrong confirm value", alteration: .init(at: .confirm, .inverted),
            isSecure: false, reason: .confirmValueFailed),
        Case(
            test: "SM/CEN/JW/BI-06-C: its own confirm value", alteration: .init(at: .confirm, .echo), isSecure: false,
            reason: .confirmValueFailed),
        Case(
            test: "SM/CEN/PKE/BI-03-C: its own confirm value", alteration: .init(at: .confirm, .echo), io: .displayOnly,
            isSecure: false, reason: .confirmValueFailed),
        Case(
            test: "SM/CEN/JW/BI-04-C: reserved bits", alteration: .init(at: .features, .octets([0xC1], offset: 3)),
            isSecure: false),
        Case(
            test: "SM/CEN/SCJW/BV-04-C: reserved bits", alteration: .init(at: .features, .octets([0xCD], offset: 3))),
        Case(
            test: "SM/CEN/EKS/BI-01-C: a key of 6 octets", alteration: .init(at: .features, .octets([6], offset: 4)),
            reason: .invalidParameters),
        Case(
            test: "SM/CEN/KDU/BI-04-C: an invalid public key", alteration: .init(at: .publicKey, .inverted),
            reason: .dhKeyCheckFailed),
        Case(
            test: "SM/CEN/SCPK/BI-02-C: wrong confirm values", alteration: .init(at: .confirm, .inverted),
            io: .displayOnly, reason: .confirmValueFailed),
        Case(
            test: "a wrong DHKey Check", alteration: .init(at: .dhKeyCheck, .inverted), reason: .dhKeyCheckFailed),
        Case(
            test: "SM/CEN/KDU/BV-10-C: only the IRK is requested",
            alteration: .init(at: .features, .mask([0x02], offset: 5))),
        Case(test: "octets past the end", alteration: .init(at: .features, .octets([1, 2, 3], offset: 60))),
    ]

    @Test(arguments: cases) func `The initiator rejects what it must, and accepts what it may not reject`(example: Case)
    {
        let preference: SecuritySettings.Preference = example.isSecure ? .preferred : .off
        var pair = PairOfDevices(
            PairingTests.settings(.keyboardDisplay), PairingTests.settings(example.io, secureConnections: preference),
            responderSends: example.alteration)
        pair.pair()
        #expect(pair.initiator.failure == example.reason.map { .failed($0) })
        #expect(pair.responder.failure == example.reason.map { .refused($0) })
        #expect((pair.initiator.bond != nil) == (example.reason == nil))
    }

    /// CVE-2020-26558: without the check, the attacker has the same key as the initiator.
    @Test func `An echo succeeds with an initiator that does not compare the confirm values`() throws {
        var settings = PairingTests.settings(secureConnections: .off)
        (settings.isBonding, settings.accepts) = (false, [])
        var attacker = Pairing(
            .responder, settings, Identity(PairOfDevices.responderAddress), own: PairOfDevices.responderAddress,
            peer: PairOfDevices.initiatorAddress, altering: .init(at: .confirm, .echo))
        var generator = RandomStream(seed: 1)
        func answers(to pdu: SecurityPDU) -> [Pairing.Output] {
            var outbox: [Pairing.Output] = []
            attacker.step(.received(pdu.octets), at: .start, using: &generator, into: &outbox)
            return outbox.filter { if case .wake = $0 { false } else { true } }
        }
        let request = PairingFeatures(
            .noInputNoOutput, hasOutOfBandData: false, [], maximumKeySize: 16, initiatorKeys: [], responderKeys: [])
        let response = try #require(answers(to: .pairingRequest(request)).first)
        guard case .send(let octets) = response else {
            Issue.record("no Pairing Response")
            return
        }
        let (random, address) = (UInt128(0x1234), PairOfDevices.initiatorAddress)
        let confirm = try SecurityFunctions.c1(
            key: 0, random: random, request: SecurityPDU.pairingRequest(request).octets, response: octets,
            initiator: address, responder: PairOfDevices.responderAddress)
        #expect(answers(to: .pairingConfirm(confirm)) == [.send(SecurityPDU.pairingConfirm(confirm).octets)])
        let key = try SecurityFunctions.s1(key: 0, responder: random, initiator: random)
        let last = answers(to: .pairingRandom(random))
        #expect(last.first == .send(SecurityPDU.pairingRandom(random).octets))
        guard case .encrypt(let found)? = last.last else {
            Issue.record("no key")
            return
        }
        #expect(found.value == key)
    }
}
