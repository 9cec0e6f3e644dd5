import Basics
import Bluetooth
import Cryptography
import Mutations
import SecurityManager
import Testing

/// Two devices that pair with each other.  Core 6.0, Vol 3, Part H, section 2.3.
@Suite struct PairingTests {
    static func settings(
        _ io: IOCapability = .noInputNoOutput, authentication: SecuritySettings.Preference = .preferred,
        secureConnections: SecuritySettings.Preference = .preferred
    ) -> SecuritySettings {
        var settings = SecuritySettings()
        settings.ioCapability = io
        settings.authentication = authentication
        settings.secureConnections = secureConnections
        settings.distributes = .all
        return settings
    }

    /// Table 2.8: the rows are responders, the columns initiators; J Just Works, I or R passkey entry, displayed by initiator
    /// or responder, K entered on both, N Numeric Comparison; the second letter is that of LE Secure Connections.
    static let table = [
        ["JJ", "JJ", "RR", "JJ", "RR"],
        ["JJ", "JN", "RR", "JJ", "RN"],
        ["II", "II", "KK", "JJ", "II"],
        ["JJ", "JJ", "JJ", "JJ", "JJ"],
        ["II", "IN", "RR", "JJ", "IN"],
    ]

    @Test(arguments: IOCapability.allCases, IOCapability.allCases)
    func `Every pair of IO capabilities pairs with the association model of table 2.8`(
        initiator: IOCapability, responder: IOCapability
    ) throws {
        let letters = Array(Self.table[Int(responder.rawValue)][Int(initiator.rawValue)])
        for secureConnections in [SecuritySettings.Preference.off, .preferred] {
            for authentication in [SecuritySettings.Preference.off, .preferred] {
                var pair = PairOfDevices(
                    Self.settings(initiator, authentication: authentication, secureConnections: secureConnections),
                    Self.settings(responder, authentication: authentication, secureConnections: secureConnections))
                pair.pair()
                let letter = authentication == .off ? "J" : letters[secureConnections == .off ? 0 : 1]
                #expect((pair.initiator.displayed != nil) == (letter == "I"))
                #expect((pair.responder.displayed != nil) == (letter == "R"))
                #expect((pair.initiator.compared != nil) == (letter == "N"))
                try expectBond(pair, isAuthenticated: letter != "J", isSecure: secureConnections != .off)
            }
        }
    }

    private func expectBond(_ pair: PairOfDevices, isAuthenticated: Bool, isSecure: Bool) throws {
        let central = try #require(pair.initiator.bond)
        let peripheral = try #require(pair.responder.bond)
        #expect(pair.initiator.isBonded && pair.responder.isBonded)
        let key = try #require(central.keyAsCentral)
        #expect(key == peripheral.keyAsPeripheral)
        #expect(central.keyAsPeripheral == peripheral.keyAsCentral)
        #expect(key.isAuthenticated == isAuthenticated)
        #expect(key.isSecureConnections == isSecure)
        #expect((key == central.keyAsPeripheral) == isSecure)
        #expect(central.peer == PairOfDevices.addresses[.responder])
        #expect(peripheral.peerResolvingKey == UInt128(PairOfDevices.addresses[.initiator]?.number ?? 0))
        #expect(central.signingKey == peripheral.peerSigningKey)
        #expect(central.signingKey != nil)
    }

    @Test(arguments: [UInt8(7), 8, 15, 16], [SecuritySettings.Preference.off, .preferred])
    func `SM/CEN/EKS/BV-01-C, SM/PER/EKS/BV-02-C: the shorter key size of both devices`(
        size: UInt8, secureConnections: SecuritySettings.Preference
    ) throws {
        var responder = Self.settings(secureConnections: secureConnections)
        responder.keySizes = 7...size
        var pair = PairOfDevices(Self.settings(secureConnections: secureConnections), responder)
        pair.pair()
        let key = try #require(pair.initiator.bond?.keyAsCentral)
        #expect(key.size == size)
        #expect(key == pair.responder.bond?.keyAsPeripheral)
        #expect(key.value >> (8 * UInt128(size)) == 0)
        #expect(pair.initiator.key?.value.leadingZeroBitCount ?? 0 >= 128 - 8 * Int(size))
    }

