import Basics

/// The times of advertising events: an interval plus a random delay.  Core 6.0, Vol 6, Part B, section 4.4.2.2.1.
///
/// At high duty cycle there is no delay, and the interval is 3.75 ms: section 4.4.2.4.3.  An advertising event is one
/// PDU on each of the channels 37, 38 and 39, at intervals of 1 ms.
struct Advertiser: Sendable {
    /// The interval between advertising events.
    enum Schedule: Hashable, Sendable {
        /// In units of 0.625 ms, plus a random delay of up to 10 ms.
        case every(UInt16)
        /// Directed advertising at high duty cycle.
        case highDutyCycle
    }

    /// From the PDU on one channel to the PDU on the next, in nanoseconds; up to 10 ms are allowed.
    static let channelSpacing: Int64 = 1_000_000

    /// The start of the next event, on channel 37.
    private(set) var next: Instant
    private let schedule: Schedule
    private var delays: RandomStream

    /// The first event starts now.
    init(_ schedule: Schedule, from now: Instant, delays: RandomStream) {
        (next, self.schedule, self.delays) = (now, schedule, delays)
    }

    /// Proceeds to the next event.
    mutating func advance() {
        switch schedule {
        case .every(let units):
            let delay = Int64(delays.below(UInt64(AirTime.advertisingDelay / 1000))) * 1000
            next = next.advanced(byNanoseconds: Int64(units) * AirTime.advertisingUnit + delay)
        case .highDutyCycle: next = next.advanced(byNanoseconds: 6 * AirTime.advertisingUnit)
        }
    }

    /// Skips the events before `now`, which no station received.
    mutating func skip(to now: Instant) {
        while next < now { advance() }
    }
}

/// The times at which a scanner or an initiator receives: each scan interval on the next of the channels 37, 38 and
/// 39.  Core 6.0, Vol 6, Part B, sections 4.4.3 and 4.4.4.
struct Listener: Hashable, Sendable {
    private let start: Instant
    private let interval: Int64
    private let window: Int64

    /// Starts now; interval and window are in units of 0.625 ms.
    init(interval: UInt16, window: UInt16, from now: Instant) {
        start = now
        self.interval = Int64(max(1, interval)) * AirTime.advertisingUnit
        self.window = Int64(window) * AirTime.advertisingUnit
    }

    /// Whether a whole packet on `channel` (37 to 39) is received, from its start at `instant` to its end.
    func receives(from instant: Instant, nanoseconds: Int64, channel: Int) -> Bool {
        let since = instant.nanoseconds - start.nanoseconds
        guard since >= 0 else { return false }
        let inWindow = since % interval
        return (since / interval) % 3 == Int64(channel - 37) && inWindow + nanoseconds <= window
    }
}
