import Basics
import Bluetooth
import GATT
import LEHost
import SecurityManager

// Pairing, and encryption with a bond, when the device refuses a request without.
extension Conversation {
    /// The requests that wait for an encrypted link.
    struct Security: Sendable {
        fileprivate enum State { case idle, securing, pairing, givenUp }

        fileprivate var state = State.idle
        fileprivate var isEncrypted = false
        fileprivate(set) var wasLostDuringEncryption = false
        /// The refused procedures, with the words for it.
        fileprivate var refused: [(purpose: Purpose, failure: Procedure.Failure)] = []
    }

    /// Secures the link, and repeats the refused procedure after that; false if that cannot help.
    mutating func secures(_ purpose: Purpose, after failure: Procedure.Failure, into outbox: inout [Output]) -> Bool {
        guard settings.pairs, failure.wantsPairing, security.state != .givenUp else { return false }
        // A new key would be as short.
        if security.isEncrypted, case .refused(.encryptionKeySizeTooShort, _) = failure { return false }
        switch purpose {
        case .read, .subscription, .survey, .check, .discovery: break
        case .mtu, .features, .energy, .polar: return false
        }
        security.refused.append((purpose, failure))
        secure(into: &outbox)
        return true
    }

    /// Encrypts with the bond, if there is one, before the first request.
    mutating func beginSecurely(trustingBond trustsBond: Bool, into outbox: inout [Output]) {
        guard trustsBond else {
            if settings.pairsUnasked { return pairAgain(into: &outbox) }
            // When the device refuses a request, its keys are tried again: they may have been wrong for a while only.
            let why = "several connections ended while they were being encrypted"
            return say(.pairing(.failed(Self.advice(because: why))), into: &outbox)
        }
        if settings.pairsUnasked { return secure(into: &outbox) }
        outbox.append(.command(.security(id, .resume)))
    }

    private mutating func secure(into outbox: inout [Output]) {
        guard security.state == .idle else { return }
        security.state = .securing
        outbox.append(.command(.security(id, .secure)))
    }

    /// Handles an output of the host's Security Manager.
    mutating func secured(
        _ output: LinkSecurityManager.Output, _ decoder: inout ValueDecoder, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        if case .encrypted(let key, _) = output { security.isEncrypted = key != nil }
        switch output {
        case .requested: if settings.pairs { secure(into: &outbox) }
        case .began:
            security.state = .pairing
            say(.pairing(.started), into: &outbox)
        case .display(let passkey): say(.pairing(.displayed(passkey: passkey)), into: &outbox)
        case .requestPasskey: say(.pairing(.requestedPasskey), into: &outbox)
        case .compare(let number): say(.pairing(.compared(number)), into: &outbox)
        case .encrypted(.some, isNew: false): repeatRefused(into: &outbox)
        case .completed(let bond, let isBonded):
            let key = bond.keyAsCentral
            say(.pairing(.paired(isBonded: isBonded, isAuthenticated: key?.isAuthenticated ?? false)), into: &outbox)
            repeatRefused(into: &outbox)
        case .failed(let failure):
            let why = "pairing failed: \(failure.name)"
            let progress = giveUp(why, &decoder, at: now, into: &outbox)
            // A subscription is tried again later, and pairing with it.
            if failure.reason?.isTemporary == true { security.state = .idle }
            // This connection cannot be used for pairing any more.  Core 6.0, Vol 3, Part H, section 3.4.
            return failure == .timedOut ? .failed(why) : progress
        case .notEncrypted(.keyMissing) where settings.pairsUnasked && security.state == .securing:
            pairAgain(into: &outbox)
        case .notEncrypted(let status) where status.endsLink: security.wasLostDuringEncryption = true
        case .notEncrypted(let status):
            return giveUp(Self.advice(because: "\(status)"), &decoder, at: now, into: &outbox)
        default: break
        }
        return .goesOn
    }

    private mutating func pairAgain(into outbox: inout [Output]) {
        say(.pairing(.failed("the device has lost the keys of an earlier pairing: pairing again")), into: &outbox)
        security.state = .securing
        outbox.append(.command(.security(id, .pair)))
    }

    private static func advice(because why: String) -> String {
        "the device has lost the keys of an earlier pairing (\(why)): remove the bond, and pair again"
    }

    /// A device that still refuses gets one new pairing; after that, the refusals count.
    private mutating func repeatRefused(into outbox: inout [Output]) {
        security.state = security.state == .pairing ? .givenUp : .idle
        let refused = security.refused
        security.refused.removeAll()
        for (purpose, _) in refused { repeatProcedure(for: purpose, into: &outbox) }
    }

    private mutating func giveUp(
        _ why: String, _ decoder: inout ValueDecoder, at now: Instant, into outbox: inout [Output]
    ) -> Progress {
        say(.pairing(.failed(why)), into: &outbox)
        security.state = .givenUp
        let refused = security.refused
        security.refused.removeAll()
        for (purpose, failure) in refused {
            let progress = failed(purpose, failure, &decoder, at: now, into: &outbox)
            if progress != .goesOn { return progress }
        }
        return .goesOn
    }
}

extension Procedure.Failure {
    /// Whether an encrypted link, with a sufficiently strong key, would be accepted.
    var wantsPairing: Bool {
        switch self {
        case .refused(.insufficientAuthentication, _), .refused(.insufficientEncryption, _),
            .refused(.encryptionKeySizeTooShort, _):
            true
        default: false
        }
    }
}

extension PairingFailedReason {
    /// Whether another attempt can succeed: the users or the peer may do something else.
    fileprivate var isTemporary: Bool {
        switch self {
        case .passkeyEntryFailed, .confirmValueFailed, .dhKeyCheckFailed, .numericComparisonFailed, .repeatedAttempts,
            .invalidParameters, .unspecifiedReason, .busy:
            true
        default: false
        }
    }
}

extension HCIStatus {
    /// Whether a link ended for a reason that can be other than the keys.
    fileprivate var endsLink: Bool {
        [
            .connectionTimeout, .failedToBeEstablished, .remoteUserTerminated, .localHostTerminated,
            .hardwareFailure,
        ]
        .contains(self)
    }
}
