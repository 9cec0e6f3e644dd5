public import Basics
public import Bluetooth

/// One pairing on one connection, as initiator or responder.  Core 6.0, Vol 3, Part H, sections 2.1 and 2.3.
///
///     idle ──Pairing Request, Pairing Response──▶ authenticating ──key──▶ encrypting ──▶ distributing ──▶ over
///
/// LE legacy pairing and LE Secure Connections, with all association models.  Any failure, a command out of order, and
/// 30 s without a command end it.  Total: nothing that a peer sends traps it.
public struct Pairing: Sendable {
    /// What happens to a pairing.
    public enum Input: Sendable {
        /// Start, as the initiator.
        case start
        /// The peer has sent this payload.
        case received([UInt8])
        /// The user has entered a passkey, 0 to 999,999; nil: the user does not.
        case passkey(UInt32?)
        /// The user has compared the numbers: whether they are equal.
        case compared(areEqual: Bool)
        /// Whether the user agrees to pairing.
        case authorized(Bool)
        /// The user has pressed a key of the passkey.
        case keypress(SecurityPDU.Keypress)
        /// The link is encrypted with the key of `.encrypt`, or not, for this reason.
        case encryptionChanged(HCIStatus)
        /// The instant of a `.wake`.
        case timePassed
    }

    /// What a pairing requests or reports.
    public enum Output: Hashable, Sendable {
        /// Send this payload.
        case send([UInt8])
        /// Pass in `.timePassed` at this instant.
        case wake(at: Instant)
        /// Display this passkey of six digits.
        case display(passkey: UInt32)
        /// Ask the user for the passkey, and pass in `.passkey`.
        case requestPasskey
        /// Display this number of six digits, ask whether the peer displays the same, and pass in `.compared`.
        case compare(UInt32)
        /// Ask the user whether to pair with a peer that nobody authenticates, and pass in `.authorized`.
        case authorize
        /// The peer's user has pressed a key of the passkey.
        case keypress(SecurityPDU.Keypress)
        /// The central starts encryption; the peripheral answers its controller's request.  Then pass in
        /// `.encryptionChanged`.
        case encrypt(LongTermKey)
        /// Pairing is complete: the keys, and whether both devices keep them.
        case completed(Bond, isBonded: Bool)
        /// Pairing has ended without keys.
        case failed(Failure)
    }

    /// Why pairing has ended.
    public enum Failure: Hashable, Sendable {
        /// This device has sent Pairing Failed.
        case failed(PairingFailedReason)
        /// The peer has sent Pairing Failed.
        case refused(PairingFailedReason)
        /// No command for 30 s.  The connection cannot be used for pairing again.  Section 3.4.
        case timedOut
        /// The link could not be encrypted.
        case notEncrypted(HCIStatus)

        /// The reason in the Pairing Failed that either device has sent; nil if none has.
        public var reason: PairingFailedReason? {
            switch self {
            case .failed(let reason), .refused(let reason): reason
            case .timedOut, .notEncrypted: nil
            }
        }

        /// `confirm_value_failed`, `timed_out`, or the controller's status.
        public var name: String {
            switch self {
            case .failed(let reason), .refused(let reason): reason.description
            case .timedOut: "timed_out"
            case .notEncrypted(let status): status.name ?? "\(status)"
            }
        }
    }

    /// From one command to the next, in nanoseconds.  Section 3.4.
    public static let timeout: Int64 = 30_000_000_000

    enum Phase: Sendable {
        case idle
        case exchangingFeatures(PairingFeatures)
        case authenticating(FeatureExchange, Authentication)
        case encrypting(FeatureExchange, LongTermKey)
        case distributing(FeatureExchange, KeyExchange)
        case over
    }

    /// The role of this device.
    public let role: PairingRole
    let settings: SecuritySettings
    let identity: Identity
    let own: DeviceAddress
    let peer: DeviceAddress
    let bond: Bond?
    let otherBonds: [Bond]
    /// What this device sends wrong.
    private let alteration: PairingAlteration?
    var phase = Phase.idle
    var deadline = Instant.never

    /// A pairing that has not started.
    ///
    /// - Parameters:
    ///   - role: The role of this device.
    ///   - settings: What this device supports and requires.
    ///   - identity: What this device distributes.
    ///   - own: The address that this device uses in the connection.
    ///   - peer: The address that the peer uses in the connection.
    ///   - bond: The keys of an earlier pairing with the peer: a weaker one is refused.
    ///   - otherBonds: Those with other peers, whose identities the peer cannot take over without authentication.
    ///   - alteration: What this device sends wrong, as the responder if it concerns the features.
    public init(
        _ role: PairingRole, _ settings: SecuritySettings, _ identity: Identity, own: DeviceAddress,
        peer: DeviceAddress, replacing bond: Bond? = nil, besides otherBonds: [Bond] = [],
        altering alteration: PairingAlteration? = nil
    ) {
        (self.role, self.settings, self.identity) = (role, settings, identity)
        (self.own, self.peer, self.bond, self.otherBonds) = (own, peer, bond, otherBonds)
        self.alteration = alteration
    }

