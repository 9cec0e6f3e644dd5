public import Cryptography

/// Phase 2 of LE Secure Connections: both devices exchange public keys, prove what they know, and check the key.
/// Core 6.0, Vol 3, Part H, sections 2.3.5.6 and 2.3.5.7.
///
///     publicKey ──Pairing Public Key──▶ confirm ──Pairing Confirm──▶ random ──Pairing Random──▶ check
///                                          ▲                          │
///                                          └── passkey: 20 rounds ────┘
///
/// Just Works and Numeric Comparison: the responder alone sends a confirm value.  Out of band: nobody does, since the
/// confirm values were exchanged before.
struct SecureConnectionsAuthentication: Sendable {
    private enum Stage: Hashable {
        case publicKey, confirm, random, check, over
    }

    /// The number of rounds with a passkey: one for each bit.
    private static let rounds = 20

    private let exchange: FeatureExchange
    private let outOfBand: OutOfBandData
    private let keyPair: P256KeyPair
    private var stage = Stage.publicKey
    private var peerKey: P256PublicKey?
    private var dhKey: [UInt8] = []
    private var passkey: UInt32?
    private var round = 0
    private var random: UInt128 = 0
    private var peerRandom: UInt128 = 0
    private var peerConfirm: UInt128?
    private var keys: (macKey: UInt128, longTermKey: UInt128)?
    /// Whether the user has to agree.
    private let asks: Bool
    private var isConfirmed: Bool
    private var peerCheck: UInt128?

    init(
        _ exchange: FeatureExchange, _ outOfBand: OutOfBandData, asks: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingFailedReason) {
        (self.exchange, self.outOfBand, self.asks) = (exchange, outOfBand, asks)
        isConfirmed = exchange.model != .numericComparison && !asks
        if let own = outOfBand.own { keyPair = own.keyPair } else { keyPair = try P256KeyPair(using: &generator) }
    }

    /// Starts, as the initiator.
    func start(into outbox: inout [AuthenticationOutput]) {
        if exchange.role == .initiator { outbox.append(.send(.pairingPublicKey(keyPair.publicKey))) }
    }

    // MARK: What users do

    /// Continues with the passkey.
    mutating func provide(
        passkey: UInt32, using generator: inout some RandomNumberGenerator, into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        guard self.passkey == nil else { return }
        self.passkey = passkey
        if stage == .confirm { try beginRound(using: &generator, into: &outbox) }
    }

    /// Continues after the user has found that the compared numbers are equal, or has agreed.
    mutating func confirm(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        guard stage == .check, !isConfirmed else { return }
        isConfirmed = true
        try sendCheckIfDue(into: &outbox)
    }

    // MARK: PDUs

    mutating func receive(
        _ pdu: SecurityPDU, using generator: inout some RandomNumberGenerator,
        into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        switch (stage, pdu) {
        case (.publicKey, .pairingPublicKey(let key)):
            try receive(key)
            if exchange.role == .responder { outbox.append(.send(.pairingPublicKey(keyPair.publicKey))) }
            try begin(using: &generator, into: &outbox)
        case (.confirm, .pairingConfirm(let value)) where peerConfirm == nil:
            peerConfirm = value
            try continueAfterConfirm(into: &outbox)
        case (.random, .pairingRandom(let value)):
            try checkConfirm(of: value)
            peerRandom = value
            if exchange.role == .responder { outbox.append(.send(.pairingRandom(random))) }
            try endRound(using: &generator, into: &outbox)
        case (.check, .pairingDHKeyCheck(let value)) where peerCheck == nil:
            peerCheck = value
            try receiveCheck(into: &outbox)
        default: throw .unspecifiedReason
        }
    }

    /// Refuses a point that is not on the curve, and a reflected key (CVE-2018-5383, CVE-2020-26558).  Section 2.3.5.6.1.
    private mutating func receive(_ key: P256PublicKey?) throws(PairingFailedReason) {
        guard let key, key.x != keyPair.publicKey.x else { throw .dhKeyCheckFailed }
        peerKey = key
        dhKey = try computed { () throws(CryptographyFailure) in try keyPair.sharedSecret(with: key) }
    }

    private mutating func begin(
        using generator: inout some RandomNumberGenerator, into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        switch exchange.model {
        case .passkeyEntry:
            stage = .confirm
            if passkey != nil { try beginRound(using: &generator, into: &outbox) }
        case .justWorks, .numericComparison:
            random = UInt128(using: &generator)
            stage = exchange.role == .initiator ? .confirm : .random
            if exchange.role == .responder { outbox.append(.send(.pairingConfirm(try confirmValue()))) }
        case .outOfBand:
            if let peers = outOfBand.peers, let key = peerKey {
                let expected = try computed { () throws(CryptographyFailure) in
                    try SecurityFunctions.f4(key.x, key.x, peers.random, 0)
                }
                guard expected == peers.confirm else { throw .confirmValueFailed }
            }
            random = UInt128(using: &generator)
            stage = .random
            if exchange.role == .initiator { outbox.append(.send(.pairingRandom(random))) }
        }
    }

    private mutating func beginRound(
        using generator: inout some RandomNumberGenerator, into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        random = UInt128(using: &generator)
        if exchange.role == .initiator {
            outbox.append(.send(.pairingConfirm(try confirmValue())))
        } else if peerConfirm != nil {
            try continueAfterConfirm(into: &outbox)
        }
    }

