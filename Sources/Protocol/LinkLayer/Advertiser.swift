public import Simulation

/// When an advertiser sends: every interval and a delay by chance.  Core 6.0, Vol 6, Part B, section 4.4.2.2.1.
///
/// At high duty nothing is added, and the events follow each other at 3.75 ms: section 4.4.2.4.3.  An advertising event is one PDU on each of the channels 37, 38 and 39, a millisecond apart.
public struct Advertiser: Sendable {
    /// How often an advertiser sends.
    public enum Rhythm: Hashable, Sendable {
        /// Every so many 0.625 ms, and up to 10 ms by chance.
        case every(UInt16)
        /// Directed advertising at high duty.
        case highDuty
    }

    /// From the PDU on one channel to that on the next, in nanoseconds; the section allows up to 10 ms.
    public static let channelSpacing: Int64 = 1_000_000

    /// When the next event begins, on channel 37.
    public private(set) var next: Instant
    private let rhythm: Rhythm
    private var delays: RandomStream

    /// Begins now.
    public init(_ rhythm: Rhythm, from now: Instant, delays: RandomStream) {
        (next, self.rhythm, self.delays) = (now, rhythm, delays)
    }

    /// Goes on to the next event.
    public mutating func advance() {
        switch rhythm {
        case .every(let units):
            let delay = Int64(delays.below(UInt64(AirTime.advertisingDelay / 1000))) * 1000
            next = next.advanced(byNanoseconds: Int64(units) * AirTime.advertisingUnit + delay)
        case .highDuty: next = next.advanced(byNanoseconds: 6 * AirTime.advertisingUnit)
        }
    }

    /// Passes over the events before `now`, when nobody listened: the same as if they had been played.
    public mutating func skip(to now: Instant) {
        while next < now { advance() }
    }
}

/// When a scanner or an initiator listens, and where: one of the channels 37, 38 and 39 in each scan interval, in
/// turn.  Core 6.0, Vol 6, Part B, sections 4.4.3 and 4.4.4.
public struct Listener: Hashable, Sendable {
    private let start: Instant
    private let interval: Int64
    private let window: Int64

    /// Listens from now on; both count in 0.625 ms, and a window as long as the interval has no gap.
    public init(interval: UInt16, window: UInt16, from now: Instant) {
        start = now
        self.interval = Int64(max(1, interval)) * AirTime.advertisingUnit
        self.window = Int64(window) * AirTime.advertisingUnit
    }

    /// Whether a packet that begins at `instant` and takes so long on `channel` (37 to 39) is heard from its start to its end.
    public func hears(from instant: Instant, nanoseconds: Int64, channel: Int) -> Bool {
        let since = instant.nanoseconds - start.nanoseconds
        guard since >= 0 else { return false }
        let inWindow = since % interval
        return (since / interval) % 3 == Int64(channel - 37) && inWindow + nanoseconds <= window
    }
}
