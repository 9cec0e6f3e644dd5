import Simulation

/// The clock that a device's sensors go by: that of the simulation, until it drifts.
///
/// It is a continuous line that never goes back: a drift changes how steep it is from an instant on.  Without one, it is
/// the identity.  Exact to a nanosecond, which rounding down loses at each change at the most.
struct DeviceClock: Sendable {
    private struct Stretch {
        let begun: Instant
        let shows: Instant  // when it begins
        let gain: Int128  // in millionths of a millionth

        var rate: Int128 { DeviceClock.unit + gain }
        /// How far it is ahead when it begins.
        var lead: Int64 { shows.nanoseconds - begun.nanoseconds }
    }

    private static let unit: Int128 = 1_000_000_000_000
    /// So many changes are remembered: what is older counts as if there had been no drift before.
    private static let most = 64

    private var stretches: [Stretch] = []

    /// From now on it is so many millionths too fast, -1000 to 1000; what is outside is moved to the nearer end.
    mutating func drift(by partsPerMillion: Double, from now: Instant) {
        let gain = Int128((min(max(-1000, partsPerMillion), 1000) * 1_000_000).rounded())
        guard gain != stretches.last?.gain ?? 0 else { return }
        let shows = time(at: now)
        if stretches.last?.begun == now { stretches.removeLast() }
        if stretches.count == Self.most { stretches.removeFirst() }
        stretches.append(Stretch(begun: now, shows: shows, gain: gain))
    }

    /// What it shows at an instant.
    func time(at instant: Instant) -> Instant {
        guard !stretches.isEmpty, instant < .never else { return instant }
        guard let stretch = stretches.last(where: { $0.begun <= instant }) else {
            return instant.advanced(byNanoseconds: stretches[0].lead)
        }
        let elapsed = Int128(instant.nanoseconds) - Int128(stretch.begun.nanoseconds)
        return Instant(nanoseconds: stretch.shows.nanoseconds, plus: elapsed * stretch.rate / Self.unit)
    }

    /// The first instant at which it shows a time, or a later one.
    func instant(of time: Instant) -> Instant {
        guard !stretches.isEmpty, time < .never else { return time }
        guard let stretch = stretches.last(where: { $0.shows <= time }) else {
            return time.advanced(byNanoseconds: -stretches[0].lead)
        }
        let wanted = (Int128(time.nanoseconds) - Int128(stretch.shows.nanoseconds)) * Self.unit
        return Instant(
            nanoseconds: stretch.begun.nanoseconds, plus: (wanted + stretch.rate - 1) / stretch.rate)
    }
}

extension Instant {
    fileprivate init(nanoseconds: Int64, plus more: Int128) {
        self.init(nanoseconds: Int64(clamping: Int128(nanoseconds) + more))
    }
}
