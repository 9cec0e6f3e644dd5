import Bluetooth

/// Phase 3: the devices distribute keys over the encrypted link, the responder first.  Core 6.0, Vol 3, Part H, section
/// 3.6.1.
struct KeyExchange: Sendable {
    private let role: PairingRole
    private var unsent: [SecurityPDU]
    private var expected: [Kind]
    private(set) var bond: Bond
    private let key: LongTermKey
    private let otherBonds: [Bond]
    private var receivedKey: UInt128?

    private enum Kind: Sendable {
        case longTermKey, centralIdentification, identity, identityAddress, signingKey
    }

    /// `key` has the properties that a distributed LTK gets.
    init(
        _ exchange: FeatureExchange, _ identity: Identity, with key: LongTermKey, peer: DeviceAddress,
        besides otherBonds: [Bond], using generator: inout some RandomNumberGenerator
    ) {
        (role, self.key, self.otherBonds) = (exchange.role, key, otherBonds)
        bond = Bond(with: peer)
        expected = Self.kinds(of: exchange.keys(of: exchange.role.other))
        unsent = []
        if key.isSecureConnections { (bond.keyAsCentral, bond.keyAsPeripheral) = (key, key) }
        let own = exchange.keys(of: exchange.role)
        if own.contains(.encryptionKey) {
            var longTermKey = LongTermKey(UInt128(using: &generator), size: key.size)
            longTermKey.isAuthenticated = key.isAuthenticated
            longTermKey.ediv = UInt16(truncatingIfNeeded: generator.next())
            longTermKey.rand = generator.next()
            bond.keyAsPeripheral = longTermKey
            unsent.append(.encryptionInformation(longTermKey: longTermKey.value))
            unsent.append(.centralIdentification(ediv: longTermKey.ediv, rand: longTermKey.rand))
        }
        if own.contains(.identityKey) {
            unsent.append(.identityInformation(identity.resolvingKey))
            unsent.append(.identityAddressInformation(identity.address))
        }
        if own.contains(.signingKey) {
            let signingKey = UInt128(using: &generator)
            bond.signingKey = signingKey
            unsent.append(.signingInformation(signingKey))
        }
    }

    private static func kinds(of keys: KeyDistribution) -> [Kind] {
        var kinds: [Kind] = []
        if keys.contains(.encryptionKey) { kinds += [.longTermKey, .centralIdentification] }
        if keys.contains(.identityKey) { kinds += [.identity, .identityAddress] }
        if keys.contains(.signingKey) { kinds.append(.signingKey) }
        return kinds
    }

    /// Whether all keys were exchanged.
    var isComplete: Bool { unsent.isEmpty && expected.isEmpty }

    /// The keys to send now: the responder's at once, the initiator's after the responder's.
    mutating func next() -> [SecurityPDU] {
        guard role == .responder || expected.isEmpty else { return [] }
        defer { unsent.removeAll() }
        return unsent
    }

    mutating func receive(_ pdu: SecurityPDU) throws(PairingFailedReason) {
        switch (expected.first, pdu) {
        case (.longTermKey, .encryptionInformation(let value)): receivedKey = value
        case (.centralIdentification, .centralIdentification(let ediv, let rand)):
            var longTermKey = LongTermKey(receivedKey ?? 0, ediv: ediv, rand: rand, size: key.size)
            longTermKey.isAuthenticated = key.isAuthenticated
            bond.keyAsCentral = longTermKey
        case (.identity, .identityInformation(let value)): bond.peerResolvingKey = value
        case (.identityAddress, .identityAddressInformation(let address)):
            guard address.isIdentity else { throw .invalidParameters }
            guard mayBe(address) else { throw .keyRejected }
            bond.peer = address
        case (.signingKey, .signingInformation(let value)): bond.peerSigningKey = value
        default: throw .unspecifiedReason
        }
        expected.removeFirst()
    }

    /// Whether the peer can have the identity of another bond: only if pairing has authenticated the peer, as strongly.
    private func mayBe(_ address: DeviceAddress) -> Bool {
        otherBonds.allSatisfy { $0.peer != address || (key.isAuthenticated && !$0.isStronger(than: key)) }
    }
}
