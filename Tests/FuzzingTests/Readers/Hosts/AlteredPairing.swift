import Basics
import Bluetooth
import Fuzzing
import SecurityManager

extension Reader {
    /// The first two octets are the options of the initiator and of the responder (`TestedPair.settings`). Then follows a
    /// conversation with one entry per PDU in transit: empty, it arrives; one octet, its octet with this number is
    /// inverted, or it is lost if it has none; longer, the entry arrives in its place.
    static let pairings = Reader(
        "pairings", "two devices that pair while their PDUs are altered: both have the same key, or do not pair"
    ) { octets throws(Broken) in
        var tested = TestedPair(octets.first ?? 0, octets.dropFirst().first ?? 0, altering: octets.dropFirst(2))
        try tested.pair()
    }
}

/// Two devices that pair, their users, and the controllers of their link.
private struct TestedPair {
    private struct Side {
        var manager: LinkSecurityManager
        var generator: RandomStream
        var isEncrypted = false
        /// What it displays or compares.
        var number: UInt32?
        var completedKey: LongTermKey?

        mutating func step(
            _ input: LinkSecurityManager.Input, at now: Instant, into outbox: inout [LinkSecurityManager.Output]
        ) {
            manager.step(input, at: now, using: &generator, into: &outbox)
        }
    }

    private enum Event { case sent([UInt8]), input(LinkSecurityManager.Input) }

    private static let addresses = [
        DeviceAddress(0xC0FF_EE00_0001, .random), DeviceAddress(0xC0FF_EE00_00C1, .random),
    ]

    private var sides: [Side]
    private var alterations: Conversation
    private var queue: [(side: Int, Event)] = []
    /// The key with which the central encrypts the link.
    private var centralKey: LongTermKey?
    private var now = Instant.start

    init(_ initiator: UInt8, _ responder: UInt8, altering octets: ArraySlice<UInt8>) {
        alterations = Conversation(octets)
        sides = [PairingRole.initiator, .responder].enumerated().map { index, role in
            let options = [initiator, responder][index]
            let (own, peer) = (Self.addresses[index], Self.addresses[1 - index])
            var bond: Bond?
            if options & 0x80 != 0 {
                bond = Bond(with: peer)
                bond?.keyAsCentral = LongTermKey(7)
                bond?.keyAsPeripheral = LongTermKey(7)
            }
            return Side(
                manager: LinkSecurityManager(
                    role, Self.settings(options), Identity(own, resolvingKey: UInt128(index + 1)), own: own, peer: peer,
                    bond: bond),
                generator: RandomStream(seed: UInt64(index + 1)))
        }
    }

    /// Bits 0 to 2: the IO capability; bit 3: protection against a man in the middle; bit 4: LE legacy pairing; bit 5: no
    /// bonding; bit 6: data out of band; bit 7: a bond with the peer.
    private static func settings(_ options: UInt8) -> SecuritySettings {
        var settings = SecuritySettings()
        settings.ioCapability = IOCapability(rawValue: options & 7) ?? .noInputNoOutput
        settings.authentication = options & 8 != 0 ? .required : .preferred
        if options & 0x10 != 0 { settings.secureConnections = .off }
        settings.isBonding = options & 0x20 == 0
        if options & 0x40 != 0 { settings.outOfBand.temporaryKey = 5 }
        settings.hasKeypresses = true
        settings.distributes = .all
        return settings
    }

    mutating func pair() throws(Broken) {
        queue = [(0, .input(.secure)), (1, .input(.secure))]
        var count = 0
        while !queue.isEmpty, count < 500 {
            count += 1
            let (side, event) = queue.removeFirst()
            switch event {
            case .input(let input): try step(input, side)
            case .sent(let octets): for arrived in altered(octets) { try step(.received(arrived), side) }
            }
        }
        try require(count < 500, "the devices do not stop")
        now = now.advanced(by: .seconds(31))
        for side in sides.indices {
            try step(.timePassed, side)
            try require(!sides[side].manager.isPairing, "pairing goes on after 31 s without a command")
        }
        if let keys = sides[0].completedKey.flatMap({ own in sides[1].completedKey.map { (own, $0) } }) {
            try require(keys.0 == keys.1, "the devices have different keys")
        }
    }

    /// What arrives of a PDU.
    private mutating func altered(_ octets: [UInt8]) -> [[UInt8]] {
        guard let alteration = alterations.next(), let first = alteration.first else { return [octets] }
        guard alteration.count == 1 else { return [alteration] }
        guard octets.indices.contains(Int(first)) else { return [] }
        var altered = octets
        altered[Int(first)] ^= 0xFF
        return [altered]
    }

    private mutating func step(_ input: LinkSecurityManager.Input, _ side: Int) throws(Broken) {
        var outbox: [LinkSecurityManager.Output] = []
        sides[side].step(input, at: now, into: &outbox)
        for output in outbox { try take(output, of: side) }
    }

    private mutating func take(_ output: LinkSecurityManager.Output, of side: Int) throws(Broken) {
        let other = 1 - side
        switch output {
        case .send(let octets): queue.append((other, .sent(octets)))
        case .encrypt(let key):
            centralKey = key
            queue.append((other, .input(.keyRequested(ediv: key.ediv, rand: key.rand))))
        case .answer(let key):
            let isSame = key != nil && key?.value == centralKey?.value
            for each in [side, other] {
                queue.append((each, .input(.encryptionChanged(isSame ? .success : .micFailure, isOn: isSame))))
            }
        case .display(let passkey): sides[side].number = passkey
        case .requestPasskey:
            queue.append((side, .input(.keypress(.completed))))
            queue.append((side, .input(.passkey(sides[other].number ?? 123_456))))
        case .compare(let number):
            sides[side].number = number
            queue.append((side, .input(.compared(areEqual: (sides[other].number ?? number) == number))))
        case .authorize: queue.append((side, .input(.authorized(true))))
        case .encrypted(let key, _): sides[side].isEncrypted = key != nil
        case .completed:
            try require(sides[side].isEncrypted, "pairing is complete, but the link is not encrypted")
            sides[side].completedKey = sides[side].manager.key
        case .wake, .requested, .began, .keypress, .notEncrypted, .failed: break
        }
    }
}
