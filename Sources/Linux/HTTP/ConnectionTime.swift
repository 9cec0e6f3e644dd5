import Simulation

/// Until when a connection of the server may stay open.
///
/// The time of a request counts as a whole: who sends an octet now and then does not keep a place for long.
struct ConnectionTime {
    private enum Phase {
        /// From the beginning of the connection, or the end of a response, until the next response has been sent.
        case exchange
        /// A stream that has something to send, which its reader does not take.
        case unread
        /// A stream.
        case streaming
        /// After the last response, which the client may still read.
        case parting
    }

    private var phase = Phase.exchange
    private var begin: Instant

    /// A connection that has begun.
    init(at now: Instant) { begin = now }

    /// A response has been sent; a request may follow.
    mutating func answered(at now: Instant) { (phase, begin) = (.exchange, now) }

    /// The last response has been sent.
    mutating func parted(at now: Instant) { (phase, begin) = (.parting, now) }

    /// Whether a stream's reader has taken all that was sent.
    mutating func streamed(_ isRead: Bool, at now: Instant) {
        if isRead { phase = .streaming } else if case .streaming = phase { (phase, begin) = (.unread, now) }
    }

    /// A response has become a stream.
    mutating func beginStream() { phase = .streaming }

    /// Whether the connection has to end. `pace`: seconds of the clock per second of real time.
    func isOver(at now: Instant, _ limits: HTTPLimits, pace: Double) -> Bool {
        let limit: Duration
        switch phase {
        case .exchange: limit = limits.request
        case .unread: limit = limits.unread
        case .parting: limit = limits.parting
        case .streaming: return false
        }
        return begin.advanced(by: limit * pace) <= now
    }

    /// Whether a response is due: a client that has sent a part of its request gets one that says why it ends.
    var isExchange: Bool { if case .exchange = phase { true } else { false } }
}
