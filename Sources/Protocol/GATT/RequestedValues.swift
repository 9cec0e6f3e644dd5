public import Basics
public import Bluetooth

/// One access of a client to a value of `AttributeValue.requested`.
public struct AccessRequest: Hashable, Sendable {
    /// The handle of the value.
    public let handle: UInt16
    /// The first octet that is read or written.
    public let offset: Int
    /// The octets that the client writes; nil: it reads.
    public let written: [UInt8]?

    /// An access.
    public init(handle: UInt16, offset: Int, written: [UInt8]?) {
        (self.handle, self.offset, self.written) = (handle, offset, written)
    }
}

/// A request of the client that waits for an answer of the caller.
///
/// Each answer lets the server handle the request again, from the start: one request can need several.
struct WaitingRequest: Sendable {
    let octets: [UInt8]
    /// The accesses that the caller has to answer next.
    var unanswered: [AccessRequest]
    var answers: [(to: [AccessRequest], result: Result<[UInt8], ATTError>)] = []
}

extension Result where Failure == ErrorResponse {
    /// The accesses that the caller has to answer first; nil if there is a response.
    var unanswered: [AccessRequest]? {
        guard case .failure(let error) = self, !error.unanswered.isEmpty else { return nil }
        return error.unanswered
    }
}

extension Server {
    /// Answers what `Output.requested` has asked for: the octets from the offset on, which do not matter for a write, or the
    /// error to send.  Without effect if nothing waits.
    public mutating func answer(
        _ result: Result<[UInt8], ATTError>, table: AttributeTable, values: inout some AttributeValues,
        at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard var request = waiting, let opcode = request.octets.first, !indications.isLost else { return }
        request.answers.append((request.unanswered, result))
        waiting = request
        let result = attempt(request.octets[...], table, &values, at: now)
        if let unanswered = result.unanswered { return wait(for: unanswered, request.octets, into: &outbox) }
        waiting = nil
        respond(to: opcode, result, pool: &pool, into: &outbox)
    }

    /// Keeps a request until the caller has answered.
    mutating func wait(for unanswered: [AccessRequest], _ octets: [UInt8], into outbox: inout [Output]) {
        var request = waiting ?? WaitingRequest(octets: octets, unanswered: [])
        request.unanswered = unanswered
        waiting = request
        outbox.append(.requested(unanswered, needsAnswer: true))
    }

    /// The caller's answer to an access of the present request.
    func answer(to access: [AccessRequest]) throws(ErrorResponse) -> [UInt8] {
        let known = waiting?.answers.first { $0.to == access }?.result
        switch known {
        case .success(let value): return value.cut(to: AttributeTable.maximumValueLength)
        case .failure(let error): throw ErrorResponse(error, at: access.first?.handle ?? 0)
        case nil:
            var none = ErrorResponse(.unlikelyError, at: access.first?.handle ?? 0)
            none.unanswered = access
            throw none
        }
    }
}
