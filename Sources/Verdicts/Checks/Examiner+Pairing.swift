import Basics
import Bluetooth
import HCI
import L2CAP
import LEHost
package import SecurityManager

// Pairing as the initiator, PDU by PDU, so that a check can deviate.  Core 6.0, Vol 3, Part H, sections 2.3 and 3.
extension Examiner {
    /// The state of security in the present connection.
    struct Security: Sendable {
        /// The PDUs that pairing has not taken yet.
        var received: [[UInt8]] = []
        /// The latest Security Request.
        var request: AuthenticationRequirements?
        /// The result of the latest encryption; nil while it is unknown.
        var encryption: HCIStatus?
        /// Whether the link is encrypted.
        var isEncrypted = false
        /// The keys of the bond that was made in this connection.
        var bond: PairedKeys?
        /// When it was made.
        var bondTime: Instant?
        /// Whether the keys of a bond that outlasts the connection encrypt the link.
        var usesKeptBond = false
        /// How far the examiner has gone because the peripheral demands a secure link.
        var demand = Demand.none
        /// The latest Pairing Response.
        var response: PairingFeatures?

        /// Whether the peripheral can ask its user.
        var peerAsksUser: Bool {
            response.map { ![.noInputNoOutput, .displayOnly].contains($0.ioCapability) } ?? false
        }

        static let maximumPDUs = 256
    }

    /// The Security Manager Timer.  Core 6.0, Vol 3, Part H, section 3.4.
    package static let securityTimeout = Duration.nanoseconds(Pairing.timeout)

    /// The first six octets of pairing, and the addresses of both devices.
    struct PairingContext {
        let request: PairingFeatures
        let response: PairingFeatures
        let own: DeviceAddress
        let peer: DeviceAddress

        var model: AssociationModel { AssociationModel(initiator: request, responder: response) }
        var isSecure: Bool {
            [request, response].allSatisfy { $0.requirements.contains(.secureConnections) }
        }
        var keySize: UInt8 { min(request.maximumKeySize, response.maximumKeySize) }

        func longTermKey(_ value: UInt128) -> LongTermKey {
            LongTermKey(
                value, size: keySize, isAuthenticated: model.isAuthenticated, isSecureConnections: isSecure)
        }
    }

    /// Pairs on the present connection.
    mutating func pairOnce(_ plan: PairingPlan) -> Result<PairedKeys, PairingEnd> {
        do throws(PairingEnd) { return .success(try performPairing(plan)) } catch { return .failure(error) }
    }

    private mutating func performPairing(_ plan: PairingPlan) throws(PairingEnd) -> PairedKeys {
        guard let own = addresses.own, let peer = address else { throw .lost(after: PairingEnd.first) }
        security.received = []
        let request = plan.features
        send(.pairingRequest(request))
        let response = try next(after: PairingEnd.first, "Pairing Response") { pdu in
            if case .pairingResponse(let features) = pdu { features } else { nil }
        }
        security.response = response
        let context = PairingContext(request: request, response: response, own: own, peer: peer)
        try expectSound(context)
        if case .silence? = plan.deviation { throw .broken }
        try failIfPlanned(plan, at: .features)
        try expectApplicable(context, plan)
        var keys = try context.isSecure ? authenticateSecurely(context, plan) : authenticate(context, plan)
        try encrypt(with: keys.linkKey)
        try takeKeys(context, into: &keys)
        try failIfPlanned(plan, at: .keys)
        sendKeys(context)
        return keys
    }

    /// What every Pairing Response must fulfil.  Section 3.5.2.
    private func expectSound(_ context: PairingContext) throws(PairingEnd) {
        let (request, response) = (context.request, context.response)
        let octets = SecurityPDU.pairingResponse(response).octets
        for (own, peers, name) in [
            (request.initiatorKeys, response.initiatorKeys, "Initiator"),
            (request.responderKeys, response.responderKeys, "Responder"),
        ] where !peers.isSubset(of: own) {
            throw .wrong(
                expected: "a \(name) Key Distribution within \(own.rawValue.inHex), as requested",
                seen: peers.rawValue.inHex, evidence: octets)
        }
    }

    /// Ends pairing if its features are not those that the check is about.
    private mutating func expectApplicable(_ context: PairingContext, _ plan: PairingPlan) throws(PairingEnd) {
        let missing: String? =
            if plan.isSecure, plan.needsSecureConnections, !context.isSecure {
                "the peripheral does not support LE Secure Connections"
            } else if !plan.model.includes(context.model) {
                plan.model.missing(from: context.response)
            } else { nil }
        guard let missing else { return }
        send(.pairingFailed(.authenticationRequirements))
        throw .impossible("not applicable: \(missing)")
    }

    /// Sends Pairing Failed, if the check is about that.
    mutating func failIfPlanned(_ plan: PairingPlan, at step: PairingPlan.Step) throws(PairingEnd) {
        guard let reason = plan.failure(at: step) else { return }
        send(.pairingFailed(reason))
        throw .broken
    }

    // MARK: PDUs

    /// Whether the peripheral has announced LE Secure Connections in its latest Pairing Response.
    package var supportsSecureConnections: Bool {
        security.response?.requirements.contains(.secureConnections) == true
    }

