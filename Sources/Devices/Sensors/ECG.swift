public import Simulation

/// An electrocardiogram in microvolts whose R waves are the beats of a `Heart`.
///
/// Give it the beats that RR-Intervals are made of, in order.  *Everything is a function of beats, time and seed*: any
/// window of samples can be drawn, in portions or at once, before or after another.  A beat's P wave comes before the
/// beat, so samples are `settled` only `delay` after their time, as those of a sensor that filters; their instants are
/// the true ones.
///
/// It remembers the last 256 beats, at least 30 s, and the last 256 times without a lead: older windows lack theirs.
public struct ECG: Sendable {
    /// What else there is to see.  Strengths below 0 or not finite count as 0.
    public struct Noise: Hashable, Sendable {
        /// Hum of the power lines.
        public struct Mains: Hashable, Sendable {
            /// 50 or 60; 1 to 100,000.
            public let hertz: Int
            /// The amplitude.
            public let microvolts: Double

            /// What is outside of 1 Hz to 100,000 Hz is moved to the nearer end.
            public init(hertz: Int, microvolts: Double = 20) {
                (self.hertz, self.microvolts) = (min(max(1, hertz), 100_000), finite(microvolts))
            }
        }

        /// How far the base line goes up or down at most, by breath and slow drift, in µV.
        public let wander: Double
        /// Nil: none.
        public let mains: Mains?
        /// The root mean square of muscles' noise, most of it between 60 Hz and 190 Hz at 500 Hz, in µV.
        public let muscle: Double

        /// So much of each.
        public init(wander: Double = 0, mains: Mains? = nil, muscle: Double = 0) {
            (self.wander, self.mains, self.muscle) = (finite(wander), mains, finite(muscle))
        }

        /// A textbook's.
        public static let none = Noise()
        /// A person who sits: 100 µV of wander, 5 µV of muscles, no mains.
        public static let resting = Noise(wander: 100, muscle: 5)
    }

    /// What is to be known of some samples.
    public struct Quality: Hashable, Sendable {
        /// Whether an electrode was off during some of them.
        public var isLeadOff = false
        /// Whether some were beyond the range.
        public var isSaturated = false

        /// All are what was measured.
        public static let good = Quality()
    }

    /// How long after its instant a sample is settled.
    public static let delay = Duration.nanoseconds(HeartBeat.lead)
    /// Beats that follow another by less have no waves of their own: 500 a minute are the most that can be seen.
    public static let refractoryPeriod = Duration.nanoseconds(refractory)
    private static let refractory: Int64 = 120_000_000
    private static let most = 256

    /// When samples are taken.
    public let clock: SampleClock
    private let amplitude: Double
    private let range: Double
    private let noise: ECGNoise
    private var beats: [HeartBeat] = []
    private var leadsOff: [(from: Instant, to: Instant)] = []
    private var sums: [Double] = []

    /// `amplitude` is the height of the R wave and `range` the most that can be said, up and down, both in µV; a range
    /// is 1 to 32767.
    public init(
        _ clock: SampleClock = SampleClock(hertz: 500), amplitude: Double = 1000, range: Int16 = .max,
        noise: Noise = .resting, seed: UInt64 = 0
    ) {
        self.clock = clock
        self.amplitude = finite(amplitude)
        self.range = Double(max(1, range))
        self.noise = ECGNoise(noise, seed: seed)
    }

    // MARK: What happens

    /// The heart beats.  Instants never go back from call to call.
    public mutating func add(_ beat: Instant) {
        let interval = beats.last.map { beat.nanoseconds - $0.peak } ?? 800_000_000
        guard interval >= Self.refractory else { return }
        if beats.count >= Self.most { beats.removeFirst(beats.count - Self.most + 1) }
        beats.append(HeartBeat(peak: beat.nanoseconds, interval: interval))
    }

    /// An electrode comes off or is put on again: in between, all is 0.  Instants never go back from call to call.
    public mutating func setLead(isOff: Bool, at instant: Instant) {
        if leadsOff.last?.to == .never { leadsOff[leadsOff.count - 1].to = instant }
        guard isOff else { return }
        if leadsOff.count >= Self.most { leadsOff.removeFirst() }
        leadsOff.append((instant, .never))
    }

    /// Nobody asks for a sample before `instant` any more.
    public mutating func forget(before instant: Instant) {
        let old = beats.prefix { $0.peak + HeartBeat.trail < instant.nanoseconds }.count
        beats.removeFirst(min(old, max(0, beats.count - 1)))  // the last one says how long the next interval is
        leadsOff.removeAll { $0.to < instant }
    }

    // MARK: Samples

    /// How many samples since the start no later beat changes any more, when all beats up to now are known.
    public func settled(at now: Instant) -> Int64 { clock.count(until: now.advanced(byNanoseconds: -HeartBeat.lead)) }

    /// Puts the samples with these numbers into `samples` in place of what was there; no allocation once that has the
    /// capacity.
    public mutating func draw(_ indices: Range<Int64>, into samples: inout [Int16]) -> Quality {
        samples.removeAll(keepingCapacity: true)
        guard indices.lowerBound >= 0, clock.instant(of: indices.upperBound) < .never else { return .good }
        sums.removeAll(keepingCapacity: true)
        sums.append(contentsOf: repeatElement(0, count: indices.count))
        addBeats(indices)
        noise.add(to: &sums, indices, clock)
        return finish(indices, into: &samples)
    }

    private mutating func addBeats(_ indices: Range<Int64>) {
        let from = clock.instant(of: indices.lowerBound).nanoseconds - HeartBeat.trail
        let to = clock.instant(of: indices.upperBound).nanoseconds + HeartBeat.lead
        for beat in beats where beat.peak >= from && beat.peak <= to {
            for wave in HeartBeat.waves { add(wave, of: beat, indices) }
        }
    }

    private mutating func add(_ wave: HeartBeat.Wave, of beat: HeartBeat, _ indices: Range<Int64>) {
        let (middle, deviation) = beat.shape(of: wave)
        let reach = Int64(deviation * WaveTables.reach)
        let first = clock.count(until: Instant(nanoseconds: middle - reach))
        let end = clock.count(until: Instant(nanoseconds: middle + reach))
        let seen = (first..<end).clamped(to: indices)
        var place = Int(seen.lowerBound - indices.lowerBound)
        let (height, scale) = (amplitude * wave.height, 1 / deviation)
        let tables = WaveTables.shared
        clock.forEach(in: seen) { time in
            sums[place] += height * tables.bell(Double(time - middle) * scale)
            place += 1
        }
    }

    private func finish(_ indices: Range<Int64>, into samples: inout [Int16]) -> Quality {
        var quality = Quality.good
        for sum in sums {
            let isBeyond = sum.magnitude > range
            if isBeyond { quality.isSaturated = true }
            samples.append(Int16(isBeyond ? (sum < 0 ? -range : range) : sum.rounded()))
        }
        for (from, to) in leadsOff {
            let first = max(clock.count(until: from.advanced(byNanoseconds: -1)), indices.lowerBound)
            let end = min(to == .never ? .max : clock.count(until: to.advanced(byNanoseconds: -1)), indices.upperBound)
            guard first < end else { continue }
            for index in first..<end { samples[Int(index - indices.lowerBound)] = 0 }
            quality.isLeadOff = true
        }
        return quality
    }
}

/// From 0 to 10⁹.
private func finite(_ microvolts: Double) -> Double { microvolts > 0 ? min(microvolts, 1e9) : 0 }
