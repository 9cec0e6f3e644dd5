import Simulation

/// A heart rate taken many times a second, numbered from the start.
public struct HeartRateSamples: Sendable {
    /// When values are taken.
    public let clock: SampleClock
    /// What is taken; a script may take it over.
    public var rate: Gauge
    /// Of the values that were taken last, the first that is less than 0 or more than 65535.
    public private(set) var saturated: Double?

    /// Values of a curve that begins with the simulation.
    public init(_ rate: Signal, _ clock: SampleClock = SampleClock(hertz: 500)) {
        (self.rate, self.clock) = (Gauge(rate), clock)
    }

    /// Puts the values with these numbers, in beats per minute, into `values` in place of what was there, up to where
    /// the curve stops; no allocation once that has the capacity.
    public mutating func take(_ indices: Range<Int64>, into values: inout [UInt16]) {
        values.removeAll(keepingCapacity: true)
        saturated = nil
        guard indices.lowerBound >= 0, clock.instant(of: indices.upperBound) < .never else { return }
        var hasStopped = false
        clock.forEach(in: indices) { time in
            guard !hasStopped, let value = rate.value(at: Instant(nanoseconds: time)) else {
                hasStopped = true
                return
            }
            if saturated == nil, !(0...65535).contains(value) { saturated = value }
            values.append(Heart.shown(value))
        }
    }
}