    package var isEncrypted: Bool { security.isEncrypted }

    /// The bits of the latest Security Request in this connection; nil if there was none.
    package var securityRequest: AuthenticationRequirements? { security.request }

    /// Waits; returns the PDUs in that time, without those that a peripheral may send at any time.
    package mutating func securityPDUs(within duration: Duration) throws(CheckExit) -> [SecurityPDU] {
        _ = wait(atMost: duration) { $0.connection == nil }
        let all = security.received.compactMap { try? SecurityPDU.decode($0) }
        security.received = []
        return all.filter { pdu in
            switch pdu {
            case .securityRequest, .keypressNotification, .pairingFailed: false
            default: true
            }
        }
    }

    package mutating func send(_ pdu: SecurityPDU) { send(security: pdu.octets) }

    /// Without effect on a host that pairs by itself: such a check is skipped before.
    mutating func send(security octets: [UInt8]) { try? inject(.sendRaw(.security, octets)) }

    /// The next PDU of pairing; Keypress Notifications, and Security Requests that cross the first PDU, are ignored.
    mutating func next<Value>(
        after last: String, _ name: String, _ extract: (SecurityPDU) -> Value?
    ) throws(PairingEnd) -> Value {
        let pdu = try nextPDU(after: last, name)
        if let value = extract(pdu) { return value }
        if case .pairingFailed(let reason) = pdu { throw .refused(reason, after: last) }
        throw .wrong(expected: "\(name) after \(last)", seen: pdu.name, evidence: pdu.octets)
    }

    private mutating func nextPDU(after last: String, _ name: String) throws(PairingEnd) -> SecurityPDU {
        let limit = now.advanced(by: Self.securityTimeout)
        while true {
            let left = max(.zero, now.duration(to: limit))
            _ = wait(atMost: left, due: Self.securityTimeout) {
                !$0.security.received.isEmpty || $0.connection == nil
            }
            guard !security.received.isEmpty else {
                throw connection == nil ? .lost(after: last) : .silent(after: last)
            }
            let octets = security.received.removeFirst()
            do throws(Malformed) {
                switch try SecurityPDU.decode(octets) {
                case nil, .keypressNotification?, .securityRequest?: continue
                case let pdu?: return pdu
                }
            } catch {
                throw .wrong(expected: "a well-formed \(name) after \(last)", seen: "\(octets.text): \(error)")
            }
        }
    }

    /// Makes the peripheral send a Security Request; false if nobody can.
    package mutating func requestSecurity() -> Bool {
        defer { listen() }
        return host.requestSecurity()
    }

    /// Exchanges data out of band; skips the check if nobody can.
    package mutating func exchangeOutOfBand(_ data: OutOfBandData) throws(CheckExit) -> OutOfBandData.Commitment {
        defer { listen() }
        if let commitment = host.exchangeOutOfBand(data) { return commitment }
        throw .skipped(
            isReal
                ? "cannot carry data to or out of a real peripheral"
                : "not applicable: the device has no \"oob\" in \"security\"")
    }

    /// Data for another pairing.
    package mutating func ownOutOfBandData() throws(CheckExit) -> OutOfBandData.Own {
        guard let own = try? OutOfBandData.Own(using: &secrets) else {
            throw .inconclusive("cannot generate a key pair")
        }
        return own
    }

    package mutating func randomValue() -> UInt128 { UInt128(using: &secrets) }

    mutating func take(security octets: [UInt8]) {
        if octets.count == 2, octets[0] == 0x0B { security.request = AuthenticationRequirements(rawValue: octets[1]) }
        guard security.received.count < Security.maximumPDUs else { return }
        security.received.append(octets)
    }

    /// The result of what a person at the peripheral has to do; ends pairing if nobody does it.
    mutating func orImpossible<Value>(_ value: Value?, _ task: String) throws(PairingEnd) -> Value {
        if let value { return value }
        send(.pairingFailed(.passkeyEntryFailed))
        throw .impossible("cannot \(task) of a real peripheral")
    }

    /// The passkey of this pairing: the one that the peripheral displays, or one that its user enters.
    mutating func passkey(_ context: PairingContext) throws(PairingEnd) -> UInt32 {
        guard case .passkeyEntry(let displayedBy) = context.model else { return 0 }
        guard displayedBy != .responder else {
            if let passkey = host.displayedPasskey() { return passkey }
            send(.pairingFailed(.passkeyEntryFailed))
            throw .impossible("nobody has entered the passkey that the peripheral displays: give it with --passkey")
        }
        let passkey = UInt32(truncatingIfNeeded: secrets.next() % 1_000_000)
        let isEntered = connection.map { host.enter(passkey: passkey, $0) } ?? false
        return try orImpossible(isEntered ? passkey : nil, "enter a passkey on the keyboard")
    }
}

extension PairingPlan.Model {
    /// Why a peripheral with these features does not pair this way.
    fileprivate func missing(from response: PairingFeatures) -> String {
        switch self {
        case .passkeyEntry where response.ioCapability == .noInputNoOutput:
            "the peripheral has neither a display nor a keyboard"
        case .outOfBand: "the peripheral does not use the data that it has received out of band"
        default: "the features of the peripheral determine another association model"
        }
    }
}
