public import Bluetooth
public import Cryptography

/// What a device supports and requires of pairing.
public struct SecuritySettings: Hashable, Sendable {
    /// Whether a device uses something that the peer perhaps does not support.
    public enum Preference: String, CaseIterable, Sendable {
        /// Never.
        case off
        /// If the peer can.
        case preferred
        /// The device does not pair without it.
        case required
    }

    /// What the device can display, and what its user can enter.
    public var ioCapability = IOCapability.noInputNoOutput
    /// Whether the device keeps the keys.
    public var isBonding = true
    /// Whether pairing authenticates the peer: the bit MITM of AuthReq.
    public var authentication = Preference.off
    /// Whether the device uses LE Secure Connections; `required` is the mode "Secure Connections Only", with keys of 16
    /// octets.  Core 6.0, Vol 3, Part C, section 10.2.4.
    public var secureConnections = Preference.preferred
    /// Whether the device sends Keypress Notifications, and receives them.
    public var hasKeypresses = false
    /// The lengths of encryption keys that the device accepts, in octets, within 7 to 16.
    public var keySizes: ClosedRange<UInt8> = 7...16
    /// The keys that the device distributes.
    public var distributes: KeyDistribution = [.encryptionKey, .identityKey]
    /// The keys that the device accepts.
    public var accepts = KeyDistribution.all
    /// The passkey that the device displays; nil: a random one.
    public var passkey: UInt32?
    /// The data that the devices have exchanged out of band.
    public var outOfBand = OutOfBandData()

    /// Just Works, with a bond, and with LE Secure Connections if the peer supports it.
    public init() {}

    /// The features of a Pairing Request, or of the Pairing Response to one.
    func features(answering request: PairingFeatures?) -> PairingFeatures {
        var requirements: AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if authentication != .off { requirements.insert(.mitmProtection) }
        if secureConnections != .off { requirements.insert(.secureConnections) }
        if hasKeypresses { requirements.insert(.keypress) }
        let isSecure = secureConnections != .off && request?.supportsSecureConnections != false
        return PairingFeatures(
            ioCapability, hasOutOfBandData: outOfBand.hasPeers(isSecure: isSecure), requirements,
            maximumKeySize: keySizes.upperBound,
            initiatorKeys: request.map { $0.initiatorKeys.intersection(accepts) } ?? distributes,
            responderKeys: request.map { $0.responderKeys.intersection(distributes) } ?? accepts)
    }
}

/// Data that two devices have exchanged another way than by Bluetooth.  Core 6.0, Vol 3, Part H, sections 2.3.5.4, 2.3.5.6.4.
public struct OutOfBandData: Hashable, Sendable {
    /// A value and a commitment to a public key: what a device gives away for LE Secure Connections.
    public struct Commitment: Hashable, Sendable {
        /// The value r.
        public var random: UInt128
        /// f4 of the device's public key and r.
        public var confirm: UInt128

        /// A commitment that was received.
        public init(random: UInt128, confirm: UInt128) { (self.random, self.confirm) = (random, confirm) }

        /// The commitment to a key with the random value r.
        public init(random: UInt128, to key: P256PublicKey) throws(CryptographyFailure) {
            self.init(random: random, confirm: try SecurityFunctions.f4(key.x, key.x, random, 0))
        }
    }

    /// A key pair and the value r of a commitment to it.
    public struct Own: Hashable, Sendable {
        /// The key pair that pairing has to use.
        public var keyPair: P256KeyPair
        /// The value r.
        public var random: UInt128

        /// The origin of a commitment.
        public init(_ keyPair: P256KeyPair, random: UInt128) { (self.keyPair, self.random) = (keyPair, random) }

        /// A random key pair and value; throws Unspecified Reason if libcrypto cannot compute the public key.
        public init(using generator: inout some RandomNumberGenerator) throws(PairingFailedReason) {
            self.init(try P256KeyPair(using: &generator), random: UInt128(using: &generator))
        }

        /// What the device gives away.
        public var commitment: Commitment {
            get throws(CryptographyFailure) { try Commitment(random: random, to: keyPair.publicKey) }
        }
    }

    /// The Temporary Key of LE legacy pairing, which both devices know.
    public var temporaryKey: UInt128?
    /// The peer's commitment, which this device has received.
    public var peers: Commitment?
    /// The origin of the commitment that this device has given away.
    public var own: Own?

    /// No data.
    public init() {}

    func hasPeers(isSecure: Bool) -> Bool { isSecure ? peers != nil : temporaryKey != nil }

    /// Whether there is what the flags of both devices promise.  Without it a peer could claim an authentication that never
    /// happened.
    func isSufficient(for exchange: FeatureExchange) -> Bool {
        guard exchange.isSecureConnections else { return temporaryKey != nil }
        return (!exchange.own.hasOutOfBandData || peers != nil) && (!exchange.peer.hasOutOfBandData || own != nil)
    }
}

/// What a device distributes so that bonded peers recognize it.  Core 6.0, Vol 3, Part H, section 2.4.2.
public struct Identity: Hashable, Sendable {
    /// The public or static random address.
    public var address: DeviceAddress
    /// The IRK; 0 if the device does not use resolvable private addresses.
    public var resolvingKey: UInt128

    /// An identity with this address.
    public init(_ address: DeviceAddress, resolvingKey: UInt128 = 0) {
        (self.address, self.resolvingKey) = (address, resolvingKey)
    }
}
