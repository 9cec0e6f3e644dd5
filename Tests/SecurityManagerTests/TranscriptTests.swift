import Basics
import Bluetooth
import FoundationEssentials
import SecurityManager
import Testing

/// Whole pairings of another stack, octet by octet.
@Suite struct TranscriptTests {
    @Test(arguments: Transcript.all) func `A pairing sends the octets of another stack`(transcript: Transcript) throws {
        guard !transcript.isReflected else { return }
        var device = try Device(transcript.role, transcript)
        try device.play(transcript)
        #expect(device.sent == transcript.octets(of: transcript.role))
        #expect(device.key?.value == transcript.key)
        #expect(device.number == transcript.number)
        let bond = try #require(device.bond)
        #expect(bond.peerResolvingKey == transcript.value(of: 0x08, by: transcript.role.other))
        #expect(bond.peerSigningKey == transcript.value(of: 0x0A, by: transcript.role.other))
        #expect(bond.signingKey == transcript.value(of: 0x0A, by: transcript.role))
        let peerKey =
            transcript.isSecureConnections ? transcript.key : transcript.value(of: 0x06, by: transcript.role.other)
        #expect(bond.keyAsCentral?.value == peerKey)
    }

    /// LE legacy pairing has no private key, so the transcript serves both roles.
    @Test(arguments: Transcript.all.filter { !$0.isSecureConnections })
    func `The other role sends the other stack's octets, too`(transcript: Transcript) throws {
        var device = try Device(transcript.role.other, transcript)
        try device.play(transcript)
        #expect(device.sent == transcript.octets(of: transcript.role.other))
        #expect(device.bond != nil)
    }

    /// CVE-2020-26558.
    @Test func `A reflected public key is refused`() throws {
        let transcript = try #require(Transcript.all.first { $0.isReflected })
        var device = try Device(transcript.role, transcript)
        try device.play(transcript)
        #expect(device.failure == .failed(.dhKeyCheckFailed))
        #expect(device.sent.last == [0x05, 0x0B])
        #expect(device.bond == nil)
    }
}

/// One role of a transcript, played by a `Pairing`.
private struct Device {
    var pairing: Pairing
    var draws: Draws
    var sent: [[UInt8]] = []
    var bond: Bond?
    var failure: Pairing.Failure?
    var key: LongTermKey?
    var number: UInt32?

    init(_ role: PairingRole, _ transcript: Transcript) throws {
        let isInitiator = role == .initiator
        let own = try #require(isInitiator ? transcript.initiator : transcript.responder)
        let peer = try #require(isInitiator ? transcript.responder : transcript.initiator)
        var identity = Identity(own, resolvingKey: transcript.value(of: 0x08, by: role) ?? 0)
        if let octets = transcript.octets(of: role).first(where: { $0.first == 0x09 }), octets.count == 8 {
            let number = octets.dropFirst(2).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            identity.address = DeviceAddress(number, octets[1] == 0 ? .public : .random)
        }
        pairing = Pairing(role, try transcript.settings(of: role), identity, own: own, peer: peer)
        draws = Draws(octets: transcript.randomOctets(of: role))
    }

    mutating func play(_ transcript: Transcript) throws {
        if pairing.role == .initiator { step(.start, transcript) }
        for event in transcript.events {
            switch event {
            case .encrypted: if key != nil { step(.encryptionChanged(.success), transcript) }
            case .sent(let role, let octets): if role != pairing.role { step(.received(octets), transcript) }
            }
        }
    }

    private mutating func step(_ input: Pairing.Input, _ transcript: Transcript) {
        var outbox: [Pairing.Output] = []
        pairing.step(input, at: .start, using: &draws, into: &outbox)
        for output in outbox {
            switch output {
            case .send(let octets): sent.append(octets)
            case .requestPasskey: step(.passkey(transcript.passkey), transcript)
            case .compare(let number):
                self.number = number
                step(.compared(areEqual: number == transcript.number), transcript)
            case .encrypt(let key): self.key = key
            case .completed(let bond, _): self.bond = bond
            case .failed(let failure): self.failure = failure
            case .authorize: step(.authorized(true), transcript)
            case .wake, .display, .keypress: break
            }
        }
    }
}

