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
        var plan = PairingPlan([.secureConnections])
        plan.needsSecureConnections = false
        if security.bond != nil {
            plan.requirements.insert(.bonding)
            plan.keys = .encryptionKey
        }
        switch security.demand {
        case .authenticated, .failed: return false
        case .none where !security.isEncrypted:
            switch pairOnce(plan) {
            case .success:
                security.demand = .unauthenticated
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
        switch pairOnce(plan) {
        case .success(let keys):
            security.demand = .authenticated
            if security.bond != nil { security.bond = keys }
            return true
        case .failure(let end):
            failToSecure(end, plan)
            return false
        }
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
