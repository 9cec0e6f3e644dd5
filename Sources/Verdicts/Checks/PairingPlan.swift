package import Bluetooth
package import SecurityManager

/// How the examiner pairs as the initiator, and where it deviates from the specification.  Core 6.0, Vol 3, Part H, section 2.3.
package struct PairingPlan: Sendable {
    /// How pairing is to authenticate.
    package enum Model: Sendable {
        case justWorks, passkeyEntry, outOfBand
        /// Whatever both devices' features determine.
        case any

        func includes(_ model: AssociationModel) -> Bool {
            switch (self, model) {
            case (.any, _), (.justWorks, .justWorks), (.passkeyEntry, .passkeyEntry), (.outOfBand, .outOfBand): true
            default: false
            }
        }
    }

    /// A step in which the examiner can send Pairing Failed.
    package enum Step: Sendable {
        /// After Pairing Response.
        case features
        /// After Pairing Confirm of the peripheral, or, out of band, its Pairing Public Key.
        case authentication
        /// After the peripheral has distributed its keys.
        case keys
    }

    /// An invalid public key, and the DHKey with which the examiner continues.
    package enum InvalidKey: CaseIterable, Sendable {
        /// y is 0, a point of order 2 on another curve: the product with an even private key is the point at infinity.
        case evenProduct
        /// y is 0: the product with an odd private key is the point itself.
        case oddProduct
        /// One bit of y is wrong.
        case flippedBit
        /// Both coordinates are 0.
        case zero
    }

    package enum Deviation: Sendable {
        case wrongConfirm
        case failure(PairingFailedReason, at: Step)
        case invalidKey(InvalidKey)
        /// Sends nothing after Pairing Response.
        case silence
    }

    package var io = IOCapability.noInputNoOutput
    /// The field AuthReq, with any reserved bits.
    package var requirements: AuthenticationRequirements
    package var maximumKeySize: UInt8 = 16
    /// The keys that the examiner distributes.
    package var ownKeys: KeyDistribution = []
    /// The keys that the peripheral distributes.
    package var keys: KeyDistribution = []
    package var model = Model.any
    /// The data that the examiner uses out of band; its flag is set if it has the peer's.
    package var outOfBand = OutOfBandData()
    /// Whether the flag is set although the examiner has no data of the peripheral.
    package var claimsOutOfBandData = false
    package var deviation: Deviation?
    /// Whether a peripheral without LE Secure Connections, which the examiner asks for, is of no use.
    var needsSecureConnections = true

    /// Just Works, without a bond.
    package init(_ requirements: AuthenticationRequirements = []) { self.requirements = requirements }

    package var isSecure: Bool { requirements.contains(.secureConnections) }

    /// The plan with a deviation.
    package func but(_ deviation: Deviation) -> PairingPlan {
        var plan = self
        plan.deviation = deviation
        return plan
    }

    /// The features in Pairing Request.
    package var features: PairingFeatures {
        let hasData = isSecure ? outOfBand.peers != nil : outOfBand.temporaryKey != nil
        return PairingFeatures(
            io, hasOutOfBandData: hasData || claimsOutOfBandData, requirements, maximumKeySize: maximumKeySize,
            initiatorKeys: ownKeys, responderKeys: keys)
    }

    /// Asks for a bond, and for these keys of the peripheral.
    mutating func bond(with keys: KeyDistribution) {
        requirements.insert(.bonding)
        self.keys = keys
    }

    var isWrong: Bool { if case .wrongConfirm? = deviation { true } else { false } }

    /// The reason to send Pairing Failed in a step; nil to go on.
    func failure(at step: Step) -> PairingFailedReason? {
        if case .failure(let reason, step)? = deviation { reason } else { nil }
    }
}

/// The keys that the examiner has after pairing, and the values from which they come.
package struct PairedKeys: Sendable {
    package let response: PairingFeatures
    /// The key of the link: the STK, or the LTK of LE Secure Connections.
    package var linkKey: LongTermKey
    /// The key for further encryption; nil if the peripheral has distributed none.
    package var longTermKey: LongTermKey?
    package var identityAddress: DeviceAddress?
    /// The peripheral's IRK.
    package var resolvingKey: UInt128?
    /// The peripheral's random values.
    package var randoms: [UInt128] = []
}

/// Why pairing ended without keys.
package enum PairingEnd: Error, Sendable {
    /// The peripheral sent Pairing Failed.
    case refused(PairingFailedReason, after: String)
    /// The peripheral sent nothing for 30 s.
    case silent(after: String)
    /// The connection ended.
    case lost(after: String)
    /// The peripheral's random value does not match its confirm value, for example because the passkeys differ.
    case mismatched
    /// The examiner ended it as planned.
    case broken
    /// The examiner ended it, because the check does not apply or nobody does what a user has to.
    case impossible(String)
    /// The peripheral deviates from the specification.
    case wrong(expected: String, seen: String, evidence: [UInt8] = [])

    /// What the first step waits for.
    static let first = "Pairing Request"
    static let encryption = "the start of encryption"
}

extension SecurityPDU {
    /// `Pairing Failed (confirm_value_failed)`
    package var name: String {
        switch self {
        case .pairingRequest: "Pairing Request"
        case .pairingResponse: "Pairing Response"
        case .pairingConfirm: "Pairing Confirm"
        case .pairingRandom: "Pairing Random"
        case .pairingFailed(let reason): "Pairing Failed (\(reason))"
        case .encryptionInformation: "Encryption Information"
        case .centralIdentification: "Central Identification"
        case .identityInformation: "Identity Information"
        case .identityAddressInformation: "Identity Address Information"
        case .signingInformation: "Signing Information"
        case .securityRequest: "Security Request"
        case .pairingPublicKey: "Pairing Public Key"
        case .pairingDHKeyCheck: "Pairing DHKey Check"
        case .keypressNotification: "Keypress Notification"
        }
    }
}
