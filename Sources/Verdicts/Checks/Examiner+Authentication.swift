import Basics
import Bluetooth
import Cryptography
import L2CAP
import LEHost
import SecurityManager

// Phase 2 of pairing: the devices authenticate each other, and agree on a key.
// Core 6.0, Vol 3, Part H, sections 2.3.5.5 to 2.3.5.7.
extension Examiner {
    // MARK: LE legacy pairing

    mutating func authenticate(_ context: PairingContext, _ plan: PairingPlan) throws(PairingEnd) -> PairedKeys {
        // With a wrong confirm value, no passkey is needed.
        let temporaryKey: UInt128 =
            switch context.model {
            case .outOfBand: plan.outOfBand.temporaryKey ?? 0
            case .passkeyEntry(displayedBy: .responder) where plan.needsNoPasskey: 0
            default: UInt128(try passkey(context))
            }
        let random = UInt128(using: &secrets)
        let confirm = try computed(try context.c1(temporaryKey, random))
        send(.pairingConfirm(plan.isWrong ? ~confirm : confirm))
        let peerConfirm = try nextConfirm(after: "Pairing Confirm")
        try failIfPlanned(plan, at: .authentication)
        let peerRandom = try exchange(random, plan)
        let expected = try computed(try context.c1(temporaryKey, peerRandom))
        try expectConfirmed(peerConfirm == expected)
        let key = try computed(
            try SecurityFunctions.s1(key: temporaryKey, responder: peerRandom, initiator: random))
        return PairedKeys(response: context.response, linkKey: context.longTermKey(key), randoms: [peerRandom])
    }

    // MARK: LE Secure Connections

    /// Both public keys, as they were sent, and their DHKey.
    private struct PublicKeys {
        /// The x coordinates.
        let own: [UInt8]
        let peer: [UInt8]
        let dhKey: [UInt8]
    }

    /// The random values of the last round.
    private struct Randoms {
        var own: UInt128 = 0
        var peer: UInt128 = 0
    }

    mutating func authenticateSecurely(
        _ context: PairingContext, _ plan: PairingPlan
    ) throws(PairingEnd) -> PairedKeys {
        let keys = try exchangePublicKeys(plan)
        var (passkey, all) = (UInt32(0), [UInt128]())
        var randoms = Randoms()
        switch context.model {
        case .justWorks, .numericComparison: randoms = try exchangeRandoms(keys, plan)
        case .passkeyEntry(let displayedBy):
            if displayedBy != .responder || !plan.needsNoPasskey { passkey = try self.passkey(context) }
            for round in 0..<20 {
                randoms = try exchangeRandoms(keys, plan, bit: UInt8(passkey >> UInt32(round) & 1))
                all.append(randoms.peer)
            }
        case .outOfBand: randoms = try exchangeRandomsOutOfBand(keys, plan)
        }
        if context.model == .numericComparison { try compare(keys, randoms) }
        let longTermKey = try checkDHKey(keys, randoms, UInt128(passkey), context, plan)
        let key = context.longTermKey(longTermKey)
        return PairedKeys(
            response: context.response, linkKey: key, longTermKey: key,
            randoms: all.isEmpty ? [randoms.peer] : all)
    }

    private mutating func exchangePublicKeys(_ plan: PairingPlan) throws(PairingEnd) -> PublicKeys {
        guard let own = plan.outOfBand.own?.keyPair ?? (try? P256KeyPair(using: &secrets)) else {
            throw .impossible("cannot generate a key pair")
        }
        var (x, y) = (own.publicKey.x, own.publicKey.y)
        if case .invalidKey(let kind)? = plan.deviation {
            switch kind {
            case .evenProduct, .oddProduct: y = [UInt8](repeating: 0, count: 32)
            case .flippedBit: y[31] ^= 1
            case .zero: (x, y) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
            }
        }
        send(security: [0x0C] + x.reversed() + y.reversed())
        let peer = try next(after: "Pairing Public Key", "Pairing Public Key") { pdu in
            if case .pairingPublicKey(let key) = pdu { .some(key) } else { nil }
        }
        guard let peer else {
            send(.pairingFailed(.dhKeyCheckFailed))
            throw .wrong(expected: "a public key on the curve P-256", seen: "another point")
        }
        guard peer.x != x else {
            send(.pairingFailed(.dhKeyCheckFailed))
            throw .wrong(expected: "a public key of the peripheral", seen: "the examiner's")
        }
        let dhKey: [UInt8]? =
            switch plan.deviation {
            case .invalidKey(.oddProduct)?: x
            case .invalidKey(.evenProduct)?, .invalidKey(.zero)?: [UInt8](repeating: 0, count: 32)
            default: try? own.sharedSecret(with: peer)
            }
        return PublicKeys(own: x, peer: peer.x, dhKey: dhKey ?? [UInt8](repeating: 0, count: 32))
    }

    /// Just Works and Numeric Comparison, without `bit`; or one round of Passkey Entry.
    private mutating func exchangeRandoms(
        _ keys: PublicKeys, _ plan: PairingPlan, bit: UInt8? = nil
    ) throws(PairingEnd) -> Randoms {
        var randoms = Randoms(own: UInt128(using: &secrets))
        let z = bit.map { 0x80 | $0 } ?? 0
        if bit != nil {
            let confirm = try computed(try SecurityFunctions.f4(keys.own, keys.peer, randoms.own, z))
            send(.pairingConfirm(plan.isWrong ? ~confirm : confirm))
        }
        let peerConfirm = try nextConfirm(after: bit == nil ? "Pairing Public Key" : "Pairing Confirm")
        try failIfPlanned(plan, at: .authentication)
        randoms.peer = try exchange(randoms.own, plan)
        if case .invalidKey? = plan.deviation { return randoms }
        let expected = try computed(try SecurityFunctions.f4(keys.peer, keys.own, randoms.peer, z))
        try expectConfirmed(peerConfirm == expected)
        return randoms
    }