    @Test func `SM/CEN/EKS/BI-01-C, SM/PER/EKS/BI-02-C: a key that is too short is refused`() {
        var initiator = Self.settings()
        initiator.keySizes = 7...15
        var responder = Self.settings()
        responder.keySizes = 16...16
        expectFailure(PairOfDevices(initiator, responder), .responder, .encryptionKeySize)
        expectFailure(PairOfDevices(responder, initiator), .initiator, .encryptionKeySize)
    }

    @Test func `Secure Connections Only refuses LE legacy pairing and short keys`() {
        let only = Self.settings(secureConnections: .required)
        let legacy = Self.settings(secureConnections: .off)
        expectFailure(PairOfDevices(legacy, only), .responder, .authenticationRequirements)
        expectFailure(PairOfDevices(only, legacy), .initiator, .authenticationRequirements)
        var short = Self.settings()
        short.keySizes = 7...15
        expectFailure(PairOfDevices(short, only), .responder, .encryptionKeySize)
    }

    @Test func `Just Works is refused where authentication is required`() {
        let strict = Self.settings(.displayYesNo, authentication: .required)
        expectFailure(PairOfDevices(Self.settings(), strict), .responder, .authenticationRequirements)
        expectFailure(PairOfDevices(strict, Self.settings()), .initiator, .authenticationRequirements)
    }

    private func expectFailure(_ pair: PairOfDevices, _ role: PairingRole, _ reason: PairingFailedReason) {
        var pair = pair
        pair.pair()
        #expect(pair[role].failure == .failed(reason))
        #expect(pair[role.other].failure == .refused(reason))
        #expect(pair.initiator.bond == nil && pair.responder.bond == nil)
    }

    @Test(arguments: [SecuritySettings.Preference.off, .preferred])
    func `A wrong passkey fails the confirm value`(secureConnections: SecuritySettings.Preference) {
        var display = Self.settings(.displayOnly, secureConnections: secureConnections)
        display.passkey = 654_321
        var pair = PairOfDevices(Self.settings(.keyboardOnly, secureConnections: secureConnections), display)
        pair.passkey = 654_320
        expectFailure(pair, .responder, .confirmValueFailed)
    }

    @Test(arguments: [SecuritySettings.Preference.off, .preferred])
    func `A user who does not enter the passkey, or a number of seven digits`(
        secureConnections: SecuritySettings.Preference
    ) {
        for passkey in [nil, 1_000_000] as [UInt32?] {
            var pair = PairOfDevices(
                Self.settings(.keyboardOnly, secureConnections: secureConnections),
                Self.settings(.displayOnly, secureConnections: secureConnections))
            pair.hasUsers = false
            pair.pair()
            pair.step(.initiator, .passkey(passkey))
            #expect(pair.initiator.failure == .failed(.passkeyEntryFailed))
            #expect(pair.responder.failure == .refused(.passkeyEntryFailed))
        }
    }

    @Test func `Numbers that differ fail the comparison`() {
        var pair = PairOfDevices(Self.settings(.displayYesNo), Self.settings(.displayYesNo))
        pair.areEqual = false
        pair.pair()
        #expect(pair.initiator.failure == .failed(.numericComparisonFailed))
        #expect(pair.initiator.compared == pair.responder.compared)
    }

    @Test(arguments: [PairingRole.initiator, .responder])
    func `The users may answer one after the other`(first: PairingRole) {
        var pair = PairOfDevices(Self.settings(.displayYesNo), Self.settings(.displayYesNo))
        pair.hasUsers = false
        pair.pair()
        pair.step(first, .compared(areEqual: true))
        #expect(pair.initiator.bond == nil && pair.responder.bond == nil)
        pair.step(first.other, .compared(areEqual: true))
        #expect(pair.initiator.bond != nil && pair.responder.bond != nil)
    }

    @Test(arguments: [SecuritySettings.Preference.off, .preferred])
    func `The user of the responder enters the passkey late`(secureConnections: SecuritySettings.Preference) {
        var display = Self.settings(.displayOnly, secureConnections: secureConnections)
        display.passkey = 7
        var pair = PairOfDevices(display, Self.settings(.keyboardOnly, secureConnections: secureConnections))
        pair.hasUsers = false
        pair.pair()
        #expect(pair.responder.bond == nil && pair.responder.failure == nil)
        pair.step(.responder, .passkey(7))
        #expect(pair.initiator.bond != nil && pair.responder.bond != nil)
    }

    // MARK: Authorization

