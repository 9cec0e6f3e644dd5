public import Basics
public import Bluetooth

/// The Security Manager of one connection: pairing, encryption with a bond's key, and Security Requests.
/// Core 6.0, Vol 3, Part H, section 2.4.4, 2.4.6 and 2.3.6.
///
///     unencrypted ──start──▶ encrypting ──encryptionChanged──▶ encrypted
///          │                     ▲                                │
///          └──pair──▶ pairing ───┴──────────────◀──pair───────────┘
///
/// The central is the initiator.  A pairing that timed out leaves the connection without a Security Manager: section 3.4.
public struct LinkSecurityManager: Sendable {
    /// What happens on a connection.
    public enum Input: Hashable, Sendable {
        /// Secure the link: with the bond if there is one, else by pairing; a peripheral sends a Security Request.
        case secure
        /// Encrypt with the bond's key if there is one, as the central.
        case resume
        /// Pair, even if there is a bond.
        case pair
        /// The peer has sent this payload on the channel of the Security Manager.
        case received([UInt8])
        /// The user has entered a passkey, 0 to 999,999; nil: the user does not.
        case passkey(UInt32?)
        /// The user has compared the numbers: whether they are equal.
        case compared(areEqual: Bool)
        /// Whether the user agrees to pairing.
        case authorized(Bool)
        /// The user has pressed a key of the passkey.
        case keypress(SecurityPDU.Keypress)
        /// The peripheral's controller asks for the key with these numbers.
        case keyRequested(ediv: UInt16, rand: UInt64)
        /// The controller reports encryption, with its status, or that the link uses a new key.
        case encryptionChanged(HCIStatus, isOn: Bool)
        /// The instant of a `.wake`.
        case timePassed
        /// Encrypt with this key, as the central.
        case encrypt(LongTermKey)
    }

    /// What a connection requests or reports.
    public enum Output: Hashable, Sendable {
        /// Send this payload on the channel of the Security Manager.
        case send([UInt8])
        /// Pass in `.timePassed` at this instant.
        case wake(at: Instant)
        /// Let the controller encrypt the link, as its central.
        case encrypt(LongTermKey)
        /// Answer the controller's request with this key; nil: there is none.
        case answer(LongTermKey?)
        /// The peripheral asks for this security.  If there is a bond, its key is used at once.
        case requested(AuthenticationRequirements)
        /// Pairing has begun.
        case began
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
        /// The link is encrypted with this key, which pairing has just generated or a bond has; nil: it is not encrypted any
        /// more.
        case encrypted(LongTermKey?, isNew: Bool)
        /// The bond's key did not encrypt the link: the peer has lost it, or has another one; or this device has lost it.
        case notEncrypted(HCIStatus)
        /// Pairing is complete: the keys, and whether both devices keep them.
        case completed(Bond, isBonded: Bool)
        /// Pairing has ended without keys.
        case failed(Pairing.Failure)
    }

    /// The role of this device.
    public let role: PairingRole
    /// What this device supports and requires; a change concerns the next pairing.  nil: it does not pair.
    public var settings: SecuritySettings?
    /// Why this device does not pair now, nor sends a Security Request; nil: it does if it has settings.
    public var refusal: PairingFailedReason?
    /// What this device sends wrong in later pairings.
    public var alteration: PairingAlteration?
    /// The keys of earlier pairings with the peer.
    public var bond: Bond?
    /// The bonds with other peers.
    public var otherBonds: [Bond] = []
    /// The key that encrypts the link; nil: it is not encrypted.
    public private(set) var key: LongTermKey?
    /// Whether the link is encrypted with the bond's key, or by the pairing that made the bond.
    public private(set) var usesBond = false

    private let identity: Identity
    /// The address that this device uses in the connection.
    public let own: DeviceAddress
    /// The address that the peer uses in the connection.
    public let peer: DeviceAddress
    private var pairing: Pairing?
    private var encrypting: LongTermKey?
    /// Whether the link is about to be encrypted.
    public var isEncrypting: Bool { encrypting != nil }
    private var isOver = false

