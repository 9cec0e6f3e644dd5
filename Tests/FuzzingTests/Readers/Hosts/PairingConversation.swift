import Basics
import Bluetooth
import Fuzzing
import SecurityManager

extension Reader {
    /// The first octet: bit 0, the role; bit 1, LE legacy pairing; bits 2 to 4, the IO capability; bit 5, a bond;
    /// bit 6, the user has to agree. An empty PDU: the user answers, and the controller does as it was told.
    static let pairing = Reader(
        "pairing", "PDUs of a peer that pairs: each answer is a command, and no key is complete without encryption"
    ) { octets throws(Broken) in
        var tested = TestedSecurity(options: octets.first ?? 0)
        for pdu in Conversation(octets.dropFirst()).prefix(64) {
            try pdu.isEmpty ? tested.proceed() : tested.step(.received(pdu))
        }
        try tested.end()
    }
}

/// A Security Manager with its user and its controller.
private struct TestedSecurity {
    private static let own = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let peer = DeviceAddress(0xC0FF_EE00_00C1, .random)

    private var security: LinkSecurityManager
    private var generator = RandomStream(seed: 1)
    private var now = Instant.start
    /// What the user and the controller do next.
    private var pending: [LinkSecurityManager.Input] = []
    private var isEncrypted = false

    init(options: UInt8) {
        var settings = SecuritySettings()
        settings.ioCapability = IOCapability(rawValue: options >> 2 & 7) ?? .noInputNoOutput
        settings.authentication = .preferred
        settings.hasKeypresses = true
        settings.distributes = .all
        if options & 2 != 0 { settings.secureConnections = .off }
        settings.asksToAuthorize = options & 0x40 != 0
        var bond: Bond?
        if options & 0x20 != 0 {
            bond = Bond(with: Self.peer)
            bond?.keyAsCentral = LongTermKey(7)
            bond?.keyAsPeripheral = LongTermKey(7)
        }
        let isInitiator = options & 1 == 0
        security = LinkSecurityManager(
            isInitiator ? .initiator : .responder, settings, Identity(Self.own), own: Self.own, peer: Self.peer,
            bond: bond)
        if isInitiator { pending.append(.pair) }
    }

    mutating func step(_ input: LinkSecurityManager.Input) throws(Broken) {
        var outbox: [LinkSecurityManager.Output] = []
        security.step(input, at: now, using: &generator, into: &outbox)
        for output in outbox {
            switch output {
            case .send(let octets):
                let pdu = try? SecurityPDU.decode(octets)
                try require(pdu != nil && octets.count <= SecurityPDU.maximumLength, "\(octets.hex) is sent")
            case .encrypt: pending.append(.encryptionChanged(.success, isOn: true))
            case .answer(let key): if key != nil { pending.append(.encryptionChanged(.success, isOn: true)) }
            case .requestPasskey: pending.append(.passkey(123_456))
            case .compare: pending.append(.compared(areEqual: true))
            case .authorize: pending.append(.authorized(true))
            case .encrypted(let key, _): isEncrypted = key != nil
            case .completed(let bond, let isBonded):
                try require(isEncrypted, "pairing is complete, but the link is not encrypted")
                try require(!isBonded || bond.keyAsCentral != nil || bond.keyAsPeripheral != nil, "a bond has no key")
            case .wake, .requested, .began, .display, .keypress, .notEncrypted, .failed: break
            }
        }
    }

    /// The user or the controller acts; else the peer's controller encrypts, with the numbers of LE Secure Connections.
    mutating func proceed() throws(Broken) {
        now = now.advanced(by: .seconds(1))
        try step(pending.isEmpty ? .keyRequested(ediv: 0, rand: 0) : pending.removeFirst())
    }

    /// After 30 s without a command, no pairing runs any more.
    mutating func end() throws(Broken) {
        now = now.advanced(by: .seconds(31))
        try step(.timePassed)
        try require(!security.isPairing, "pairing goes on after 31 s without a command")
    }
}
