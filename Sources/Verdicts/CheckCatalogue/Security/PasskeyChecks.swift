import Checks
import LEHost
import SecurityManager

// Passkey Entry.  Core 6.0, Vol 3, Part H, sections 2.3.5.3 and 2.3.5.6.3.
extension Check {
    private static let legacy = PairingPlan.passkey()
    private static let secure = PairingPlan.passkey(.secureConnections)

    static let passkey = [
        pairing("PKE/BV-02", "LE legacy pairing with Passkey Entry succeeds", "2.3.5.3") {
            peripheral throws(CheckExit) in _ = try peripheral.pair(legacy)
        },
        pairing("PKE/BI-03", "Passkey Entry: a wrong confirm value fails LE legacy pairing", "2.3.5.5") {
            peripheral throws(CheckExit) in try peripheral.expectConfirmValueFailed(legacy)
        },
        pairing(
            "PKE/BV-05", "a peripheral with a display or a keyboard pairs without authentication, or rejects that",
            "2.3.5.1"
        ) { peripheral throws(CheckExit) in try peripheral.expectFallback() },
        pairing("SCPK/BV-02", "LE Secure Connections with Passkey Entry succeeds", "2.3.5.6.3") {
            peripheral throws(CheckExit) in _ = try peripheral.pair(secure)
        },
        pairing("SCPK/BV-03", "LE Secure Connections with Passkey Entry: reserved bits of AuthReq are ignored", "3.5.1")
        {
            peripheral throws(CheckExit) in try peripheral.expectReservedBitsIgnored(secure)
        },
        pairing("SCPK/BI-03", "Passkey Entry: a wrong confirm value fails LE Secure Connections", "2.3.5.6.3") {
            peripheral throws(CheckExit) in try peripheral.expectConfirmValueFailed(secure)
        },
        pairing("SCPK/BI-04", "LE Secure Connections: Pairing Failed ends Passkey Entry", "3.5.5") {
            peripheral throws(CheckExit) in
            // First, since it skips the check if the peripheral does not pair this way.
            try peripheral.expectEnds(secure, with: .passkeyEntryFailed, at: .authentication)
            for reason in [
                PairingFailedReason.authenticationRequirements, .unspecifiedReason, .pairingNotSupported,
                .repeatedAttempts,
            ] { try peripheral.expectEnds(secure, with: reason, at: .features) }
        },
    ]
}

extension PairingPlan {
    /// A plan with a keyboard and authentication.
    fileprivate static func passkey(_ requirements: AuthenticationRequirements = []) -> PairingPlan {
        var plan = PairingPlan(requirements.union(.mitmProtection))
        (plan.io, plan.model) = (.keyboardOnly, .passkeyEntry)
        return plan
    }
}

extension Examiner {
    /// Pairs without a display and a keyboard.  The bit MITM of the response is 1 up to Core 6.1, and 0 from 6.2 on: SM.TS p30,
    /// PKE/BV-05 and PKE/BV-06.  Either is accepted.
    fileprivate mutating func expectFallback() throws(CheckExit) {
        let plan = PairingPlan()
        switch try attempt(plan) {
        case .success(let keys):
            if keys.response.ioCapability == .noInputNoOutput {
                throw .notApplicable("the peripheral has neither a display nor a keyboard")
            }
        case .failure(.refused(.authenticationRequirements, after: "Pairing Request")): return
        case .failure(.refused(let reason, after: "Pairing Request")) where reason == .unspecifiedReason:
            throw failure(
                expected: "Pairing Response, or Pairing Failed (\(PairingFailedReason.authenticationRequirements))",
                seen: "Pairing Failed (\(reason))", evidence: SecurityPDU.pairingFailed(reason).octets)
        case .failure(let end): throw exit(of: end, plan)
        }
    }
}