    /// A connection that is not encrypted.
    ///
    /// - Parameters:
    ///   - role: The role of this device.
    ///   - settings: What this device supports and requires; nil: it does not pair.
    ///   - identity: What this device distributes.
    ///   - own: The address that this device uses in the connection.
    ///   - peer: The address that the peer uses in the connection.
    ///   - bond: The keys of earlier pairings with the peer.
    public init(
        _ role: PairingRole, _ settings: SecuritySettings?, _ identity: Identity, own: DeviceAddress,
        peer: DeviceAddress, bond: Bond? = nil
    ) {
        (self.role, self.settings, self.identity) = (role, settings, identity)
        (self.own, self.peer, self.bond) = (own, peer, bond)
    }

    /// Whether a pairing runs.
    public var isPairing: Bool { pairing?.isOver == false }

    /// Handles one input, and appends the outputs to `outbox` in order.  Keys, random values and passkeys come from
    /// `generator`.
    public mutating func step(
        _ input: Input, at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) {
        switch input {
        case .secure: secure(at: now, using: &generator, into: &outbox)
        case .resume:
            if !isPairing, key == nil, let bonded = bond?.keyAsCentral { encrypt(with: bonded, into: &outbox) }
        case .pair: pair(at: now, using: &generator, into: &outbox)
        case .received(let octets): receive(octets, at: now, using: &generator, into: &outbox)
        case .passkey(let passkey): advance(.passkey(passkey), at: now, using: &generator, into: &outbox)
        case .compared(let areEqual):
            advance(.compared(areEqual: areEqual), at: now, using: &generator, into: &outbox)
        case .authorized(let isAuthorized):
            advance(.authorized(isAuthorized), at: now, using: &generator, into: &outbox)
        case .keypress(let keypress): advance(.keypress(keypress), at: now, using: &generator, into: &outbox)
        case .keyRequested(let ediv, let rand): answer(ediv: ediv, rand: rand, into: &outbox)
        case .encryptionChanged(let status, let isOn):
            encryptionChanged(status, isOn: isOn, at: now, using: &generator, into: &outbox)
        case .timePassed: advance(.timePassed, at: now, using: &generator, into: &outbox)
        case .encrypt(let key): if role == .initiator { encrypt(with: key, into: &outbox) }
        }
    }

    // MARK: Requests

    private mutating func secure(
        at now: Instant, using generator: inout some RandomNumberGenerator, into outbox: inout [Output]
    ) {
        guard !isPairing, role == .initiator, key == nil, let bonded = bond?.keyAsCentral else {
            return pair(at: now, using: &generator, into: &outbox)
        }
        encrypt(with: bonded, into: &outbox)
    }

    /// Sends Pairing Request, or Security Request as a peripheral.
    private mutating func pair(
        at now: Instant, using generator: inout some RandomNumberGenerator, into outbox: inout [Output]
    ) {
        guard !isPairing, encrypting == nil else { return }
        guard !isOver, let settings else { return outbox.append(.failed(.failed(.pairingNotSupported))) }
        if let refusal { return outbox.append(.failed(.failed(refusal))) }
        guard role == .initiator else {
            let requirements = settings.features(answering: nil).requirements
            return outbox.append(.send(SecurityPDU.securityRequest(requirements).octets))
        }
        begin(settings, into: &outbox)
        advance(.start, at: now, using: &generator, into: &outbox)
    }

    private mutating func begin(_ settings: SecuritySettings, into outbox: inout [Output]) {
        pairing = Pairing(
            role, settings, identity, own: own, peer: peer, replacing: bond, besides: otherBonds, altering: alteration)
        outbox.append(.began)
    }

    private mutating func encrypt(with key: LongTermKey, into outbox: inout [Output]) {
        guard encrypting == nil else { return }
        encrypting = key
        outbox.append(.encrypt(key))
    }

    // MARK: PDUs

