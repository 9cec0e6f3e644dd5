import Basics
import Bluetooth
import Checks
import LEHost
import SecurityManager

// The keys that a peripheral distributes.  Core 6.0, Vol 3, Part H, section 3.6.
extension Check {
    static let keys = [
        distributing("KDU/BV-01", .encryptionKey, "an LTK with EDIV and Rand"),
        distributing("KDU/BV-02", .identityKey, "an IRK and an identity address"),
        distributing("KDU/BV-03", .signingKey, "a CSRK"),
        distributing("KDU/BV-08", .identityKey, "an IRK and an identity address", .secureConnections),
        distributing("KDU/BV-09", .signingKey, "a CSRK", .secureConnections),
        pairing("KDU/BV-07", "the LTK of LE legacy pairing encrypts the link anew", "2.4.4") {
            peripheral throws(CheckExit) in
            var plan = PairingPlan()
            plan.keys = .encryptionKey
            try peripheral.encrypt(withBond: try peripheral.lastingBond(plan))
        },
        Check(
            "pairing/bond_is_kept", "the key of a bond encrypts a later connection", sm("2.4.4 and 3.5.1"),
            scope: .stranger, if: .pairing
        ) { peripheral throws(CheckExit) in
            let keys = try peripheral.lastingBond(try peripheral.bondable())
            try peripheral.reconnect()
            try peripheral.encrypt(withBond: keys)
        },
        rejecting("KDU/BI-02", "LE legacy pairing"),
        rejecting("KDU/BI-03", "LE Secure Connections", .secureConnections),
    ]

    private static func distributing(
        _ id: String, _ keys: KeyDistribution, _ name: String, _ requirements: AuthenticationRequirements = []
    ) -> Check {
        let method = requirements.isEmpty ? "LE legacy pairing" : "LE Secure Connections"
        return pairing(id, "\(method) distributes \(name), on request, and nothing else", "3.6.1") {
            peripheral throws(CheckExit) in
            var plan = PairingPlan(requirements)
            plan.keys = keys
            let found = try peripheral.bond(plan)
            guard found.response.responderKeys == keys else {
                throw .notApplicable("the peripheral does not distribute \(name)")
            }
            try peripheral.expectSound(found)
            let surplus = try peripheral.securityPDUs(within: .milliseconds(500)).first
            try peripheral.expect(
                surplus == nil, "no further keys", seen: surplus?.name ?? "", evidence: surplus?.octets ?? [])
        }
    }

    private static func rejecting(
        _ id: String, _ method: String, _ requirements: AuthenticationRequirements = []
    ) -> Check {
        pairing(id, "\(method): Pairing Failed (key_rejected) ends pairing after the peripheral's keys", "3.5.5") {
            peripheral throws(CheckExit) in
            var plan = PairingPlan(requirements)
            (plan.keys, plan.ownKeys) = (.all, .all)
            try peripheral.expectEnds(plan, with: .keyRejected, at: .keys)
        }
    }
}

extension Examiner {
    /// Fails unless a distributed identity address is one.
    fileprivate func expectSound(_ keys: PairedKeys) throws(CheckExit) {
        guard let identity = keys.identityAddress else { return }
        try expect(
            identity.isIdentity, "a public or static random address in Identity Address Information",
            seen: "\(identity)")
    }
}
