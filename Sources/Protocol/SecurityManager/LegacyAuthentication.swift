import Cryptography

/// Phase 2 of LE legacy pairing: both devices prove that they know the Temporary Key.  Core 6.0, Vol 3, Part H, section
/// 2.3.5.5.
///
///     initiator ──Pairing Confirm──▶ responder      when the initiator knows the Temporary Key
///     initiator ◀──Pairing Confirm── responder      when the responder knows it
///     initiator ──Pairing Random───▶ responder      which checks the confirm value
///     initiator ◀──Pairing Random─── responder      the initiator checks; both have the Short Term Key
struct LegacyAuthentication: Sendable {
    private let exchange: FeatureExchange
    /// Whether this responder returns the values of the initiator, as an attacker does who tests it.
    private let echoes: Bool
    /// Whether the user has to agree.
    private var asks: Bool
    private var random: UInt128
    private var temporaryKey: UInt128?
    private var peerConfirm: UInt128?
    private var confirm: UInt128?

    init(_ exchange: FeatureExchange, _ outOfBand: OutOfBandData, asks: Bool, echoes: Bool, random: UInt128) {
        (self.exchange, self.echoes, self.random) = (exchange, echoes && exchange.role == .responder, random)
        self.asks = asks
        switch exchange.model {
        case .justWorks, .numericComparison: temporaryKey = asks ? nil : 0
        case .outOfBand: temporaryKey = outOfBand.temporaryKey
        case .passkeyEntry: break
        }
    }

    /// Starts, if the Temporary Key is known.
    mutating func start(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        if asks { outbox.append(.authorize) }
        try sendConfirmIfDue(into: &outbox)
    }

    /// Continues after the user has agreed.
    mutating func confirm(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        guard asks else { return }
        asks = false
        try provide(temporaryKey: 0, into: &outbox)
    }

    /// Continues with the Temporary Key.
    mutating func provide(temporaryKey: UInt128, into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason)
    {
        guard self.temporaryKey == nil else { return }
        self.temporaryKey = temporaryKey
        try sendConfirmIfDue(into: &outbox)
    }

    mutating func receive(
        _ pdu: SecurityPDU, into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        switch (pdu, peerConfirm) {
        case (.pairingConfirm(let value), nil) where exchange.role == .responder || confirm != nil:
            peerConfirm = value
            if echoes {
                confirm = value
                return outbox.append(.send(.pairingConfirm(value)))
            }
            guard exchange.role == .initiator else { return try sendConfirmIfDue(into: &outbox) }
            // A peer that sends the value back knows no Temporary Key (CVE-2020-26558).
            guard value != confirm else { throw .confirmValueFailed }
            outbox.append(.send(.pairingRandom(random)))
        case (.pairingRandom(let value), let expected?) where confirm != nil:
            guard let temporaryKey, try confirmValue(temporaryKey, value) == expected else { throw .confirmValueFailed }
            if echoes { random = value }
            if exchange.role == .responder { outbox.append(.send(.pairingRandom(random))) }
            outbox.append(.key(try shortTermKey(temporaryKey, peer: value)))
        default: throw .unspecifiedReason
        }
    }

    private mutating func sendConfirmIfDue(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        guard let temporaryKey, confirm == nil, exchange.role == .initiator || peerConfirm != nil else { return }
        let value = try confirmValue(temporaryKey, random)
        confirm = value
        outbox.append(.send(.pairingConfirm(value)))
    }

    private func confirmValue(_ temporaryKey: UInt128, _ random: UInt128) throws(PairingFailedReason) -> UInt128 {
        try computed { () throws(CryptographyFailure) in
            try SecurityFunctions.c1(
                key: temporaryKey, random: random, request: SecurityPDU.pairingRequest(exchange.request).octets,
                response: SecurityPDU.pairingResponse(exchange.response).octets, initiator: exchange.initiator,
                responder: exchange.responder)
        }
    }

    private func shortTermKey(_ temporaryKey: UInt128, peer: UInt128) throws(PairingFailedReason) -> UInt128 {
        let randoms = exchange.byRole(own: random, peer: peer)
        return try computed { () throws(CryptographyFailure) in
            try SecurityFunctions.s1(key: temporaryKey, responder: randoms.responder, initiator: randoms.initiator)
        }
    }
}