    private mutating func continueAfterConfirm(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        if case .passkeyEntry = exchange.model, passkey == nil {
            // The initiator cannot send a value before the responder has seen its confirm value.
            guard exchange.role == .responder else { throw .unspecifiedReason }
            return
        }
        stage = .random
        let reply =
            exchange.role == .initiator ? SecurityPDU.pairingRandom(random) : .pairingConfirm(try confirmValue())
        outbox.append(.send(reply))
    }

    /// The confirm value of this device.
    private func confirmValue() throws(PairingFailedReason) -> UInt128 {
        try confirmValue(of: random, by: keyPair.publicKey, for: peerKey)
    }

    private func confirmValue(
        of random: UInt128, by sender: P256PublicKey, for receiver: P256PublicKey?
    ) throws(PairingFailedReason) -> UInt128 {
        guard let receiver else { throw .unspecifiedReason }
        let z = passkey.map { 0x80 | UInt8($0 >> UInt32(round) & 1) } ?? 0
        return try computed { () throws(CryptographyFailure) in
            try SecurityFunctions.f4(sender.x, receiver.x, random, z)
        }
    }

    private func checkConfirm(of value: UInt128) throws(PairingFailedReason) {
        guard let peerConfirm, let peerKey else { return }
        guard try confirmValue(of: value, by: peerKey, for: keyPair.publicKey) == peerConfirm else {
            throw .confirmValueFailed
        }
    }

    private mutating func endRound(
        using generator: inout some RandomNumberGenerator, into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        round += 1
        if case .passkeyEntry = exchange.model, round < Self.rounds {
            (stage, peerConfirm) = (.confirm, nil)
            return try beginRound(using: &generator, into: &outbox)
        }
        try endRandoms(into: &outbox)
    }

    // MARK: The check of the key: section 2.3.5.6.5

    private mutating func endRandoms(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        stage = .check
        let randoms = exchange.byRole(own: random, peer: peerRandom)
        keys = try computed { () throws(CryptographyFailure) in
            try SecurityFunctions.f5(
                dhKey: dhKey, initiator: (randoms.initiator, exchange.initiator),
                responder: (randoms.responder, exchange.responder))
        }
        if exchange.model == .numericComparison, let peerKey {
            let points = exchange.byRole(own: keyPair.publicKey.x, peer: peerKey.x)
            let number = try computed { () throws(CryptographyFailure) in
                try SecurityFunctions.g2(points.initiator, points.responder, randoms.initiator, randoms.responder)
            }
            outbox.append(.compare(number))
        }
        if asks { outbox.append(.authorize) }
        try sendCheckIfDue(into: &outbox)
    }

    private mutating func sendCheckIfDue(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        guard stage == .check, isConfirmed else { return }
        if exchange.role == .initiator {
            outbox.append(.send(.pairingDHKeyCheck(try check(by: exchange.role))))
        } else if let keys, peerCheck != nil {
            outbox.append(.send(.pairingDHKeyCheck(try check(by: exchange.role))))
            outbox.append(.key(keys.longTermKey))
            stage = .over
        }
    }

    private mutating func receiveCheck(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        guard exchange.role == .responder || isConfirmed, let keys else { throw .unspecifiedReason }
        guard try check(by: exchange.role.other) == peerCheck else { throw .dhKeyCheckFailed }
        guard exchange.role == .initiator else { return try sendCheckIfDue(into: &outbox) }
        outbox.append(.key(keys.longTermKey))
        stage = .over
    }

    /// The check value that a role sends.
    private func check(by sender: PairingRole) throws(PairingFailedReason) -> UInt128 {
        guard let keys else { throw .unspecifiedReason }
        let randoms = exchange.byRole(own: random, peer: peerRandom)
        let initiator = (random: randoms.initiator, address: exchange.initiator)
        let responder = (random: randoms.responder, address: exchange.responder)
        let isInitiator = sender == .initiator
        let ioCap = (isInitiator ? exchange.request : exchange.response).ioCap
        let value = shared(by: sender)
        return try computed { () throws(CryptographyFailure) in
            try SecurityFunctions.f6(
                key: keys.macKey, sender: isInitiator ? initiator : responder,
                receiver: isInitiator ? responder : initiator, value, ioCap: ioCap)
        }
    }

    /// The parameter R of f6: the passkey; or the out-of-band value that the sender has received, 0 if none; else 0.
    private func shared(by sender: PairingRole) -> UInt128 {
        switch exchange.model {
        case .justWorks, .numericComparison: return 0
        case .passkeyEntry: return UInt128(passkey ?? 0)
        case .outOfBand:
            if sender == exchange.role { return outOfBand.peers?.random ?? 0 }
            return exchange.peer.hasOutOfBandData ? outOfBand.own?.random ?? 0 : 0
        }
    }
}

extension P256KeyPair {
    /// A random key pair.  About one number in 2³² is not a private key, so a second attempt succeeds.
    ///
    /// - Parameter generator: Where the private key comes from.
    /// - Throws: Unspecified Reason if libcrypto cannot compute the public key.
    public init(using generator: inout some RandomNumberGenerator) throws(PairingFailedReason) {
        for _ in 0..<3 {
            let number = UInt128(using: &generator).mostSignificantFirst
            let privateKey = number + UInt128(using: &generator).mostSignificantFirst
            if let pair = try? P256KeyPair(privateKey: privateKey) {
                self = pair
                return
            }
        }
        throw .unspecifiedReason
    }
}
