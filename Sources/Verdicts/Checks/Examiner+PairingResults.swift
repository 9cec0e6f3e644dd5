import Basics
import Bluetooth
import LEHost
import SecurityManager

// Pairing with several attempts, and what its end means for a check.
extension Examiner {
    /// Pairs on an unencrypted connection, a new one if necessary.
    ///
    /// A peripheral may reject pairing for some time after failures: Core 6.0, Vol 3, Part H, section 2.3.6.
    package mutating func attempt(
        _ plan: PairingPlan, onEncryptedLink stays: Bool = false
    ) throws(CheckExit) -> Result<PairedKeys, PairingEnd> {
        for pause in [1, 2, 4, 8, 16, 32] {
            var result = try attemptOnce(plan, stays)
            if case .failure(.lost(after: PairingEnd.encryption)) = result {
                // A peripheral with another key ends the connection again.
                result = try attemptOnce(plan, stays)
                if case .failure(.lost(after: PairingEnd.encryption)) = result {
                    return .failure(
                        .wrong(
                            expected: "a link encrypted with the key of pairing",
                            seen: "the connection ended at the start of encryption, twice"))
                }
            }
            guard case .failure(.refused(.repeatedAttempts, after: PairingEnd.first)) = result else { return result }
            wait(.seconds(pause))
        }
        return try attemptOnce(plan, stays)
    }

    private mutating func attemptOnce(
        _ plan: PairingPlan, _ stays: Bool
    ) throws(CheckExit) -> Result<PairedKeys, PairingEnd> {
        if connection == nil || security.isEncrypted && !stays { try reconnect() }
        let result = pairOnce(plan)
        switch result {
        case .success: break
        case .failure(.refused(.pairingNotSupported, after: PairingEnd.first)): knowledge.rejectsPairing = true
        case .failure(.silent): disconnectKeepingAddress()  // no more pairing on this connection: section 3.4
        case .failure: break
        }
        return result
    }

    /// Pairs; every other end is the result of the check.
    package mutating func pair(_ plan: PairingPlan) throws(CheckExit) -> PairedKeys {
        switch try attempt(plan) {
        case .success(let keys): return keys
        case .failure(let end): throw exit(of: end, plan)
        }
    }

    /// Pairs with a bond, under another address than checks without one: a peripheral need not replace a bond by a weaker one.
    package mutating func bond(_ plan: PairingPlan) throws(CheckExit) -> PairedKeys {
        var plan = plan
        plan.requirements.insert(.bonding)
        let base = addresses.first?.number ?? 0
        var refusal = PairingFailedReason.authenticationRequirements
        for number in [0xC000_0000_0000 | base ^ (plan.isSecure ? 1 : 2), 0xC000_0000_0000 | secrets.next() >> 18] {
            disconnectKeepingAddress()
            changeAddress(to: DeviceAddress(number, .random))
            switch try attempt(plan) {
            case .success(let keys):
                (security.bond, security.bondTime) = (keys, now)
                return keys
            case .failure(.refused(let reason, after: PairingEnd.first))
            where reason == .authenticationRequirements || reason == .encryptionKeySize:
                refusal = reason
            case .failure(let end): throw exit(of: end, plan)
            }
        }
        throw exit(of: .refused(refusal, after: PairingEnd.first), plan)
    }

    /// The same; skips the check if the peripheral does not bond, so that it may forget the keys at once.  Core 6.0, Vol 3, Part C,
    /// section 9.4.2.
    package mutating func lastingBond(_ plan: PairingPlan) throws(CheckExit) -> PairedKeys {
        let keys = try bond(plan)
        guard keys.longTermKey != nil, keys.response.requirements.contains(.bonding) else {
            throw .notApplicable("the peripheral does not keep keys")
        }
        return keys
    }

    /// Connects anew, with the same address; first gives the peripheral a second to store the keys of a new bond.
    /// `act` runs while there is no connection.
    package mutating func reconnect(
        after act: (inout Examiner) throws(CheckExit) -> Void = { _ in }
    ) throws(CheckExit) {
        if connection != nil, let bonded = security.bondTime {
            wait(max(.zero, now.duration(to: bonded.advanced(by: .seconds(1)))))
        }
        disconnectKeepingAddress()
        try act(&self)
        try link()
    }

    /// Encrypts the link with the key of a bond; anything else is a fail.
    package mutating func encrypt(withBond keys: PairedKeys) throws(CheckExit) {
        guard let key = keys.longTermKey else {
            throw .notApplicable("the peripheral has distributed no key for later connections")
        }
        let expected = "a link encrypted with the key of the bond"
        do throws(PairingEnd) { try encrypt(with: key) } catch {
            switch error {
            case .wrong(_, let seen, _): throw failure(expected: expected, seen: seen)
            case .lost:
                try reconnect()
                do throws(PairingEnd) { try encrypt(with: key) } catch {
                    throw failure(expected: expected, seen: "the connection ended twice: \(endReason)")
                }
            default: throw exit(of: error, PairingPlan())
            }
        }
    }

    /// Connects anew, and encrypts the link with the latest key of a bond; skips a check that is about something else if that
    /// fails.
    package mutating func reconnect(
        withBond first: PairedKeys, after act: (inout Examiner) throws(CheckExit) -> Void = { _ in }
    ) throws(CheckExit) {
        let keys = security.bond ?? first
        do throws(CheckExit) {
            try reconnect(after: act)
            try encrypt(withBond: keys)
        } catch {
            guard case .failed(let finding) = error else { throw error }
            throw .skipped("the bond is of no use: \(finding.seen) instead of \(finding.expected)")
        }
    }

    // MARK: Ends

    /// The result of a check that expected the plan to succeed.
    package func exit(of end: PairingEnd, _ plan: PairingPlan) -> CheckExit {
        switch end {
        case .refused(let reason, after: PairingEnd.first):
            return reason == .repeatedAttempts || reason == .busy
                ? .inconclusive("the peripheral rejects pairing for now: \(reason)")
                : .notApplicable("the peripheral rejects this pairing: \(reason)")
        case .refused(let reason, let last):
            return orUsersFault(
                plan, failure(expected: "an answer to \(last)", seen: SecurityPDU.pairingFailed(reason).name))
        case .mismatched:
            return orUsersFault(
                plan, failure(expected: "a random value that matches the confirm value", seen: "another one"))
        case .silent(after: PairingEnd.first): return .inconclusive("the peripheral did not answer Pairing Request")
        case .silent(let last):
            let asksUser = isReal && security.peerAsksUser
            return asksUser
                ? .inconclusive("no answer to \(last); perhaps the user of the peripheral has to confirm")
                : failure(expected: "an answer to \(last) within 30 s", seen: "none")
        case .lost(after: PairingEnd.first): return disconnected(during: PairingEnd.first)
        case .lost(let last): return disconnectedFailure(instead: last)
        case .broken: return .inconclusive("the examiner has ended pairing")
        case .impossible(let why): return .skipped(why)
        case .wrong(let expected, let seen, let evidence):
            return failure(expected: expected, seen: seen, evidence: evidence)
        }
    }

    /// A person may have mistyped the passkey of a real peripheral.
    private func orUsersFault(_ plan: PairingPlan, _ exit: CheckExit) -> CheckExit {
        guard isReal, plan.requirements.contains(.mitmProtection) else { return exit }
        return .inconclusive("\(exit.description); perhaps the passkey is wrong")
    }
}
