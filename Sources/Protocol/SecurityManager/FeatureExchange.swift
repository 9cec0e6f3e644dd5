import Bluetooth

/// The features of both devices, which determine the rest of pairing.
struct FeatureExchange: Sendable {
    let role: PairingRole
    let initiator: DeviceAddress
    let responder: DeviceAddress
    let request: PairingFeatures
    let response: PairingFeatures
    let model: AssociationModel

    init(
        _ role: PairingRole, own: DeviceAddress, peer: DeviceAddress, _ request: PairingFeatures,
        _ response: PairingFeatures
    ) {
        self.role = role
        (initiator, responder) = role == .initiator ? (own, peer) : (peer, own)
        (self.request, self.response) = (request, response)
        model = AssociationModel(initiator: request, responder: response)
    }

    var own: PairingFeatures { role == .initiator ? request : response }
    var peer: PairingFeatures { role == .initiator ? response : request }
    var isSecureConnections: Bool { request.supportsSecureConnections && response.supportsSecureConnections }
    var isBonding: Bool { request.requirements.contains(.bonding) && response.requirements.contains(.bonding) }
    var hasKeypresses: Bool { request.requirements.contains(.keypress) && response.requirements.contains(.keypress) }
    var keySize: UInt8 { min(request.maximumKeySize, response.maximumKeySize) }

    /// The keys that a role distributes.  LE Secure Connections generates the LTK on both sides.
    func keys(of role: PairingRole) -> KeyDistribution {
        let keys = role == .initiator ? response.initiatorKeys : response.responderKeys
        return isSecureConnections ? keys.subtracting(.encryptionKey) : keys
    }

    func byRole<Value>(own: Value, peer: Value) -> (initiator: Value, responder: Value) {
        role == .initiator ? (own, peer) : (peer, own)
    }

    /// Whether the user of this device has to enter a passkey.
    var entersPasskey: Bool {
        guard case .passkeyEntry(let displayedBy) = model else { return false }
        return displayedBy != role
    }
}
