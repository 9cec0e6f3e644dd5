import Basics
import Bluetooth
package import Checks
import LEHost
import SecurityManager

// Pairing without authentication, key sizes, and the timeout.  Core 6.0, Vol 3, Part H, section 2.3.
extension Check {
    private static let legacy = PairingPlan()
    private static let secure = PairingPlan([.secureConnections])

    static let pairing =
        [
            pairing("JW/BV-02", "LE legacy pairing with Just Works succeeds", "2.3.5.2") {
                peripheral throws(CheckExit) in _ = try peripheral.pair(legacy)
            },
            pairing("JW/BI-02", "Just Works: a wrong confirm value fails pairing", "2.3.5.5") {
                peripheral throws(CheckExit) in try peripheral.expectConfirmValueFailed(legacy)
            },
            pairing("JW/BI-03", "Just Works: reserved bits of AuthReq are ignored", "3.5.1") {
                peripheral throws(CheckExit) in try peripheral.expectReservedBitsIgnored(legacy)
            },
            pairing(
                "SCJW/BV-02", "LE Secure Connections with Just Works succeeds, with other random values each time",
                "2.3.5.6.2"
            ) {
                peripheral throws(CheckExit) in
                var randoms: Set<UInt128> = []
                for round in 1...3 {
                    randoms.formUnion(try peripheral.pair(secure).randoms)
                    try peripheral.expect(randoms.count == round, "a new random value", seen: "an earlier one")
                }
            },
            pairing("SCJW/BI-02", "LE Secure Connections: Pairing Failed ends Just Works", "3.5.5") {
                peripheral throws(CheckExit) in
                try peripheral.expectEnds(secure, with: .confirmValueFailed, at: .authentication)
            },
            pairing(
                "SCJW/BV-03", "LE Secure Connections with Just Works: reserved bits of AuthReq are ignored", "3.5.1"
            ) {
                peripheral throws(CheckExit) in try peripheral.expectReservedBitsIgnored(secure)
            },
            pairing(
                "EKS/BV-02", "a key of the minimum size, 7 octets, encrypts the link, and a later one with the bond",
                "2.3.4"
            ) {
                peripheral throws(CheckExit) in
                var plan = try peripheral.bondable()
                plan.maximumKeySize = 7
                let keys = try peripheral.bond(plan)
                guard keys.longTermKey != nil, keys.response.requirements.contains(.bonding) else { return }
                try peripheral.reconnect()
                try peripheral.encrypt(withBond: keys)
            },
            pairing("EKS/BI-02", "a key size of 6 octets is rejected", "2.3.4") {
                peripheral throws(CheckExit) in try peripheral.expectShortKeyRefused()
            },
            pairing(
                "PROT/BV-02", "pairing ends 30 s after the last PDU, and cannot begin again on the connection", "3.4",
                weight: .robustness
            ) { peripheral throws(CheckExit) in try peripheral.expectTimeout() },
            pairing("KDU/BI-01", "pairing with an invalid public key does not succeed", "2.3.5.6.1") {
                peripheral throws(CheckExit) in try peripheral.expectInvalidKeysRefused(with: nil)
            },
            pairing(
                "KDU/BI-04", "an invalid public key is rejected with \(PairingFailedReason.dhKeyCheckFailed)",
                "2.3.5.6.1", weight: .recommended
            ) { peripheral throws(CheckExit) in try peripheral.expectInvalidKeysRefused(with: .dhKeyCheckFailed) },
            pairing("PIS/BV-01", "a peripheral that sends Security Request pairs", "2.4.6") {
                peripheral throws(CheckExit) in try peripheral.expectRequestedPairing()
            }.needing(.securityRequest),
            pairing(
                "PIS/BV-02", "a bonded peripheral that sends Security Request encrypts with the key of the bond",
                "2.4.6"
            ) {
                peripheral throws(CheckExit) in
                _ = try peripheral.awaitSecurityRequest()  // skips the check before it takes longer
                let keys = try peripheral.lastingBond(try peripheral.bondable())
                try peripheral.reconnect()
                _ = try peripheral.awaitSecurityRequest()
                try peripheral.encrypt(withBond: keys)
            }.needing(.securityRequest),
        ] + notPaired

    private static let notPaired = ["BV-04", "BV-06", "BV-08", "BV-10"].map {
        Check(
            "SM/PER/SCCT/\($0)-C", "keys of the other transport are derived", sm("2.4.2.4 and 2.4.2.5"),
            limitation: .dualMode)
    }
}

