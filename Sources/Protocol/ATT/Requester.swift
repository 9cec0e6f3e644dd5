public import Basics
public import Bluetooth

/// The client's ATT transactions: at most one request is outstanding, and the bearer is lost if no answer arrives within
/// 30 s.  Core 6.0, Vol 3, Part F, sections 3.3.2 and 3.3.3.
///
///     idle ──request──▶ waiting ──answer──▶ idle
///                          └────30 s────▶ lost
public struct Requester: Sendable {
    /// ATT's transaction timeout.
    public static let transactionTimeout = Duration.seconds(30)
    private static let nanoseconds = transactionTimeout.inNanoseconds

    /// The answer to a request.  Every case ends the transaction.
    public enum Answer: Equatable, Sendable {
        /// The response that belongs to the request.
        case response(PDU)
        /// `ATT_ERROR_RSP` for this request, with the Attribute Handle In Error.
        case error(ATTError, handle: UInt16)
        /// The octets do not match the format of their opcode.
        case malformed(Malformed)
        /// A response or an error for another request.
        case unexpected(opcode: UInt8)
    }

    private enum State { case idle, waiting(Opcode, until: Instant), lost }
    private var state = State.idle

    /// A bearer without an outstanding request.
    public init() {}

    /// Whether a request may be sent now.
    public var isIdle: Bool { if case .idle = state { true } else { false } }

    /// Whether a request timed out, so that the client must send nothing more.
    public var isLost: Bool { if case .lost = state { true } else { false } }

    /// The deadline of the outstanding request; nil if there is none.
    public var deadline: Instant? { if case .waiting(_, let deadline) = state { deadline } else { nil } }

    /// Starts a transaction.
    ///
    /// - Returns: the instant at which to call `timePassed`; nil, without an effect, unless `isIdle` and `opcode` is a
    ///   request's.
    public mutating func request(_ opcode: Opcode, at now: Instant) -> Instant? {
        guard isIdle, opcode.response != nil else { return nil }
        let deadline = now.advanced(byNanoseconds: Self.nanoseconds)
        state = .waiting(opcode, until: deadline)
        return deadline
    }

    /// Ends the transaction with a response or an error.
    ///
    /// - Returns: the answer; nil if no request is outstanding.
    public mutating func receive(_ octets: ArraySlice<UInt8>) -> Answer? {
        guard case .waiting(let request, _) = state, let opcode = octets.first else { return nil }
        state = .idle
        guard opcode == request.response?.rawValue || opcode == Opcode.errorResponse.rawValue else {
            return .unexpected(opcode: opcode)
        }
        do throws(Malformed) {
            let pdu = try PDU(octets)
            guard case .errorResponse(let requested, let handle, let error) = pdu else { return .response(pdu) }
            return requested == request.rawValue ? .error(error, handle: handle) : .unexpected(opcode: opcode)
        } catch {
            return .malformed(error)
        }
    }

    /// Checks the deadline.
    ///
    /// - Returns: whether the outstanding request has just timed out, so that the bearer is lost.
    public mutating func timePassed(at now: Instant) -> Bool {
        guard case .waiting(_, let deadline) = state, deadline <= now else { return false }
        state = .lost
        return true
    }
}