    private mutating func exchangeRandomsOutOfBand(
        _ keys: PublicKeys, _ plan: PairingPlan
    ) throws(PairingEnd) -> Randoms {
        if let peers = plan.outOfBand.peers {
            let expected = try computed(try SecurityFunctions.f4(keys.peer, keys.peer, peers.random, 0))
            try expectConfirmed(peers.confirm == expected)
        }
        try failIfPlanned(plan, at: .authentication)
        let own = UInt128(using: &secrets)
        return Randoms(own: own, peer: try exchange(own, plan))
    }

    private mutating func compare(_ keys: PublicKeys, _ randoms: Randoms) throws(PairingEnd) {
        let number = try computed(try SecurityFunctions.g2(keys.own, keys.peer, randoms.own, randoms.peer))
        let isEqual = connection.map { host.compare(number: number, $0) } ?? false
        _ = try orImpossible(isEqual ? number : nil, "compare a number with the display")
    }

    /// Section 2.3.5.6.5.
    private mutating func checkDHKey(
        _ keys: PublicKeys, _ randoms: Randoms, _ passkey: UInt128, _ context: PairingContext, _ plan: PairingPlan
    ) throws(PairingEnd) -> UInt128 {
        let (own, peer) = ((random: randoms.own, address: context.own), (random: randoms.peer, address: context.peer))
        let (macKey, longTermKey) = try computed(
            try SecurityFunctions.f5(dhKey: keys.dhKey, initiator: own, responder: peer))
        var (ownValue, peerValue) = (passkey, passkey)
        if context.model == .outOfBand {
            ownValue = plan.outOfBand.peers?.random ?? 0
            peerValue = context.response.hasOutOfBandData ? plan.outOfBand.own?.random ?? 0 : 0
        }
        let check = try computed(
            try SecurityFunctions.f6(
                key: macKey, sender: own, receiver: peer, ownValue, ioCap: context.request.checkedOctets))
        let expected = try computed(
            try SecurityFunctions.f6(
                key: macKey, sender: peer, receiver: own, peerValue, ioCap: context.response.checkedOctets))
        send(.pairingDHKeyCheck(check))
        let peerCheck = try next(after: "Pairing DHKey Check", "Pairing DHKey Check") { pdu in
            if case .pairingDHKeyCheck(let value) = pdu { value } else { nil }
        }
        if case .invalidKey? = plan.deviation {
            send(.pairingFailed(.dhKeyCheckFailed))
            throw .wrong(expected: "Pairing Failed, since the public key is invalid", seen: "Pairing DHKey Check")
        }
        guard peerCheck == expected else {
            send(.pairingFailed(.dhKeyCheckFailed))
            throw .wrong(expected: "a check value of the same DHKey", seen: "another one")
        }
        return longTermKey
    }

    // MARK: Parts of both

    private mutating func nextConfirm(after last: String) throws(PairingEnd) -> UInt128 {
        try next(after: last, "Pairing Confirm") { if case .pairingConfirm(let value) = $0 { value } else { nil } }
    }

    /// Sends a random value; returns the peripheral's, which must not come after a wrong confirm value.
    private mutating func exchange(_ random: UInt128, _ plan: PairingPlan) throws(PairingEnd) -> UInt128 {
        let name = "Pairing Random"
        send(.pairingRandom(random))
        let peers = try next(after: name, name) { if case .pairingRandom(let value) = $0 { value } else { nil } }
        guard plan.isWrong else { return peers }
        throw .wrong(expected: "Pairing Failed after \(name), since the confirm value is wrong", seen: name)
    }

    private mutating func expectConfirmed(_ isEqual: Bool) throws(PairingEnd) {
        guard !isEqual else { return }
        send(.pairingFailed(.confirmValueFailed))
        throw .mismatched
    }
}

extension PairingPlan {
    /// Whether the examiner deviates before a passkey matters.
    fileprivate var needsNoPasskey: Bool { isWrong || failure(at: .authentication) != nil }
}

extension Examiner.PairingContext {
    /// The confirm value of LE legacy pairing.
    fileprivate func c1(_ key: UInt128, _ random: UInt128) throws(CryptographyFailure) -> UInt128 {
        try SecurityFunctions.c1(
            key: key, random: random, request: SecurityPDU.pairingRequest(request).octets,
            response: SecurityPDU.pairingResponse(response).octets, initiator: own, responder: peer)
    }
}

extension PairingFeatures {
    /// The parameter IOcap of f6.  Core 6.0, Vol 3, Part H, section 2.2.8.
    fileprivate var checkedOctets: [UInt8] { [requirements.rawValue, hasOutOfBandData ? 1 : 0, ioCapability.rawValue] }
}

private func computed<Value>(_ value: @autoclosure () throws(CryptographyFailure) -> Value) throws(PairingEnd) -> Value
{
    do throws(CryptographyFailure) { return try value() } catch { throw .impossible("libcrypto failed: \(error)") }
}