    /// Two devices pair without authentication; the last argument has those that ask their users.
    @Test(arguments: [
        (SecuritySettings.Preference.off, IOCapability.displayYesNo, [PairingRole.responder]),
        (.off, .noInputNoOutput, []), (.preferred, .displayYesNo, [.responder]),
        (.preferred, .noInputNoOutput, [.responder]),
    ]) func `A pairing without authentication is put to the users, who agree or not`(
        secureConnections: SecuritySettings.Preference, responder: IOCapability, asked: [PairingRole]
    ) {
        for agree in [true, false] {
            var initiator = Self.settings(.noInputNoOutput, secureConnections: secureConnections)
            var other = Self.settings(responder, secureConnections: secureConnections)
            (initiator.asksToAuthorize, other.asksToAuthorize) = (true, true)
            var pair = PairOfDevices(initiator, other)
            pair.hasUsers = false
            pair.pair()
            #expect([PairingRole.initiator, .responder].filter { pair[$0].isAsked } == asked)
            #expect((pair.initiator.bond == nil) == !asked.isEmpty, "it waits for them")
            for role in asked { pair.step(role, .authorized(agree)) }
            #expect((pair.initiator.bond != nil && pair.responder.bond != nil) == (agree || asked.isEmpty))
            guard !agree, let first = asked.first else { continue }
            let reason = secureConnections == .off ? PairingFailedReason.passkeyEntryFailed : .numericComparisonFailed
            #expect(pair[first].failure == .failed(reason) && pair[first.other].failure == .refused(reason))
        }
    }

    @Test func `A pairing with authentication is not put to the users`() {
        var display = Self.settings(.displayOnly)
        var keyboard = Self.settings(.keyboardOnly)
        (display.asksToAuthorize, keyboard.asksToAuthorize) = (true, true)
        var pair = PairOfDevices(display, keyboard)
        pair.pair()
        #expect(!pair.initiator.isAsked && !pair.responder.isAsked && pair.initiator.bond != nil)
    }

    // MARK: Out of band

    @Test func `Out of band with LE legacy pairing`() {
        var settings = Self.settings(secureConnections: .off)
        settings.outOfBand.temporaryKey = 0xABCD
        var pair = PairOfDevices(settings, settings)
        pair.pair()
        #expect(pair.initiator.bond?.keyAsCentral?.isAuthenticated == true)
        var other = settings
        other.outOfBand.temporaryKey = 0xABCE
        expectFailure(PairOfDevices(settings, other), .responder, .confirmValueFailed)
    }

    @Test(arguments: [[PairingRole.initiator], [.responder], [.initiator, .responder]])
    func `Out of band with LE Secure Connections, in one direction or both`(receivers: [PairingRole]) throws {
        var settings = [PairingRole.initiator: Self.settings(), .responder: Self.settings()]
        for (role, octet) in [(PairingRole.initiator, UInt8(1)), (.responder, 2)] {
            let own = try P256KeyPair(privateKey: [UInt8](repeating: octet, count: 32))
            settings[role]?.outOfBand.own = OutOfBandData.Own(own, random: UInt128(octet))
            guard receivers.contains(role.other) else { continue }
            settings[role.other]?.outOfBand.peers = try OutOfBandData.Commitment(
                random: UInt128(octet), to: own.publicKey)
        }
        var pair = PairOfDevices(settings[.initiator] ?? Self.settings(), settings[.responder] ?? Self.settings())
        pair.pair()
        #expect(pair.initiator.bond?.keyAsCentral?.isAuthenticated == true)
        #expect(pair.initiator.bond?.keyAsCentral == pair.responder.bond?.keyAsPeripheral)
    }

    @Test func `A commitment to another key fails`() throws {
        var initiator = Self.settings()
        initiator.outOfBand.peers = OutOfBandData.Commitment(random: 1, confirm: 2)
        var responder = Self.settings()
        responder.outOfBand.own = OutOfBandData.Own(
            try P256KeyPair(privateKey: [UInt8](repeating: 3, count: 32)), random: 1)
        expectFailure(PairOfDevices(initiator, responder), .initiator, .confirmValueFailed)
    }

    /// Without this, a peer that claims to have data which nobody has given away would count as authenticated.
    @Test(arguments: [PairingRole.initiator, .responder])
    func `Data out of band that do not exist are refused`(claimant: PairingRole) {
        var pair = PairOfDevices(Self.settings(), Self.settings())
        pair.relay = { role, octets in
            guard [0x01, 0x02].contains(octets.first), role == claimant else { return octets }
            return octets.enumerated().map { $0 == 2 ? 1 : $1 }
        }
        pair.pair()
        #expect(pair[claimant.other].failure == .failed(.outOfBandNotAvailable))
        #expect(pair.initiator.bond == nil && pair.responder.bond == nil)
    }