/// A pairing in `pairings.txt`.
struct Transcript: CustomTestStringConvertible {
    enum Event {
        case sent(PairingRole, [UInt8])
        case encrypted
    }

    static let all: [Transcript] = {
        let path = "\(#filePath)".replacing("TranscriptTests.swift", with: "pairings.txt")
        let text = (FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }) ?? ""
        return text.split(separator: "\n\n").dropFirst().map { Transcript(String($0)) }
    }()

    private var fields: [String: String] = [:]
    private(set) var events: [Event] = []

    private init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch (words[0], words.last ?? "") {
            case ("i", let digits): events.append(.sent(.initiator, octets(digits)))
            case ("r", let digits): events.append(.sent(.responder, octets(digits)))
            case ("encrypted", _): events.append(.encrypted)
            case (let name, let value): fields[name] = value
            }
        }
    }

    var testDescription: String { fields["name"] ?? "" }
    /// The role that the transcript has the private key of.
    var role: PairingRole { fields["role"] == "initiator" ? .initiator : .responder }
    var initiator: DeviceAddress? { fields["initiator"].flatMap { DeviceAddress($0) } }
    var responder: DeviceAddress? { fields["responder"].flatMap { DeviceAddress($0) } }
    var passkey: UInt32? { fields["passkey"].flatMap { UInt32($0) } }
    var number: UInt32? { fields["number"].flatMap { UInt32($0) } }
    var key: UInt128? { fields["key"].map { littleEndian(octets($0)) } }
    var isReflected: Bool { testDescription.hasSuffix("same_pk") }
    var isSecureConnections: Bool { testDescription.hasPrefix("sc") }

    func octets(of role: PairingRole) -> [[UInt8]] {
        events.compactMap { if case .sent(role, let octets) = $0 { octets } else { nil } }
    }

    /// The 16 octets of the first PDU with this code.
    func value(of code: UInt8, by role: PairingRole) -> UInt128? {
        octets(of: role).first { $0.first == code }.map { littleEndian($0.dropFirst()) }
    }

    /// The settings whose features are those that a role sends.
    func settings(of role: PairingRole) throws -> SecuritySettings {
        let features = try #require(octets(of: role).first)
        var settings = SecuritySettings()
        settings.ioCapability = try #require(IOCapability(rawValue: features[1]))
        settings.isBonding = features[3] & 0x01 != 0
        settings.authentication = features[3] & 0x04 != 0 ? .preferred : .off
        settings.secureConnections = features[3] & 0x08 != 0 ? .preferred : .off
        settings.keySizes = 7...features[4]
        let keys = features[5...6].map { KeyDistribution(rawValue: $0) }
        (settings.distributes, settings.accepts) = role == .initiator ? (keys[0], keys[1]) : (keys[1], keys[0])
        settings.passkey = passkey
        settings.outOfBand.temporaryKey = fields["out_of_band"].map { littleEndian(Transcript.octets($0)) }
        return settings
    }

    /// The random octets of a role, in the order in which it draws them.
    func randomOctets(of role: PairingRole) -> [UInt8] {
        let sent = octets(of: role)
        var result = role == self.role ? fields["private_key"].map { Transcript.octets($0).reversed() } ?? [] : []
        for pdu in sent where pdu.first == 0x04 || pdu.first == 0x06 { result += pdu.dropFirst().reversed() }
        for pdu in sent where pdu.first == 0x07 {
            result += [0, 0, 0, 0, 0, 0, pdu[2], pdu[1]] + pdu.dropFirst(3).reversed()
        }
        for pdu in sent where pdu.first == 0x0A { result += pdu.dropFirst().reversed() }
        return result
    }

    private static func octets(_ digits: String) -> [UInt8] { SecurityManagerTests.octets(digits) }
    private func octets(_ digits: String) -> [UInt8] { SecurityManagerTests.octets(digits) }
}

private func littleEndian(_ octets: some BidirectionalCollection<UInt8>) -> UInt128 {
    octets.reversed().reduce(0) { $0 << 8 | UInt128($1) }
}
