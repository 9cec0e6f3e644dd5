import Basics

/// The clock of a device's sensors: the clock of the simulation, until it drifts.
///
/// It is continuous and goes back only when the device restarts: a drift changes its speed from an instant on. Without
/// drift it is the identity. Each change loses at most a nanosecond by rounding down.
struct DeviceClock: Sendable {
    private struct Stretch {
        let begun: Instant
        let shows: Instant  // when it begins
        let gain: Int128  // in millionths of a millionth

        var rate: Int128 { DeviceClock.unit + gain }
        /// Its lead over the simulation when the drift begins.
        var lead: Int64 { shows.nanoseconds - begun.nanoseconds }
    }

    private static let unit: Int128 = 1_000_000_000_000
    /// The maximum number of changes kept; time before the oldest counts as without drift.
    private static let most = 64

    private var stretches: [Stretch] = []

    /// Changes the speed by -1000 to 1000 parts per million from now on; the number is clamped.
    mutating func drift(by partsPerMillion: Double, from now: Instant) {
        let gain = Int128((min(max(-1000, partsPerMillion), 1000) * 1_000_000).rounded())
        guard gain != stretches.last?.gain ?? 0 else { return }
        let shows = time(at: now)
        if stretches.last?.begun == now { stretches.removeLast() }
        if stretches.count == Self.most { stretches.removeFirst() }
        stretches.append(Stretch(begun: now, shows: shows, gain: gain))
    }

    /// Shows zero now, and keeps its speed.
    mutating func restart(at now: Instant) {
        stretches = [Stretch(begun: now, shows: .start, gain: stretches.last?.gain ?? 0)]
    }

    func time(at instant: Instant) -> Instant {
        guard !stretches.isEmpty, instant < .never else { return instant }
        guard let stretch = stretches.last(where: { $0.begun <= instant }) else {
            return instant.advanced(byNanoseconds: stretches[0].lead)
        }
        let elapsed = Int128(instant.nanoseconds) - Int128(stretch.begun.nanoseconds)
        return Instant(nanoseconds: stretch.shows.nanoseconds, plus: elapsed * stretch.rate / Self.unit)
    }

    /// The first instant at which this clock reaches a time.
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
