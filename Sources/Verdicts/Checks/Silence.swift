import SecurityManager

/// The requests that a peripheral did not answer, so that other checks need not wait for an answer as long as the first did;
/// and whether it rejects pairing.
///
/// A request is sent once more; after that, everything that needs its answer is inconclusive at once.
package struct Silence: Sendable {
    /// The requests before a check begins.
    enum Request: String, CaseIterable {
        case exchangeMTU = "Exchange MTU"
        case discovery = "Discover All Primary Services"
    }

    private var unanswered: [Request: Int] = [:]
    private var isBroken = false
    /// Whether the peripheral has answered a Pairing Request with Pairing Not Supported.
    var rejectsPairing = false
    /// Why the examiner cannot do what a peripheral demands of a secure link.
    var reasonNotToSecure: String?

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

    /// Why no check of pairing is run any more; nil if one may be.
    var reasonNotToPair: String? {
        rejectsPairing
            ? "not applicable: the peripheral rejects pairing: \(PairingFailedReason.pairingNotSupported)" : nil
    }

    /// Why no check that needs a connection is run any more; nil if one may be.
    package var reason: String? {
        guard hasGivenUp(.discovery) else { return nil }
        return "the peripheral did not answer discovery"
            + (hasGivenUp(.exchangeMTU) ? ", nor \(Request.exchangeMTU.rawValue)" : "") + ", and was not asked again"
    }
}