    private mutating func receive(
        _ octets: [UInt8], at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) {
        guard !isOver else { return }
        // A Security Request that crosses a Pairing Request has its answer.
        if isPairing, role == .initiator, octets.first == 0x0B { return }
        if isPairing { return advance(.received(octets), at: now, using: &generator, into: &outbox) }
        guard let settings else {
            if octets.first == 0x01 || octets.first == 0x0B { refuse(.pairingNotSupported, into: &outbox) }
            return
        }
        switch (octets.first, role) {
        case (0x01, .responder):
            if let refusal {
                refuse(refusal, into: &outbox)
                return outbox.append(.failed(.failed(refusal)))
            }
            begin(settings, into: &outbox)
            advance(.received(octets), at: now, using: &generator, into: &outbox)
        case (0x0B, .initiator):
            guard case .securityRequest(let requirements)? = try? SecurityPDU.decode(octets) else {
                return refuse(.invalidParameters, into: &outbox)
            }
            securityRequested(requirements, into: &outbox)
        case (0x01, .initiator), (0x0B, .responder): refuse(.commandNotSupported, into: &outbox)
        default: break  // what remains of a pairing that has ended
        }
    }

    /// Section 2.4.6: the central encrypts with a bond's key that is strong enough, again if the link is encrypted with it,
    /// or lets its user decide about pairing.
    private mutating func securityRequested(_ requirements: AuthenticationRequirements, into outbox: inout [Output]) {
        outbox.append(.requested(requirements))
        guard key == nil || usesBond, let bonded = bond?.keyAsCentral, bonded.satisfies(requirements) else { return }
        encrypt(with: bonded, into: &outbox)
    }

    private func refuse(_ reason: PairingFailedReason, into outbox: inout [Output]) {
        outbox.append(.send(SecurityPDU.pairingFailed(reason).octets))
    }

    // MARK: Encryption

    private mutating func answer(ediv: UInt16, rand: UInt64, into outbox: inout [Output]) {
        let key = pairing?.key ?? bond?.keyAsPeripheral
        encrypting = key?.answers(ediv: ediv, rand: rand) == true ? key : nil
        outbox.append(.answer(encrypting))
        if encrypting == nil { outbox.append(.notEncrypted(.keyMissing)) }
    }

    private mutating func encryptionChanged(
        _ status: HCIStatus, isOn: Bool, at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) {
        let (used, new) = (encrypting, pairing?.key)
        encrypting = nil
        if status == .success {
            key = isOn ? used ?? key : nil
            usesBond = key != nil && key == bond?.key(as: role)
            outbox.append(.encrypted(key, isNew: new != nil))
        }
        guard let new else {
            if status != .success { outbox.append(.notEncrypted(status)) }
            return
        }
        // Another key than the new one would give its keys to whoever has the other.
        let isProtected = status != .success || (isOn && used == new)
        advance(.encryptionChanged(isProtected ? status : .unspecified), at: now, using: &generator, into: &outbox)
    }

    // MARK: Pairing

    private mutating func advance(
        _ input: Pairing.Input, at now: Instant, using generator: inout some RandomNumberGenerator,
        into outbox: inout [Output]
    ) {
        var outputs: [Pairing.Output] = []
        pairing?.step(input, at: now, using: &generator, into: &outputs)
        for output in outputs {
            switch output {
            case .send(let octets): outbox.append(.send(octets))
            case .wake(let instant): outbox.append(.wake(at: instant))
            case .display(let passkey): outbox.append(.display(passkey: passkey))
            case .requestPasskey: outbox.append(.requestPasskey)
            case .compare(let number): outbox.append(.compare(number))
            case .authorize: outbox.append(.authorize)
            case .keypress(let keypress): outbox.append(.keypress(keypress))
            case .encrypt(let key): if role == .initiator { encrypt(with: key, into: &outbox) }
            case .completed(let bond, let isBonded):
                if isBonded { self.bond = bond }
                usesBond = isBonded
                outbox.append(.completed(bond, isBonded: isBonded))
            case .failed(let failure):
                isOver = isOver || failure == .timedOut
                outbox.append(.failed(failure))
            }
        }
    }
}

extension LongTermKey {
    /// Whether encryption with this key is as strong as a peripheral requests.
    fileprivate func satisfies(_ requirements: AuthenticationRequirements) -> Bool {
        isAuthenticated || !requirements.contains(.mitmProtection)
    }
}