extension Examiner {
    /// LE Secure Connections if the peripheral supports it, else LE legacy pairing, without authentication.
    package mutating func preferred() throws(CheckExit) -> PairingPlan {
        // Ended after Pairing Response, so that the peripheral does not compute anything.
        let question = PairingPlan([.secureConnections]).but(.failure(.unspecifiedReason, at: .features))
        switch try attempt(question) {
        case .failure(.broken): break
        case .failure(let end): throw exit(of: end, question)
        case .success: throw .inconclusive("pairing has succeeded by itself")
        }
        return PairingPlan(supportsSecureConnections ? [.secureConnections] : [])
    }

    /// The same, with the keys that a bond needs.
    package mutating func bondable() throws(CheckExit) -> PairingPlan {
        var plan = try preferred()
        if !plan.isSecure { plan.keys = .encryptionKey }
        return plan
    }

    /// Pairs with a wrong confirm value; fails unless the peripheral rejects it.
    mutating func expectConfirmValueFailed(_ plan: PairingPlan) throws(CheckExit) {
        try expectConfirmValueFailed(plan.but(.wrongConfirm)) { $0 == "Pairing Random" }
    }

    /// Pairs; fails unless the peripheral rejects a confirm value after one of these steps.
    mutating func expectConfirmValueFailed(_ plan: PairingPlan, after isInTime: (String) -> Bool) throws(CheckExit) {
        switch try attempt(plan) {
        case .failure(.refused(let reason, after: let last)) where isInTime(last):
            try expect(
                reason == .confirmValueFailed, "Pairing Failed (\(PairingFailedReason.confirmValueFailed))",
                seen: "Pairing Failed (\(reason))", evidence: SecurityPDU.pairingFailed(reason).octets)
        case .failure(let end): throw exit(of: end, plan)
        case .success:
            throw failure(expected: "Pairing Failed, since the confirm value is wrong", seen: "the link is encrypted")
        }
    }

    /// Pairs with all reserved bits; fails if the peripheral rejects only these.
    mutating func expectReservedBitsIgnored(_ plan: PairingPlan) throws(CheckExit) {
        var strange = plan
        strange.requirements.insert(AuthenticationRequirements(rawValue: 0xC0))
        switch try attempt(strange) {
        case .success(let keys):
            let reserved = keys.response.requirements.rawValue & 0xC0
            try expect(
                reserved == 0, "reserved bits of 0 in AuthReq of Pairing Response",
                seen: keys.response.requirements.rawValue.inHex)
        case .failure(let end):
            let result = exit(of: end, plan)
            guard case .skipped = result else { throw result }
            // Whether the peripheral rejects the plan without these bits, too.
            _ = try pair(plan)
            throw failure(
                expected: "Pairing Response to a request with reserved bits in AuthReq", seen: result.description)
        }
    }

    /// Section 2.3.4; a size out of range is an invalid parameter, too.
    fileprivate mutating func expectShortKeyRefused() throws(CheckExit) {
        var plan = try preferred().but(.silence)
        plan.maximumKeySize = 6
        switch try attempt(plan) {
        case .failure(.refused(let reason, after: _)):
            let right: [PairingFailedReason] = [.encryptionKeySize, .invalidParameters]
            guard reason != .pairingNotSupported, reason != .busy, reason != .repeatedAttempts else {
                throw exit(of: .refused(reason, after: "Pairing Request"), plan)
            }
            try expect(
                right.contains(reason), "Pairing Failed (\(right.map(\.description).joined(separator: " or ")))",
                seen: "Pairing Failed (\(reason))", evidence: SecurityPDU.pairingFailed(reason).octets)
        case .failure(.broken), .success:
            throw failure(expected: "Pairing Failed, since the maximum key size is 6 octets", seen: "Pairing Response")
        case .failure(let end): throw exit(of: end, plan)
        }
    }

    // MARK: Timeout

    /// Section 3.4.
    fileprivate mutating func expectTimeout() throws(CheckExit) {
        let plan = try preferred().but(.silence)
        guard case .failure(.broken) = try attempt(plan) else {
            throw .inconclusive("the peripheral no longer answers Pairing Request")
        }
        let margin = Duration.seconds(5)
        guard try securityPDUs(within: Self.securityTimeout + margin).isEmpty else {
            throw .notApplicable("the peripheral ended pairing before its time was over")
        }
        guard connection != nil else { return }
        for pdu in [SecurityPDU.pairingConfirm(1), .pairingRequest(plan.features)] {
            send(pdu)
            let answer = try securityPDUs(within: margin).first
            try expect(
                answer == nil, "no answer to \(pdu.name) after the timeout", seen: answer?.name ?? "",
                evidence: answer?.octets ?? [])
        }
    }