    // MARK: Keys, keypresses and time

    @Test func `Without bonding, keys are exchanged but not kept`() {
        var settings = Self.settings()
        settings.isBonding = false
        var pair = PairOfDevices(settings, Self.settings())
        pair.pair()
        #expect(pair.initiator.bond?.keyAsCentral != nil)
        #expect(!pair.initiator.isBonded && !pair.responder.isBonded)
    }

    @Test(arguments: (0...7).map { KeyDistribution(rawValue: $0) }, [SecuritySettings.Preference.off, .preferred])
    func `Only the agreed keys are distributed, the responder's first`(
        keys: KeyDistribution, secureConnections: SecuritySettings.Preference
    ) {
        var responder = Self.settings(secureConnections: secureConnections)
        responder.distributes = keys
        var pair = PairOfDevices(Self.settings(secureConnections: secureConnections), responder)
        pair.pair()
        let codes = pair.responder.sent.compactMap(\.first).filter { (0x06...0x0A).contains($0) }
        var expected: [UInt8] = []
        if keys.contains(.encryptionKey), secureConnections == .off { expected += [0x06, 0x07] }
        if keys.contains(.identityKey) { expected += [0x08, 0x09] }
        if keys.contains(.signingKey) { expected += [0x0A] }
        #expect(codes == expected)
        #expect(pair.initiator.bond != nil && pair.responder.bond != nil)
    }

    @Test func `Keypresses are sent if both devices agree`() {
        for isOn in [true, false] {
            var settings = Self.settings(.keyboardOnly)
            settings.hasKeypresses = true
            var display = Self.settings(.displayOnly)
            display.hasKeypresses = isOn
            var pair = PairOfDevices(settings, display)
            pair.hasUsers = false
            pair.pair()
            pair.step(.initiator, .keypress(.started))
            pair.step(.initiator, .keypress(.digitEntered))
            #expect(pair.responder.keypresses == (isOn ? [.started, .digitEntered] : []))
        }
    }

    @Test func `SM/CEN/PROT/BV-01-C, SM/PER/PROT/BV-02-C: 30 s without a command end pairing`() {
        var pair = PairOfDevices(Self.settings(.keyboardOnly), Self.settings(.displayOnly))
        pair.hasUsers = false
        pair.pair()
        pair.now = Instant.start.advanced(byNanoseconds: Pairing.timeout - 1)
        pair.step(.initiator, .timePassed)
        #expect(pair.initiator.failure == nil)
        pair.now = Instant.start.advanced(byNanoseconds: Pairing.timeout)
        for role in [PairingRole.initiator, .responder] {
            pair.step(role, .timePassed)
            #expect(pair[role].failure == .timedOut)
        }
        #expect(pair.initiator.sent.count == 2)
        #expect(pair.responder.sent.count == 2)
    }

    @Test func `The same seeds give the same octets`() {
        var pairs = [PairOfDevices(Self.settings(), Self.settings()), PairOfDevices(Self.settings(), Self.settings())]
        for index in pairs.indices { pairs[index].pair() }
        #expect(pairs[0].initiator.sent == pairs[1].initiator.sent)
        #expect(pairs[0].responder.sent == pairs[1].responder.sent)
    }

    // MARK: Hostile peers

    static let kinds: [(SecuritySettings, SecuritySettings)] = [
        (settings(secureConnections: .off), settings(secureConnections: .off)), (settings(), settings()),
        (settings(.keyboardOnly), settings(.displayOnly)), (settings(.displayYesNo), settings(.displayYesNo)),
        (settings(.keyboardOnly, secureConnections: .off), settings(.displayOnly, secureConnections: .off)),
    ]

    @Test(arguments: kinds.indices, [PairingRole.initiator, .responder])
    func `Each PDU, cut short or with a wrong bit, gives no key that the peer does not have`(
        kind: Int, sender: PairingRole
    ) {
        let (initiator, responder) = Self.kinds[kind]
        var whole = PairOfDevices(initiator, responder)
        whole.pair()
        for (place, octets) in whole[sender].sent.enumerated() {
            // A passkey has 20 equal rounds, and a public key 512 bits: samples of both.
            if place > 8, place < whole[sender].sent.count - 6 { continue }
            let step = octets.count > 32 ? 97 : 5
            for mutation in stride(from: 0, to: octets.mutations.count, by: step).map({ octets.mutations[$0] }) {
                play(place, of: sender, as: [mutation], initiator, responder)
            }
            play(place, of: sender, as: [octets, octets], initiator, responder)
            play(place, of: sender, as: [], initiator, responder)
            for code in UInt8.min...0x10 {
                play(place, of: sender, as: [[code] + octets.dropFirst()], initiator, responder)
            }
        }
    }

