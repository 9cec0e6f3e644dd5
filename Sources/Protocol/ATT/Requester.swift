public import Bluetooth
public import Octets
public import Simulation

/// The client's side of ATT's transactions: one request is under way at most, and it is answered in 30 seconds or the
/// bearer is of no use any more.  Core 6.0, Vol 3, Part F, sections 3.3.2 and 3.3.3.
///
///     idle ──request──▶ waiting ──answer──▶ idle
///                          └────30 s────▶ lost
public struct Requester: Sendable {
    /// From sending a request until the bearer is given up; ATT calls it the transaction timeout.
    public static let transactionTimeout = Duration.seconds(30)
    private static let nanoseconds = transactionTimeout.inNanoseconds

    /// What came back for a request.  Each of them ends the transaction.
    public enum Answer: Equatable, Sendable {
        /// The response that belongs to the request.
        case response(PDU)
        /// `ATT_ERROR_RSP` for this request, with the Attribute Handle In Error.
        case error(ATTError, handle: UInt16)
        /// The octets are not those of the response that their opcode promises.
        case malformed(Malformed)
        /// A response to another request, or an error of another one.
        case unexpected(opcode: UInt8)
    }

    private enum State { case idle, waiting(Opcode, until: Instant), lost }
    private var state = State.idle

    /// With nothing under way.
    public init() {}

    /// Whether a request may be sent now.
    public var isIdle: Bool { if case .idle = state { true } else { false } }

    /// Whether a request was not answered in time, so that nothing may be sent any more.
    public var isLost: Bool { if case .lost = state { true } else { false } }

    /// Until when the request under way has to be answered; nil when there is none.
    public var deadline: Instant? { if case .waiting(_, let deadline) = state { deadline } else { nil } }

    /// Begins a transaction: the instant at which `timePassed` has to be called; nil, and nothing has begun,
    /// unless this is idle and `opcode` a request's.
    public mutating func request(_ opcode: Opcode, at now: Instant) -> Instant? {
        guard isIdle, opcode.response != nil else { return nil }
        let deadline = now.advanced(byNanoseconds: Self.nanoseconds)
        state = .waiting(opcode, until: deadline)
        return deadline
    }

    /// Ends a transaction by a response or an error; nil when none is under way: it came late, or nobody asked.
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

    /// Whether the bearer was lost just now, since the request under way has waited too long.
    public mutating func timePassed(at now: Instant) -> Bool {
        guard case .waiting(_, let deadline) = state, deadline <= now else { return false }
        state = .lost
        return true
    }
}