    // MARK: Invalid keys

    /// nil: any end of pairing will do.
    fileprivate mutating func expectInvalidKeysRefused(with wanted: PairingFailedReason?) throws(CheckExit) {
        for kind in PairingPlan.InvalidKey.allCases {
            let plan = PairingPlan([.secureConnections]).but(.invalidKey(kind))
            let end: PairingEnd
            switch try attempt(plan) {
            case .success:
                throw failure(
                    expected: "Pairing Failed, since the public key is invalid", seen: "the link is encrypted")
            case .failure(let found): end = found
            }
            switch end {
            case .refused(_, after: "Pairing Request"), .silent(after: "Pairing Request"), .impossible:
                throw exit(of: end, plan)
            case .refused(let reason, _):
                try expect(
                    wanted == nil || reason == wanted, "Pairing Failed (\(wanted?.description ?? ""))",
                    seen: "Pairing Failed (\(reason))", evidence: SecurityPDU.pairingFailed(reason).octets)
            case .wrong(_, let seen, _) where seen == SecurityPDU.pairingDHKeyCheck(0).name: throw exit(of: end, plan)
            default:
                try expect(wanted == nil, "Pairing Failed, since the public key is invalid", seen: "none")
            }
        }
    }

    // MARK: Security Request

    /// The bits of a Security Request in this connection; skips the check if there is none.
    fileprivate mutating func awaitSecurityRequest() throws(CheckExit) -> AuthenticationRequirements {
        try obtain(.securityRequest) { peripheral throws(CheckExit) in
            let isAsked = peripheral.requestSecurity()
            _ = peripheral.wait(atMost: .seconds(5)) { $0.securityRequest != nil || $0.connection == nil }
            if let request = peripheral.securityRequest { return request }
            guard isAsked else {
                throw .skipped(
                    peripheral.isReal
                        ? "cannot provoke a Security Request of a real peripheral"
                        : "not applicable: the device does not pair")
            }
            throw peripheral.failure(expected: "Security Request", seen: "none")
        }
    }

    fileprivate mutating func expectRequestedPairing() throws(CheckExit) {
        let request = try awaitSecurityRequest()
        var plan = PairingPlan(request.intersection([.mitmProtection, .secureConnections, .bonding]))
        if plan.requirements.contains(.mitmProtection) { plan.io = .keyboardOnly }
        if plan.requirements.contains(.bonding) { plan.keys = .encryptionKey }
        switch try attempt(plan) {
        case .success: return
        case .failure(.refused(let reason, after: "Pairing Request"))
        where reason == .pairingNotSupported || reason == .commandNotSupported:
            throw failure(
                expected: "Pairing Response, since the peripheral has sent Security Request",
                seen: "Pairing Failed (\(reason))", evidence: SecurityPDU.pairingFailed(reason).octets)
        case .failure(let end): throw exit(of: end, plan)
        }
    }

    // MARK: Pairing Failed by the examiner

    /// Ends pairing in a step with Pairing Failed; fails unless the peripheral ends it too.
    mutating func expectEnds(
        _ plan: PairingPlan, with reason: PairingFailedReason, at step: PairingPlan.Step
    ) throws(CheckExit) {
        let broken = plan.but(.failure(reason, at: step))
        switch try attempt(broken) {
        case .failure(.broken): break
        case .failure(let end): throw exit(of: end, broken)
        case .success: throw .inconclusive("pairing has succeeded by itself")
        }
        let name = SecurityPDU.pairingFailed(reason).name
        let late = try securityPDUs(within: .milliseconds(500)).first
        try expect(
            late == nil, "no further PDU after \(name)", seen: late?.name ?? "", evidence: late?.octets ?? [])
        guard connection != nil else { return }
        try expectReady(for: plan, after: name)
    }

    /// Fails unless pairing can begin again.  A peripheral may reject it, or not answer, for some time: section 2.3.6.
    private mutating func expectReady(for plan: PairingPlan, after name: String) throws(CheckExit) {
        let question = plan.but(.failure(.unspecifiedReason, at: .features))
        guard
            case .failure(.refused(let reason, after: "Pairing Request")) =
                try attempt(question, onEncryptedLink: isEncrypted),
            [.unspecifiedReason, .invalidParameters, .commandNotSupported].contains(reason)
        else { return }
        try reconnect()
        guard case .failure(.broken) = try attempt(question) else { return }
        throw failure(
            expected: "Pairing Response to a new Pairing Request after \(name), as in a new connection",
            seen: "Pairing Failed (\(reason))", evidence: SecurityPDU.pairingFailed(reason).octets)
    }
}