    /// Replaces one PDU.
    private func play(
        _ place: Int, of sender: PairingRole, as octets: [[UInt8]], _ initiator: SecuritySettings,
        _ responder: SecuritySettings
    ) {
        var pair = PairOfDevices(initiator, responder)
        let counter = Counter()
        pair.relay = { role, sent in
            guard role == sender else { return sent }
            defer { counter.value += 1 }
            return counter.value == place ? octets.first : sent
        }
        pair.pair()
        for extra in octets.dropFirst() { pair.step(sender.other, .received(extra)) }
        // A connection key is the same on both sides, or the link is not encrypted.
        if let central = pair.initiator.bond?.keyAsCentral, let peripheral = pair.responder.bond?.keyAsPeripheral {
            #expect(pair.initiator.key == pair.responder.key)
            #expect(central.isAuthenticated == peripheral.isAuthenticated)
        }
    }

    private final class Counter { var value = 0 }

    @Test func `SM/CEN/KDU/BI-04-C, SM/PER/KDU/BI-04-C: a public key that is not on the curve is refused`() {
        for role in [PairingRole.initiator, .responder] {
            var pair = PairOfDevices(Self.settings(), Self.settings())
            pair.relay = { sender, octets in
                guard sender == role, octets.first == 0x0C else { return octets }
                return Array(octets.dropLast()) + [octets[64] ^ 1]
            }
            expectFailure(pair, role.other, .dhKeyCheckFailed)
        }
    }

    @Test(arguments: [IOCapability.noInputNoOutput, .keyboardOnly])
    func `SM/CEN/JW/BI-06-C, SM/CEN/PKE/BI-03-C: the initiator's own confirm value, sent back, is refused`(
        io: IOCapability
    ) {
        var pair = PairOfDevices(
            Self.settings(io, secureConnections: .off), Self.settings(.displayOnly, secureConnections: .off))
        let confirm = Confirm()
        pair.relay = { role, octets in
            guard octets.first == 0x03 else { return octets }
            if role == .initiator { confirm.octets = octets }
            return role == .initiator ? octets : confirm.octets
        }
        expectFailure(pair, .initiator, .confirmValueFailed)
    }

    private final class Confirm { var octets: [UInt8] = [] }

    @Test(arguments: [SecuritySettings.Preference.off, .preferred])
    func `SM/CEN/JW/BI-04-C, SM/PER/JW/BI-03-C: reserved bits of AuthReq are ignored`(
        secureConnections: SecuritySettings.Preference
    ) {
        let settings = Self.settings(secureConnections: secureConnections)
        let requirements: UInt8 = secureConnections == .off ? 0xC5 : 0xCD
        var pair = PairOfDevices(settings, settings)
        pair.relay = { _, _ in nil }
        pair.step(.responder, .received([0x01, 3, 0, requirements, 16, 7, 7]))
        #expect(pair.responder.sent.first?.first == 0x02)
        pair.pair()
        pair.step(.initiator, .received([0x02, 3, 0, requirements, 16, 7, 7]))
        #expect(pair.initiator.sent.last?.first == (secureConnections == .off ? 0x03 : 0x0C))
    }

    @Test func `Reserved codes are ignored, and commands out of order end pairing`() {
        var pair = PairOfDevices(Self.settings(.keyboardOnly), Self.settings(.displayOnly))
        pair.hasUsers = false
        pair.pair()
        for code in [0x00, 0x0F, 0x10, 0xFF] as [UInt8] { pair.step(.responder, .received([code, 1, 2])) }
        #expect(pair.responder.failure == nil)
        pair.step(.responder, .received([0x0D] + [UInt8](repeating: 0, count: 16)))
        #expect(pair.responder.failure == .failed(.unspecifiedReason))
        let count = pair.responder.sent.count
        pair.step(.responder, .received([0x01, 3, 0, 1, 16, 0, 0]))
        #expect(pair.responder.sent.count == count)
    }
}
