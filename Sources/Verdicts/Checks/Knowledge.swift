package import Bluetooth
import SecurityManager

/// The findings about a peripheral that later checks use, so that they need not repeat the work or the wait.
///
/// A request that the peripheral did not answer is sent once more; after that, everything that needs its answer is
/// inconclusive at once.
package struct Knowledge: Sendable {
    /// The requests before a check begins.
    enum Request: String, CaseIterable {
        case exchangeMTU = "Exchange MTU"
        case discovery = "Discover All Primary Services"
    }

    private var unanswered: [Request: Int] = [:]
    private var isBroken = false
    /// Whether the peripheral has answered a Pairing Request with Pairing Not Supported.
    var rejectsPairing = false
    /// Whether the peripheral has lost the keys of the earlier bond.
    var hasUselessBond = false
    /// Why the examiner cannot do what a peripheral demands of a secure link.
    var reasonNotToSecure: String?
    /// Why there is no second connection: the peripheral was not found again after the first one.
    package var absence: String?
    /// A value that shows that the sensor was in use when it came.
    package var lastUse: Examiner.ReceivedValue?

    /// Why checks that need this were skipped.
    fileprivate var skipReasons: [Need: String] = [:]

    /// Something that several checks need of the peripheral, and that takes time to find out.
    package enum Need: Hashable, Sendable {
        case securityRequest
        case linkWithShortKey
        case readRejected(with: ATTError)
        case writeRejected(with: ATTError)
    }

    /// Nothing has been asked yet.
    package init() {}

    /// The peripheral has answered a request.
    mutating func end(_ request: Request) {
        isBroken = true
        unanswered[request] = 0
    }

    mutating func note(_ request: Request) { unanswered[request, default: 0] += 1 }

    /// Whether to send a request no more.  The second kind of request is sent only once to a peripheral that has never
    /// answered.
    func hasGivenUp(_ request: Request) -> Bool {
        let count = unanswered[request] ?? 0
        let others = Request.allCases.filter { $0 != request }
        return count >= 2 || count == 1 && !isBroken && others.contains { unanswered[$0] ?? 0 >= 2 }
    }

    /// Why no check with this prerequisite is run any more; nil if one may be.
    func skipReason(for prerequisite: Prerequisite) -> String? {
        switch prerequisite {
        case .pairing where rejectsPairing:
            "not applicable: the peripheral rejects pairing: \(PairingFailedReason.pairingNotSupported)"
        case .need(let need): skipReasons[need]
        default: nil
        }
    }

    /// Why no check that needs a connection is run any more; nil if one may be.
    package var reason: String? {
        guard hasGivenUp(.discovery) else { return nil }
        return "the peripheral did not answer discovery"
            + (hasGivenUp(.exchangeMTU) ? ", nor \(Request.exchangeMTU.rawValue)" : "") + ", and was not asked again"
    }
}

extension Examiner {
    /// Runs `body`.  If it skips the check, later checks with the same need are skipped at once; before they connect, if the
    /// need is one of their prerequisites.
    package mutating func obtain<Value>(
        _ need: Knowledge.Need, _ body: (inout Examiner) throws(CheckExit) -> Value
    ) throws(CheckExit) -> Value {
        if let reason = knowledge.skipReasons[need] { throw .skipped(reason) }
        do throws(CheckExit) { return try body(&self) } catch {
            if case .skipped(let reason) = error { knowledge.skipReasons[need] = reason }
            throw error
        }
    }
}
