import Basics

/// Until when a connection of the server may stay open.
///
/// The time of a request counts as a whole: who sends an octet now and then does not keep a place for long.
struct ConnectionTime {
    private enum Phase {
        /// From the beginning of the connection, or the end of a response, until the next response has been sent.
        case exchange
        /// A stream that has something to send, which its reader does not take.
        case unread
        /// A stream whose reader has taken everything.
        case streaming
    }

    private var phase = Phase.exchange
    private var begin: Instant

    /// A connection that has begun.
    init(at now: Instant) { begin = now }

    /// A response has been sent; a request may follow.
    mutating func answered(at now: Instant) { (phase, begin) = (.exchange, now) }

    /// A stream's reader has taken what was sent before; more is on its way, or nothing.
    mutating func streamed(isMore: Bool, at now: Instant) { (phase, begin) = (isMore ? .unread : .streaming, now) }

    /// Whether the connection has to end. `pace`: seconds of the clock per second of real time.
    func isOver(at now: Instant, _ limits: HTTPLimits, pace: Double) -> Bool {
        let limit: Duration
        switch phase {
        case .exchange: limit = limits.request
        case .unread: limit = limits.unread
        case .streaming: return false
        }
        return begin.advanced(by: limit * pace) <= now
    }
}
