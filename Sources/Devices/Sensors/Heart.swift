public import Simulation

/// A heart that beats at a scripted rate.
///
/// *Beats first*: the rate is summed up over time, and each whole number that the sum passes is a beat; RR-Intervals are
/// the times between these beats, so that rate, intervals and mean agree over any length of time.  The rate is taken
/// from its curve 8 times a second and when the curve changes.  *The number that is reported* is the curve itself,
/// rounded: a script that says 300 shows 300, and one that says 0 or 65535 shows that too, whatever beats then.
///
/// Everything is a function of time and seed: how often and in which portions beats are asked for changes nothing.
/// Nothing happens while nobody asks; a second that is caught up on costs some hundred nanoseconds.  More than a thousand
/// beats a minute come evenly, so that they need not be counted one by one when nobody wants them.
public struct Heart: Sendable {
    /// How far beats stray from where an even heart would have them, in thousandths of the interval between them.
    ///
    /// No beat's stray adds to the next one's, so that the mean rate stays that of the curve.
    public struct Variability: Hashable, Sendable {
        /// The amplitude of a sine of 15 breaths a minute (respiratory sinus arrhythmia); 0 to 100.
        public let respiration: Int
        /// The most that chance adds or takes, each size equally likely; 0 to 100.
        public let noise: Int

        /// The amplitude of a sine of 6 waves a minute (Mayer waves of the blood pressure), which is the power at low
        /// frequency where respiration is that at high; 0 to 100.
        public let mayer: Int

        /// What is outside of 0 to 100 is moved to the nearer end.
        public init(respiration: Int, noise: Int, mayer: Int = 0) {
            self.respiration = min(max(0, respiration), 100)
            self.noise = min(max(0, noise), 100)
            self.mayer = min(max(0, mayer), 100)
        }

        /// As even as a metronome.
        public static let none = Variability(respiration: 0, noise: 0)
        /// 40 and 20: at 72 beats a minute the intervals' standard deviation is about 30 ms.
        public static let resting = Variability(respiration: 40, noise: 20)
    }

    private var rate: Gauge
    private let variability: Variability
    private var chance: RandomStream
    private var energy: Energy

    // Integers only, so that no error adds up: a beat is so many times 1 ns at 1/1024 beats a minute.
    private static let beat: Int64 = 60_000_000_000 * 1024
    private static let even: Int64 = 1000 * 1024  // a faster heart beats evenly
    private var slice: Slice
    private var next = Heart.beat  // from the begin of the slice to the next beat
    private var stray: Int64 = 0  // how much of that is the next beat's stray

    /// A time in which the rate does not change.
    private struct Slice {
        let begin: Instant
        var end: Instant
        let speed: Int64  // in 1/1024 beats a minute

        init(from begin: Instant, _ rate: inout Gauge) {
            let length: Int64 = 125_000_000
            let edge = begin.advanced(byNanoseconds: length - begin.nanoseconds % length)
            self.begin = begin
            end = min(edge, rate.nextChange(after: begin))
            let value = rate.value(at: begin) ?? 0
            speed = value > 0 ? Int64(min(value, 65535) * 1024 + 0.5) : 0  // NaN is 0 too
        }
    }

    /// A heart whose rate begins with the simulation; `seed` is that of its variability.
    public init(rate: Signal, seed: UInt64 = 0, variability: Variability = .resting) {
        (self.rate, self.variability) = (Gauge(rate), variability)
        energy = Energy(self.rate)
        chance = RandomStream(seed: seed).stream("heart")
        slice = Slice(from: .start, &self.rate)
    }

    // MARK: Rate

    /// What a sensor shows: beats per minute, rounded, 0 to 65535; nil when the curve has stopped.
    public mutating func bpm(at instant: Instant) -> UInt16? {
        wanted(at: instant).map(Self.shown)
    }

    /// What the curve says, neither rounded nor in any range; nil when it has stopped.
    public mutating func wanted(at instant: Instant) -> Double? { rate.value(at: instant) }

    /// A rate as a sensor shows it: rounded, 0 to 65535.
    public static func shown(_ rate: Double) -> UInt16 {
        rate > 0 ? UInt16(min(rate, 65535) + 0.5) : 0  // NaN is 0 too
    }

    /// Beats at `rate`, which begins now, from `instant` on; or at what it was made with, when nil.
    ///
    /// Its own time counts from `begun`, if that is not nil.  Instants never go back from call to call; beats behind
    /// `instant` that have been taken are not taken back.  A change is remembered until the beats behind it are taken.
    public mutating func setRate(_ rate: Signal?, at instant: Instant, begun: Instant? = nil) {
        self.rate.set(rate, at: instant, begun: begun)
        self.rate.forget(before: min(slice.begin, instant))
        energy.setRate(rate, at: instant, begun: begun)
        if instant <= slice.begin {
            slice = Slice(from: slice.begin, &self.rate)
        } else {
            slice.end = min(slice.end, instant)
        }
    }

    /// How many changes of its rate it remembers.
    var remembered: Int { rate.remembered }

    // MARK: Beats

    /// Calls `body` for each beat up to and including `instant` that has not been taken yet, in order.
    public mutating func beats(until instant: Instant, _ body: (Instant) -> Void) {
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

    /// Passes over beats that nobody wants, up to an eighth of a second before `instant` or nearer: whether there was such
    /// a time.
    public mutating func pass(until instant: Instant) -> Bool {
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

    /// How many come before the slice ends, evenly.
    private var beatsLeftInSlice: Int64 {
        let last = slice.speed * (slice.end.nanoseconds - slice.begin.nanoseconds - 1)
        return next <= last ? (last - next) / Self.beat + 1 : 0
    }

    /// The next beat, when it comes before the slice ends.
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
        let most = Int64(variability.noise) * 1000
        let noise = (Int64(chance.below(UInt64(2 * most + 1))) - most) * (Self.beat / 1_000_000)
        next += Self.beat + respiration + mayer + noise - stray
        stray = respiration + mayer + noise
    }

    private static func wave(at beat: Instant, period: Int64, thousandths: Int) -> Int64 {
        let turns = Double(beat.nanoseconds % period) / Double(period)
        return Int64(Double(Self.beat / 1000 * Int64(thousandths)) * sin(turns: turns))
    }

    // MARK: Energy

    /// Kilojoules expended since the last reset, 65535 for all that is more.
    public mutating func kilojoules(at instant: Instant) -> UInt16 { energy.kilojoules(at: instant) }

    /// Counts from 0 again, from `instant` on.
    public mutating func resetEnergy(at instant: Instant) { energy.reset(at: instant) }
}
