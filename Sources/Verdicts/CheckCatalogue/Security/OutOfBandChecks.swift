import Checks
import LEHost
import SecurityManager

// Pairing with data that were exchanged out of band.  Core 6.0, Vol 3, Part H, sections 2.3.5.4 and 2.3.5.6.4.
extension Check {
    static let outOfBand = [
        pairing("OOB/BV-02", "LE legacy pairing with data of both devices succeeds", "2.3.5.4") {
            peripheral throws(CheckExit) in
            let plan = try peripheral.exchangeTemporaryKey()
            _ = try peripheral.pair(plan)
        },
        pairing("OOB/BI-02", "LE legacy pairing with different data fails", "2.3.5.5") {
            peripheral throws(CheckExit) in
            var plan = try peripheral.exchangeTemporaryKey()
            plan.outOfBand.temporaryKey = peripheral.randomValue()
            try peripheral.expectConfirmValueFailed(plan)
        },
        fallback("OOB/BV-04", "only the peripheral has data: passkey entry", .peripheral, authenticates: true),
        fallback("OOB/BV-06", "only the central has data: passkey entry", .central, authenticates: true),
        fallback("OOB/BV-08", "only the central has data: Just Works", .central, authenticates: false),
        fallback("OOB/BV-10", "only the peripheral has data: Just Works", .peripheral, authenticates: false),
        pairing("SCOB/BV-02", "LE Secure Connections with data of one device or both succeeds", "2.3.5.6.4") {
            peripheral throws(CheckExit) in
            for (isGiven, isTaken) in [(true, true), (true, false), (false, true)] {
                let plan = try peripheral.exchangeCommitments(isGiven: isGiven, isTaken: isTaken)
                _ = try peripheral.pair(plan)
            }
        },
        pairing("SCOB/BV-03", "LE Secure Connections out of band: reserved bits of AuthReq are ignored", "3.5.1") {
            peripheral throws(CheckExit) in
            let plan = try peripheral.exchangeCommitments()
            try peripheral.expectReservedBitsIgnored(plan)
        },
        pairing("SCOB/BI-02", "LE Secure Connections: Pairing Failed ends pairing out of band", "3.5.5") {
            peripheral throws(CheckExit) in
            let plan = try peripheral.exchangeCommitments()
            for reason in [
                PairingFailedReason.authenticationRequirements, .unspecifiedReason, .pairingNotSupported,
                .repeatedAttempts,
            ] { try peripheral.expectEnds(plan, with: reason, at: .features) }
            try peripheral.expectEnds(plan, with: .outOfBandNotAvailable, at: .authentication)
        },
        pairing("SCOB/BI-03", "LE Secure Connections with wrong data fails", "2.3.5.6.4") {
            peripheral throws(CheckExit) in try peripheral.expectWrongCommitmentRefused()
        },
    ]

    private enum Holder { case central, peripheral }

    private static func fallback(_ id: String, _ title: String, _ holder: Holder, authenticates: Bool) -> Check {
        pairing(id, "LE legacy pairing, \(title)", "2.3.5.1") { peripheral throws(CheckExit) in
            var plan = PairingPlan(authenticates ? .mitmProtection : [])
            (plan.io, plan.model) = authenticates ? (.keyboardOnly, .passkeyEntry) : (.noInputNoOutput, .justWorks)
            if holder == .central {
                plan.claimsOutOfBandData = true
            } else {
                _ = try peripheral.exchangeTemporaryKey()
            }
            let keys = try peripheral.pair(plan)
            guard holder == .peripheral else { return }
            try peripheral.expect(
                keys.response.hasOutOfBandData, "the OOB data flag in Pairing Response, since the peripheral has data",
                seen: "no flag")
        }
    }
}

extension Examiner {
    /// Gives the peripheral a Temporary Key.
    fileprivate mutating func exchangeTemporaryKey() throws(CheckExit) -> PairingPlan {
        var plan = PairingPlan()
        plan.outOfBand.temporaryKey = randomValue()
        plan.model = .outOfBand
        _ = try exchangeOutOfBand(plan.outOfBand)
        return plan
    }

    /// Gives the peripheral a commitment, and takes the peripheral's.
    fileprivate mutating func exchangeCommitments(
        isGiven: Bool = true, isTaken: Bool = true
    ) throws(CheckExit) -> PairingPlan {
        var plan = PairingPlan([.secureConnections])
        let own = try ownOutOfBandData()
        (plan.outOfBand.own, plan.model) = (own, .outOfBand)
        var given = OutOfBandData()
        if isGiven { given.peers = try? own.commitment }
        let taken = try exchangeOutOfBand(given)
        if isTaken { plan.outOfBand.peers = taken }
        return plan
    }

    /// Gives the peripheral the commitment to another key than the one that the examiner uses.
    fileprivate mutating func expectWrongCommitmentRefused() throws(CheckExit) {
        var plan = try exchangeCommitments()
        plan.outOfBand.own = try ownOutOfBandData()
        try expectConfirmValueFailed(plan) { $0 != "Pairing Request" }
    }
}