    /// Whether pairing has ended.
    public var isOver: Bool { if case .over = phase { true } else { false } }

    /// The key with which the peripheral answers its controller's request.
    public var key: LongTermKey? { if case .encrypting(_, let key) = phase { key } else { nil } }

    /// Handles one input, and appends the outputs to `outbox` in order.  Keys, random values and passkeys come from
    /// `generator`.
    public mutating func step(
        _ input: Input, at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) {
        guard !isOver else { return }
        do throws(PairingFailedReason) {
            try handle(input, at: now, using: &generator, into: &outbox)
        } catch {
            send(.pairingFailed(error), at: now, into: &outbox)
            end(.failed(.failed(error)), into: &outbox)
        }
    }

    private mutating func handle(
        _ input: Input, at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) throws(PairingFailedReason) {
        switch (input, phase) {
        case (.start, .idle):
            guard role == .initiator else { return }
            let request = settings.features(answering: nil)
            phase = .exchangingFeatures(request)
            send(.pairingRequest(request), at: now, into: &outbox)
        case (.received(let octets), _): try receive(octets, at: now, using: &generator, into: &outbox)
        case (.passkey(let passkey), .authenticating(let exchange, _)) where exchange.entersPasskey:
            guard let passkey, passkey <= 999_999 else { throw .passkeyEntryFailed }
            try provide(passkey, at: now, using: &generator, into: &outbox)
        case (.compared(let areEqual), .authenticating(let exchange, _)) where exchange.model == .numericComparison:
            guard areEqual else { throw .numericComparisonFailed }
            try confirm(at: now, into: &outbox)
        case (.authorized(let isAuthorized), .authenticating(let exchange, _)) where settings.asks(exchange):
            // sc_user_reply and smp_user_confirm_reply in net/bluetooth/smp.c of Linux.
            guard isAuthorized else {
                throw exchange.isSecureConnections ? .numericComparisonFailed : .passkeyEntryFailed
            }
            try confirm(at: now, into: &outbox)
        case (.keypress(let keypress), .authenticating(let exchange, _)) where exchange.hasKeypresses:
            send(.keypressNotification(keypress), at: now, into: &outbox)
        case (.encryptionChanged(let status), .encrypting(let exchange, let key)):
            guard status == .success else { return end(.failed(.notEncrypted(status)), into: &outbox) }
            let keys = KeyExchange(exchange, identity, with: key, peer: peer, besides: otherBonds, using: &generator)
            distribute(keys, exchange, at: now, into: &outbox)
        case (.timePassed, _): if deadline <= now { end(.failed(.timedOut), into: &outbox) }
        default: break
        }
    }

    // MARK: PDUs

    private mutating func receive(
        _ octets: [UInt8], at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) throws(PairingFailedReason) {
        guard let pdu = try Self.decoded(octets) else { return }
        watch(from: now, into: &outbox)
        switch (pdu, phase) {
        case (.pairingFailed(let reason), _): end(.failed(.refused(reason)), into: &outbox)
        case (.pairingRequest(let request), .idle) where role == .responder:
            let response = settings.features(answering: request)
            let right = FeatureExchange(role, own: own, peer: peer, request, response)
            try settings.check(right, replacing: bond)
            let sent = altered(.pairingResponse(response))
            send(sent, at: now, into: &outbox)
            var exchange = right
            if alteration != nil, case .pairingResponse(let changed)? = try? SecurityPDU.decode(sent) {
                exchange = FeatureExchange(role, own: own, peer: peer, request, changed)
            }
            try authenticate(exchange, at: now, using: &generator, into: &outbox)
        case (.pairingResponse(let response), .exchangingFeatures(let request)):
            let exchange = FeatureExchange(role, own: own, peer: peer, request, response)
            try settings.check(exchange, replacing: bond)
            try authenticate(exchange, at: now, using: &generator, into: &outbox)
        case (.keypressNotification(let keypress), .authenticating(let exchange, _)) where exchange.hasKeypresses:
            outbox.append(.keypress(keypress))
        case (_, .authenticating):
            try authenticate(at: now, into: &outbox) { (authentication, outputs) throws(PairingFailedReason) in
                try authentication.receive(pdu, using: &generator, into: &outputs)
            }
        case (_, .distributing(let exchange, var keys)):
            try keys.receive(pdu)
            distribute(keys, exchange, at: now, into: &outbox)
        default: throw .unspecifiedReason
        }
    }

    /// nil for a reserved code.
    private static func decoded(_ octets: [UInt8]) throws(PairingFailedReason) -> SecurityPDU? {
        do throws(Malformed) { return try SecurityPDU.decode(octets) } catch { throw .invalidParameters }
    }

    // MARK: Phase 2

