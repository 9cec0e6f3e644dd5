package import Bluetooth
package import GATT
import LEHost
import SecurityManager

// Pairing because the peripheral demands it.  Core 6.0, Vol 3, Part C, section 10.3.
extension Examiner {
    /// How far the examiner has gone to secure the present connection.
    enum Demand: Sendable {
        case none
        /// The link is encrypted; the peripheral is not authenticated.
        case unauthenticated
        /// The link is encrypted, with authentication if the features of the peripheral permit that.
        case authenticated
        /// Pairing has failed.
        case failed(String)

        /// Why a peripheral still refuses a request.
        var description: String {
            switch self {
            case .none, .unauthenticated: "the examiner cannot pair"
            case .authenticated: "pairing was not enough"
            case .failed(let why): why
            }
        }
    }

    /// Runs a procedure; repeats it over a more secure link while the peripheral demands that and it is possible.
    mutating func resultSecurely(
        of procedure: Procedure, _ description: String
    ) throws(CheckExit) -> Result<Procedure.Outcome, Procedure.Failure> {
        while true {
            let result = try result(of: procedure, description)
            guard case .failure(.refused(let error, _)) = result, secures(after: error) else { return result }
        }
    }

    /// The error of an Error Response over a link that is as secure as possible; nil for any other answer.
    package mutating func refusedSecurely(_ procedure: Procedure, _ description: String) throws(CheckExit) -> ATTError?
    {
        guard case .failure(.refused(let error, _)) = try resultSecurely(of: procedure, description) else { return nil }
        return error
    }

    /// Secures the link more than it is, if an error demands that; false if it does not, or that is not possible.
    mutating func secures(after error: ATTError) -> Bool {
        guard [.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort].contains(error) else {
            return false
        }
        if let reason = host.unsupportedReason(for: .pairing) ?? knowledge.reasonNotToSecure {
            security.demand = .failed(reason)
            return false
        }
        if case .none = security.demand, !security.isEncrypted, encryptsWithKeptBond() { return true }
        var plan = PairingPlan([.secureConnections])
        plan.needsSecureConnections = false
        if security.bond != nil { plan.bond(with: .encryptionKey) }
        if keepsBond(isAuthenticated: false) { plan.bond(with: [.encryptionKey, .identityKey]) }
        switch security.demand {
        case .authenticated, .failed: return false
        case .none where !security.isEncrypted:
            switch pairOnce(plan) {
            case .success(let keys):
                security.demand = .unauthenticated
                keep(keys, of: plan)
                return true
            case .failure(.refused(.authenticationRequirements, after: PairingEnd.first)): break
            case .failure(let end):
                failToSecure(end, plan)
                return false
            }
        case .none, .unauthenticated: break
        }
        plan.requirements.insert(.mitmProtection)
        plan.io = .keyboardOnly
        if keepsBond(isAuthenticated: true) { plan.bond(with: [.encryptionKey, .identityKey]) }
        switch pairOnce(plan) {
        case .success(let keys):
            security.demand = .authenticated
            if security.bond != nil { security.bond = keys }
            keep(keys, of: plan)
            return true
        case .failure(let end):
            failToSecure(end, plan)
            return false
        }
    }

    // MARK: Bonds that outlast the connection

    /// Encrypts with the key of an earlier bond; false if there is none, or the peripheral has lost it.
    private mutating func encryptsWithKeptBond() -> Bool {
        guard !knowledge.hasUselessBond, let key = keptBond?.keyAsCentral else { return false }
        do throws(PairingEnd) { try encrypt(with: key) } catch {
            knowledge.hasUselessBond = true
            return false
        }
        (security.usesKeptBond, security.demand) = (true, key.isAuthenticated ? .authenticated : .unauthenticated)
        return true
    }

    private func keepsBond(isAuthenticated: Bool) -> Bool {
        addresses.own == addresses.first && host.keepsBond(isAuthenticated: isAuthenticated)
    }

    /// Keeps the keys of a pairing, if both devices have agreed on a bond under the usual address.
    private mutating func keep(_ keys: PairedKeys, of plan: PairingPlan) {
        guard let address, let own = addresses.first, let key = keys.longTermKey,
            keepsBond(isAuthenticated: key.isAuthenticated), keys.response.requirements.contains(.bonding)
        else { return }
        var bond = Bond(with: keys.identityAddress ?? address)
        (bond.keyAsCentral, bond.peerResolvingKey) = (key, keys.resolvingKey)
        host.keep(bond, under: own)
        (security.usesKeptBond, knowledge.hasUselessBond) = (true, false)
    }

    /// A peripheral keeps the subscriptions of a bonded client, which the next check does not expect.
    mutating func endSubscriptions() {
        for handle in configured.sorted() { _ = ask(.configure(handle: handle, [])) }
    }

    private mutating func failToSecure(_ end: PairingEnd, _ plan: PairingPlan) {
        let reason = "pairing: \(exit(of: end, plan).description)"
        security.demand = .failed(reason)
        switch end {
        case .impossible, .refused(.pairingNotSupported, after: PairingEnd.first): knowledge.reasonNotToSecure = reason
        default: break
        }
    }
}
