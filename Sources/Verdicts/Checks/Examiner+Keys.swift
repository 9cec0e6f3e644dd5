import Basics
import Bluetooth
import HCI
import LEHost
import SecurityManager

// Encryption, and the keys that devices distribute.  Core 6.0, Vol 3, Part H, sections 2.4 and 3.6.
extension Examiner {
    /// Encrypts the link.
    mutating func encrypt(with key: LongTermKey) throws(PairingEnd) {
        guard let connection else { throw .lost(after: "pairing") }
        security.encryption = nil
        command(.security(connection, .encrypt(key)))
        _ = wait(atMost: Self.securityTimeout) { $0.security.encryption != nil || $0.connection == nil }
        switch (security.encryption, latestLink.end) {
        case (.success?, _) where self.connection != nil: return
        case (let status?, _) where status != .success:
            throw .wrong(expected: "a link encrypted with the key of pairing", seen: "\(status)")
        case (_, .micFailure?), (_, .keyMissing?), (_, .authenticationFailure?):
            throw .wrong(
                expected: "a link encrypted with the key of pairing", seen: "the connection ended: \(endReason)")
        default:
            throw self.connection == nil ? .lost(after: PairingEnd.encryption) : .silent(after: PairingEnd.encryption)
        }
    }

    /// Receives the keys that the peripheral has announced, in their order.  Section 3.6.1.
    mutating func takeKeys(_ context: PairingContext, into keys: inout PairedKeys) throws(PairingEnd) {
        let announced = context.response.responderKeys
        var last = PairingEnd.encryption
        if announced.contains(.encryptionKey), !context.isSecure {
            let value = try nextKey(&last, "Encryption Information") {
                if case .encryptionInformation(let value) = $0 { value } else { nil }
            }
            let (ediv, rand) = try nextKey(&last, "Central Identification") {
                if case .centralIdentification(let ediv, let rand) = $0 { (ediv, rand) } else { nil }
            }
            keys.longTermKey = LongTermKey(
                value, ediv: ediv, rand: rand, size: context.keySize, isAuthenticated: context.model.isAuthenticated)
        }
        if announced.contains(.identityKey) {
            keys.resolvingKey = try nextKey(&last, "Identity Information") {
                if case .identityInformation(let value) = $0 { value } else { nil }
            }
            keys.identityAddress = try nextKey(&last, "Identity Address Information") {
                if case .identityAddressInformation(let address) = $0 { address } else { nil }
            }
        }
        if announced.contains(.signingKey) {
            _ = try nextKey(&last, "Signing Information") {
                if case .signingInformation(let value) = $0 { value } else { nil }
            }
        }
    }

    /// The PDU after the one with the name `last`.
    private mutating func nextKey<Value>(
        _ last: inout String, _ name: String, _ extract: (SecurityPDU) -> Value?
    ) throws(PairingEnd) -> Value {
        defer { last = name }
        return try next(after: last, name, extract)
    }

    /// Distributes the keys that the peripheral has accepted.
    mutating func sendKeys(_ context: PairingContext) {
        let accepted = context.response.initiatorKeys
        if accepted.contains(.encryptionKey), !context.isSecure {
            send(.encryptionInformation(longTermKey: UInt128(using: &secrets)))
            send(.centralIdentification(ediv: UInt16(truncatingIfNeeded: secrets.next()), rand: secrets.next()))
        }
        if accepted.contains(.identityKey) {
            send(.identityInformation(0))
            send(.identityAddressInformation(context.own))
        }
        if accepted.contains(.signingKey) { send(.signingInformation(UInt128(using: &secrets))) }
    }
}
