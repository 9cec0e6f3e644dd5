import Basics
import Bluetooth
import SecurityManager
import Testing

/// Two devices that pair, with their users, and a link without losses.
struct PairOfDevices {
    /// The reports of a device.
    struct Reports {
        var displayed: UInt32?
        var compared: UInt32?
        /// Whether its user is asked to agree.
        var isAsked = false
        var key: LongTermKey?
        var bond: Bond?
        var isBonded = false
        var failure: Pairing.Failure?
        var keypresses: [SecurityPDU.Keypress] = []
        var sent: [[UInt8]] = []
    }

    static let initiatorAddress = DeviceAddress(0xC0FF_EE00_00C1, .random)
    static let responderAddress = DeviceAddress(0xC0FF_EE00_0001, .random)
    static let addresses = [PairingRole.initiator: initiatorAddress, .responder: responderAddress]

    var reports: [PairingRole: Reports] = [.initiator: Reports(), .responder: Reports()]
    /// Changes what a role sends; nil loses the PDU.
    var relay: (PairingRole, [UInt8]) -> [UInt8]? = { $1 }
    /// What the users enter; nil: what the other device displays, or 123,456.
    var passkey: UInt32?
    /// Whether the users enter anything.
    var hasUsers = true
    /// What the users answer; nil: whether the numbers are equal.
    var areEqual: Bool?
    /// Whether users agree.
    var agree = true
    var now = Instant.start

    private var pairings: [PairingRole: Pairing] = [:]
    private var generators: [PairingRole: RandomStream] = [
        .initiator: RandomStream(seed: 1), .responder: RandomStream(seed: 2),
    ]
    private var queue: [(PairingRole, Pairing.Input)] = []
    /// The roles whose users enter a passkey when nobody sends anything.
    private var asked: [PairingRole] = []

    init(
        _ initiator: SecuritySettings = SecuritySettings(), _ responder: SecuritySettings = SecuritySettings(),
        responderKnows bonds: [Bond] = [], responderSends alteration: PairingAlteration? = nil
    ) {
        for (role, settings) in [(PairingRole.initiator, initiator), (.responder, responder)] {
            guard let own = Self.addresses[role], let peer = Self.addresses[role.other] else { continue }
            let identity = Identity(own, resolvingKey: UInt128(own.number))
            pairings[role] = Pairing(
                role, settings, identity, own: own, peer: peer, besides: role == .responder ? bonds : [],
                altering: role == .responder ? alteration : nil)
        }
    }

    subscript(role: PairingRole) -> Reports { reports[role] ?? Reports() }

    var initiator: Reports { self[.initiator] }
    var responder: Reports { self[.responder] }

    /// Starts pairing, and plays it until nobody sends anything.
    mutating func pair() { step(.initiator, .start) }

    /// Pairs as the initiator with another device, up to encryption.
    mutating func pair(with responder: inout LinkSecurityManager) throws {
        guard var pairing = pairings[.initiator], var own = generators[.initiator], var others = generators[.responder]
        else { return }
        var (inputs, isEncrypting) = ([Pairing.Input.start], false)
        while !inputs.isEmpty, !isEncrypting {
            var (outbox, replies) = ([Pairing.Output](), [LinkSecurityManager.Output]())
            pairing.step(inputs.removeFirst(), at: now, using: &own, into: &outbox)
            for output in outbox {
                if case .send(let octets) = output {
                    responder.step(.received(octets), at: now, using: &others, into: &replies)
                }
                if case .encrypt = output { isEncrypting = true }
            }
            inputs += replies.compactMap { if case .send(let octets) = $0 { .received(octets) } else { nil } }
        }
        try #require(isEncrypting)
    }

    /// Passes an input to a role, and plays until nobody sends anything.
    mutating func step(_ role: PairingRole, _ input: Pairing.Input) {
        queue.append((role, input))
        while !queue.isEmpty || !asked.isEmpty {
            if queue.isEmpty {
                let role = asked.removeFirst()
                queue.append((role, .passkey(passkey ?? self[role.other].displayed ?? 123_456)))
            }
            let (role, input) = queue.removeFirst()
            guard var pairing = pairings[role], var generator = generators[role] else { continue }
            var outbox: [Pairing.Output] = []
            pairing.step(input, at: now, using: &generator, into: &outbox)
            (pairings[role], generators[role]) = (pairing, generator)
            for output in outbox { handle(output, of: role) }
        }
    }

    private mutating func handle(_ output: Pairing.Output, of role: PairingRole) {
        switch output {
        case .send(let octets):
            reports[role]?.sent.append(octets)
            if let octets = relay(role, octets) { queue.append((role.other, .received(octets))) }
        case .wake: break
        case .display(let passkey): reports[role]?.displayed = passkey
        case .requestPasskey:
            if hasUsers { asked.append(role) }
        case .compare(let number):
            reports[role]?.compared = number
            if let other = self[role.other].compared, hasUsers {
                let answer = Pairing.Input.compared(areEqual: areEqual ?? (other == number))
                queue += [(role, answer), (role.other, answer)]
            }
        case .authorize:
            reports[role]?.isAsked = true
            if hasUsers { queue.append((role, .authorized(agree))) }
        case .keypress(let keypress): reports[role]?.keypresses.append(keypress)
        case .encrypt(let key):
            reports[role]?.key = key
            guard role == .initiator else { break }
            let status: HCIStatus = pairings[.responder]?.key == key ? .success : .micFailure
            queue += [(.responder, .encryptionChanged(status)), (.initiator, .encryptionChanged(status))]
        case .completed(let bond, let isBonded):
            reports[role]?.bond = bond
            reports[role]?.isBonded = isBonded
        case .failed(let failure): reports[role]?.failure = failure
        }
    }
}
