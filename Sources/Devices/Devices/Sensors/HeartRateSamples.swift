import Basics

/// A heart rate sampled many times per second; samples are numbered from the start.
package struct HeartRateSamples: Sendable {
    package let clock: SampleClock
    /// The sampled rate, which a script can override.
    package var rate: Gauge
    /// The first of the samples taken last that does not fit into 0…65535.
    package private(set) var saturated: Double?

    /// Samples of a curve that starts with the simulation.
    package init(_ rate: Signal, _ clock: SampleClock = SampleClock(hertz: 500)) {
        (self.rate, self.clock) = (Gauge(rate), clock)
    }

    /// Replaces `values` by the samples with these numbers, in beats per minute, up to where the curve stops; does not
    /// allocate if the capacity suffices.
    package mutating func take(_ indices: Range<Int64>, into values: inout [UInt16]) {
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
            values.append(Heart.reported(value))
        }
    }
}