    private mutating func authenticate(
        _ exchange: FeatureExchange, at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) throws(PairingFailedReason) {
        let authentication = try Authentication(
            exchange, settings.outOfBand, asks: settings.asks(exchange), echoes: alteration?.content == .echo,
            using: &generator)
        phase = .authenticating(exchange, authentication)
        try authenticate(at: now, into: &outbox) { (authentication, outputs) throws(PairingFailedReason) in
            try authentication.start(into: &outputs)
        }
        guard case .passkeyEntry = exchange.model else { return }
        guard !exchange.entersPasskey else { return outbox.append(.requestPasskey) }
        let passkey = settings.passkey ?? UInt32(generator.next().multipliedFullWidth(by: 1_000_000).high)
        outbox.append(.display(passkey: passkey))
        try provide(passkey, at: now, using: &generator, into: &outbox)
    }

    private mutating func provide(
        _ passkey: UInt32, at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) throws(PairingFailedReason) {
        try authenticate(at: now, into: &outbox) { (authentication, outputs) throws(PairingFailedReason) in
            try authentication.provide(passkey: passkey, using: &generator, into: &outputs)
        }
    }

    /// Continues after the user has agreed.
    private mutating func confirm(at now: Instant, into outbox: inout [Output]) throws(PairingFailedReason) {
        try authenticate(at: now, into: &outbox) { (authentication, outputs) throws(PairingFailedReason) in
            try authentication.confirm(into: &outputs)
        }
    }

    private mutating func authenticate(
        at now: Instant, into outbox: inout [Output],
        _ body: (inout Authentication, inout [AuthenticationOutput]) throws(PairingFailedReason) -> Void
    ) throws(PairingFailedReason) {
        guard case .authenticating(let exchange, var authentication) = phase else { return }
        var outputs: [AuthenticationOutput] = []
        try body(&authentication, &outputs)
        phase = .authenticating(exchange, authentication)
        for output in outputs {
            switch output {
            case .send(let pdu): send(pdu, at: now, into: &outbox)
            case .compare(let number): outbox.append(.compare(number))
            case .authorize: outbox.append(.authorize)
            case .key(let value):
                let key = LongTermKey(
                    value, size: exchange.keySize, isAuthenticated: exchange.model.isAuthenticated,
                    isSecureConnections: exchange.isSecureConnections)
                phase = .encrypting(exchange, key)
                outbox.append(.encrypt(key))
            }
        }
    }

    // MARK: Phase 3

    private mutating func distribute(
        _ keys: KeyExchange, _ exchange: FeatureExchange, at now: Instant, into outbox: inout [Output]
    ) {
        var keys = keys
        for pdu in keys.next() { send(pdu, at: now, into: &outbox) }
        phase = .distributing(exchange, keys)
        if keys.isComplete {
            end(.completed(keys.bond, isBonded: exchange.isBonding && !keys.bond.keys.isEmpty), into: &outbox)
        }
    }

    // MARK: Outputs

    private mutating func send(_ pdu: SecurityPDU, at now: Instant, into outbox: inout [Output]) {
        send(altered(pdu), at: now, into: &outbox)
    }

    private func altered(_ pdu: SecurityPDU) -> [UInt8] { alteration?.altered(pdu.octets) ?? pdu.octets }

    private mutating func send(_ octets: [UInt8], at now: Instant, into outbox: inout [Output]) {
        outbox.append(.send(octets))
        watch(from: now, into: &outbox)
    }

    /// Starts the Security Manager Timer.
    private mutating func watch(from now: Instant, into outbox: inout [Output]) {
        deadline = now.advanced(byNanoseconds: Self.timeout)
        outbox.append(.wake(at: deadline))
    }

    private mutating func end(_ output: Output, into outbox: inout [Output]) {
        phase = .over
        outbox.append(output)
    }
}

extension SecuritySettings {
    /// Throws if the features of both devices cannot give what this device requires.
    fileprivate func check(_ exchange: FeatureExchange, replacing bond: Bond?) throws(PairingFailedReason) {
        let earlier = bond?.keys ?? []
        let minimum = secureConnections == .required ? 16 : keySizes.lowerBound
        guard exchange.keySize >= max(minimum, earlier.map(\.size).max() ?? 0) else { throw .encryptionKeySize }
        let needsSecureConnections = secureConnections == .required || earlier.contains(where: \.isSecureConnections)
        let needsAuthentication = authentication == .required || earlier.contains(where: \.isAuthenticated)
        guard !needsSecureConnections || exchange.isSecureConnections,
            !needsAuthentication || exchange.model.isAuthenticated
        else { throw .authenticationRequirements }
        guard exchange.model != .outOfBand || outOfBand.isSufficient(for: exchange) else {
            throw .outOfBandNotAvailable
        }
        guard exchange.response.initiatorKeys.isSubset(of: exchange.request.initiatorKeys),
            exchange.response.responderKeys.isSubset(of: exchange.request.responderKeys)
        else { throw .invalidParameters }
    }
}
