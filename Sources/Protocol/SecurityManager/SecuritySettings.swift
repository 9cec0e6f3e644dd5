public import Bluetooth

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
    /// Whether the user has to agree to a pairing that the peer requests and that authenticates nobody: `Output.authorize`.
    public var asksToAuthorize = false
    /// The data that the devices have exchanged out of band.
    public var outOfBand = OutOfBandData()

    /// Just Works, with a bond, and with LE Secure Connections if the peer supports it.
    public init() {}

    /// Whether a pairing is put to the user.
    ///
    /// As the kernel of Linux does: a responder asks, in LE legacy pairing only if its user could answer: smp_cmd_pairing_random and
    /// tk_request in net/bluetooth/smp.c.
    func asks(_ exchange: FeatureExchange) -> Bool {
        guard asksToAuthorize, exchange.model == .justWorks, exchange.role == .responder else { return false }
        return exchange.isSecureConnections || ioCapability != .noInputNoOutput
    }

    /// The features of a Pairing Request, or of the Pairing Response to one.
    func features(answering request: PairingFeatures?) -> PairingFeatures {
        var requirements: AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if authentication != .off { requirements.insert(.mitmProtection) }
        if secureConnections != .off { requirements.insert(.secureConnections) }
        if hasKeypresses { requirements.insert(.keypress) }
        return PairingFeatures(
            ioCapability, hasOutOfBandData: hasOutOfBandData(answering: request), requirements,
            maximumKeySize: keySizes.upperBound,
            initiatorKeys: request.map { $0.initiatorKeys.intersection(accepts) } ?? distributes,
            responderKeys: request.map { $0.responderKeys.intersection(distributes) } ?? accepts)
    }

    /// Whether the device has the peer's data.  Those for LE legacy pairing count in a Pairing Request, too: the peer decides
    /// how the devices pair.
    private func hasOutOfBandData(answering request: PairingFeatures?) -> Bool {
        let (forLegacy, forSecure) = (outOfBand.temporaryKey != nil, outOfBand.peers != nil)
        guard secureConnections != .off else { return forLegacy }
        guard let request else { return forLegacy || forSecure }
        return request.supportsSecureConnections ? forSecure : forLegacy
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
