import Basics
import Bluetooth
import SecurityManager
import Testing

/// Attempts of a peer to get around the security of a device that has bonds.
@Suite struct LinkSecurityTests {
    private static let own = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let peer = DeviceAddress(0xC0FF_EE00_00C1, .random)
    private static let victim = DeviceAddress(0xC0FF_EE00_00C2, .random)

    /// One device and its outputs.
    private struct Device {
        var security: LinkSecurityManager
        var outputs: [LinkSecurityManager.Output] = []
        private var generator = RandomStream(seed: 1)

        init(_ role: PairingRole, _ settings: SecuritySettings = SecuritySettings(), bond: Bond? = nil) {
            security = LinkSecurityManager(
                role, settings, Identity(own), own: own, peer: peer, bond: bond)
        }

        mutating func step(_ input: LinkSecurityManager.Input) {
            outputs = []
            security.step(input, at: .start, using: &generator, into: &outputs)
        }

        /// The first octet of each PDU that it has sent.
        var codes: [UInt8] {
            outputs.compactMap { if case .send(let octets) = $0 { octets.first } else { nil } }
        }
    }

    private static func bond(_ address: DeviceAddress, _ key: LongTermKey) -> Bond {
        var bond = Bond(with: address)
        (bond.keyAsCentral, bond.keyAsPeripheral) = (key, key)
        return bond
    }

    @Test func `A Security Request that crosses a Pairing Request has no effect`() {
        var central = Device(.initiator)
        central.step(.pair)
        #expect(central.codes == [0x01])
        central.step(.received([0x0B, 0x01]))
        #expect(central.outputs == [])
        #expect(central.security.isPairing)
    }

    @Test func `A Security Request during encryption has no effect but the report`() {
        var central = Device(.initiator, bond: Self.bond(Self.peer, LongTermKey(7)))
        central.step(.resume)
        #expect(central.outputs == [.encrypt(LongTermKey(7))])
        central.step(.received([0x0B, 0x01]))
        #expect(central.outputs == [.requested([.bonding])])
        central.step(.pair)
        #expect(central.outputs == [])
    }

    @Test func `A Security Request after encryption uses the bond again instead of pairing`() {
        let key = LongTermKey(7)
        var central = Device(.initiator, bond: Self.bond(Self.peer, key))
        central.step(.resume)
        central.step(.encryptionChanged(.success, isOn: true))
        central.step(.received([0x0B, 0x01]))
        #expect(central.outputs == [.requested([.bonding]), .encrypt(key)])
        central.step(.secure)
        #expect(central.outputs == [])
        central.step(.encryptionChanged(.success, isOn: true))
        #expect(central.outputs == [.encrypted(key, isNew: false)])
    }

    @Test func `A Security Request for authentication that the bond lacks leads to pairing`() {
        var central = Device(.initiator, bond: Self.bond(Self.peer, LongTermKey(7)))
        central.step(.resume)
        central.step(.encryptionChanged(.success, isOn: true))
        central.step(.received([0x0B, 0x05]))
        #expect(central.outputs == [.requested([.bonding, .mitmProtection])])
        central.step(.secure)
        #expect(central.codes == [0x01])
    }

    @Test func `Resuming without a bond has no effect`() {
        var central = Device(.initiator)
        central.step(.resume)
        #expect(central.outputs == [])
    }

    /// LE legacy pairing, Just Works, with a bonded central that then uses the bond's key instead of the new one.
    @Test func `The key of an earlier bond does not encrypt a new pairing`() throws {
        var settings = SecuritySettings()
        settings.secureConnections = .off
        let old = LongTermKey(7, ediv: 1, rand: 2)
        var strap = Device(.responder, settings, bond: Self.bond(Self.peer, old))
        var attacker = PairOfDevices(settings, settings)
        try attacker.pair(with: &strap.security)
        strap.step(.keyRequested(ediv: old.ediv, rand: old.rand))
        #expect(strap.outputs == [.answer(nil), .notEncrypted(.keyMissing)])
    }

    @Test func `A link that is encrypted with another key than the new one ends pairing`() throws {
        var settings = SecuritySettings()
        settings.secureConnections = .off
        var strap = Device(.responder, settings)
        var attacker = PairOfDevices(settings, settings)
        try attacker.pair(with: &strap.security)
        strap.step(.encryptionChanged(.success, isOn: true))
        #expect(strap.outputs.contains(.failed(.notEncrypted(.unspecified))))
    }

    @Test(arguments: [
        // Just Works never takes over an identity; an authenticated pairing does, if it is as strong.
        (IOCapability.noInputNoOutput, LongTermKey(7), false), (.keyboardOnly, LongTermKey(7), true),
        (.keyboardOnly, LongTermKey(7, isAuthenticated: true), true),
        (.keyboardOnly, LongTermKey(7, isAuthenticated: true, isSecureConnections: true), true),
    ])
    func `A stranger takes over the identity of a bonded device only if pairing authenticates`(
        io: IOCapability, key: LongTermKey, isPossible: Bool
    ) {
        let victims = [Self.bond(PairOfDevices.addresses[.initiator] ?? Self.victim, key)]
        var pair = PairOfDevices(
            PairingTests.settings(io), PairingTests.settings(.displayOnly), responderKnows: victims)
        pair.relay = { $1 }
        pair.pair()
        #expect(pair.responder.failure == (isPossible ? nil : .failed(.keyRejected)))
        #expect((pair.responder.bond != nil) == isPossible)
    }

    @Test func `Legacy keys do not replace those of LE Secure Connections under the same identity`() {
        let key = LongTermKey(7, isAuthenticated: true, isSecureConnections: true)
        let victims = [Self.bond(PairOfDevices.addresses[.initiator] ?? Self.victim, key)]
        let legacy = PairingTests.settings(.keyboardOnly, secureConnections: .off)
        var pair = PairOfDevices(legacy, PairingTests.settings(.displayOnly), responderKnows: victims)
        pair.pair()
        #expect(pair.responder.failure == .failed(.keyRejected))
    }

    @Test func `The link of a pairing without bonding does not use the bond`() {
        var strap = Device(.responder, bond: Self.bond(Self.peer, LongTermKey(7, isSecureConnections: true)))
        strap.step(.keyRequested(ediv: 0, rand: 0))
        strap.step(.encryptionChanged(.success, isOn: true))
        #expect(strap.security.usesBond)
        strap.step(.encryptionChanged(.success, isOn: false))
        #expect(!strap.security.usesBond)
    }

    @Test func `A refusal is sent and reported`() {
        var strap = Device(.responder)
        strap.security.refusal = .busy
        strap.step(.received([0x01, 0x03, 0x00, 0x01, 0x10, 0x01, 0x01]))
        #expect(strap.outputs == [.send([0x05, 0x10]), .failed(.failed(.busy))])
    }
}
