package import Basics

/// A heart that beats at a scripted rate.
///
/// The rate is integrated over time: each time the sum passes a whole number there is a beat. RR-Intervals are the
/// times between these beats, so rate, intervals and mean agree over any length of time. The rate is sampled 8 times
/// per second and when its curve changes. The reported rate is the curve itself, rounded: a script can report 0, 300 or
/// 65535 whatever the beats are.
///
/// Everything is a function of time and seed, independent of when and in which portions beats are requested. Catching
/// up takes some hundred nanoseconds per second. Above 1000 beats per minute, beats are evenly spaced, so that they can
/// be skipped without counting.
package struct Heart: Sendable {
    /// How far beats deviate from an even rhythm, in thousandths of the interval.
    ///
    /// Deviations do not add up, so the mean rate remains that of the curve.
    package struct Variability: Hashable, Sendable {
        /// Amplitude of a sine of 15 breaths per minute (respiratory sinus arrhythmia), 0 to 100.
        package let respiration: Int
        /// Maximum of a uniformly distributed random deviation, 0 to 100.
        package let noise: Int

        /// Amplitude of a sine of 6 waves per minute (Mayer waves of the blood pressure), 0 to 100: low-frequency
        /// power, as respiration is high-frequency power.
        package let mayer: Int

        /// A variability; values are clamped to 0…100.
        package init(respiration: Int, noise: Int, mayer: Int = 0) {
            self.respiration = min(max(0, respiration), 100)
            self.noise = min(max(0, noise), 100)
            self.mayer = min(max(0, mayer), 100)
        }

        /// An even rhythm.
        package static let none = Variability(respiration: 0, noise: 0)
        /// At 72 beats per minute the standard deviation of the intervals is about 30 ms.
        package static let resting = Variability(respiration: 40, noise: 20)
    }

    private var rate: Gauge
    private let variability: Variability
    private var chance: RandomStream
    private var energy: Energy

    // Integers, so that no error adds up: a beat is a number of ns times 1/1024 beats per minute.
    private static let beat: Int64 = 60_000_000_000 * 1024
    private static let even: Int64 = 1000 * 1024  // faster hearts beat evenly
    private var slice: Slice
    private var next = Heart.beat  // from the start of the slice to the next beat
    private var stray: Int64 = 0  // the next beat's deviation, contained in `next`

    /// A time span with a constant rate.
    private struct Slice {
        let begin: Instant
        var end: Instant
        let speed: Int64  // in 1/1024 beats per minute

        init(from begin: Instant, _ rate: inout Gauge) {
            let length: Int64 = 125_000_000
            let edge = begin.advanced(byNanoseconds: length - begin.nanoseconds % length)
            self.begin = begin
            end = min(edge, rate.nextChange(after: begin))
            let value = rate.value(at: begin) ?? 0
            speed = value > 0 ? Int64(min(value, 65535) * 1024 + 0.5) : 0  // NaN is 0 too
        }
    }

    /// A heart whose rate starts with the simulation; `seed` determines its variability.
    package init(rate: Signal, seed: UInt64 = 0, variability: Variability = .resting) {
        (self.rate, self.variability) = (Gauge(rate), variability)
        energy = Energy(self.rate)
        chance = RandomStream(seed: seed).stream("heart")
        slice = Slice(from: .start, &self.rate)
    }

    // MARK: Rate

    /// The rate that a sensor reports, 0 to 65535 beats per minute; nil when the curve has stopped.
    package mutating func bpm(at instant: Instant) -> UInt16? {
        unclampedRate(at: instant).map(Self.reported)
    }

    /// The rate of the curve, neither rounded nor clamped; nil when it has stopped.
    package mutating func unclampedRate(at instant: Instant) -> Double? { rate.value(at: instant) }

    /// A rate as a sensor reports it: rounded and clamped to 0…65535.
    package static func reported(_ rate: Double) -> UInt16 {
        rate > 0 ? UInt16(min(rate, 65535) + 0.5) : 0  // NaN is 0 too
    }

    /// Overrides the rate from `instant` on, or restores the original rate if `rate` is nil.
    ///
    /// The time of `rate` starts at `begun`, or at `instant` if that is nil. Instants must not decrease from call to
    /// call. Beats after `instant` that were taken already stay as they are. A change is remembered until the beats
    /// after it are taken.
    package mutating func setRate(_ rate: Signal?, at instant: Instant, begun: Instant? = nil) {
        self.rate.set(rate, at: instant, begun: begun)
        self.rate.forget(before: min(slice.begin, instant))
        energy.setRate(rate, at: instant, begun: begun)
        if instant <= slice.begin {
            slice = Slice(from: slice.begin, &self.rate)
        } else {
            slice.end = min(slice.end, instant)
        }
    }

    var remembered: Int { rate.remembered }

    // MARK: Beats

    /// Takes the beats up to and including `instant`, and calls `body` for each in order.
    package mutating func beats(until instant: Instant, _ body: (Instant) -> Void) {
        while slice.begin <= instant {
            while let beat = beatInSlice {
                guard beat <= instant else { return }
                body(beat)
                prepareNext(after: beat)
            }
            guard slice.end <= instant else { return }
            next -= slice.speed * (slice.end.nanoseconds - slice.begin.nanoseconds)
            slice = Slice(from: slice.end, &rate)
        }
    }

    /// Skips beats up to an eighth of a second before `instant`; returns false if that was not possible.
    package mutating func skipBeats(until instant: Instant) -> Bool {
        guard slice.end <= instant else { return false }
        while slice.end <= instant {
            while let beat = beatInSlice {
                prepareNext(after: beat)
                if slice.speed > Self.even { next += Self.beat * beatsLeftInSlice }
            }
            next -= slice.speed * (slice.end.nanoseconds - slice.begin.nanoseconds)
            slice = Slice(from: slice.end, &rate)
        }
        return true
    }

    /// Number of remaining beats in the slice, for an even rhythm.
    private var beatsLeftInSlice: Int64 {
        let last = slice.speed * (slice.end.nanoseconds - slice.begin.nanoseconds - 1)
        return next <= last ? (last - next) / Self.beat + 1 : 0
    }

    /// The next beat, if it is in the slice.
    private var beatInSlice: Instant? {
        guard slice.speed > 0 else { return nil }
        let wait = max(0, (next + slice.speed - 1) / slice.speed)
        let beat = slice.begin.advanced(byNanoseconds: wait)
        return beat < slice.end ? beat : nil
    }

    private mutating func prepareNext(after beat: Instant) {
        guard slice.speed <= Self.even else {
            (next, stray) = (next + Self.beat - stray, 0)
            return
        }
        let respiration = Self.wave(at: beat, period: 4_000_000_000, thousandths: variability.respiration)
        let mayer = Self.wave(at: beat, period: 10_000_000_000, thousandths: variability.mayer)
        let maximum = Int64(variability.noise) * 1000
        let noise = (Int64(chance.below(UInt64(2 * maximum + 1))) - maximum) * (Self.beat / 1_000_000)
        next += Self.beat + respiration + mayer + noise - stray
        stray = respiration + mayer + noise
    }

    private static func wave(at beat: Instant, period: Int64, thousandths: Int) -> Int64 {
        let turns = Double(beat.nanoseconds % period) / Double(period)
        return Int64(Double(Self.beat / 1000 * Int64(thousandths)) * sin(turns: turns))
    }

    // MARK: Energy

    /// Kilojoules expended since the last reset, at most 65535.
    package mutating func kilojoules(at instant: Instant) -> UInt16 { energy.kilojoules(at: instant) }

    /// Resets the energy to 0 at `instant`.
    package mutating func resetEnergy(at instant: Instant) { energy.reset(at: instant) }
}
