package import Basics

/// An electrocardiogram in microvolts whose R waves are the beats of a `Heart`.
///
/// Add the beats in order, the same ones from which RR-Intervals are computed. Samples are a function of beats, time
/// and seed only, so any window can be drawn, in any portions and order. A P wave precedes its beat, therefore samples
/// are `settled` only `delay` after their time, as in a sensor with a filter.
///
/// It keeps the last 256 beats, at least 30 s, and the last 256 lead-off periods; older windows lack them.
package struct ECG: Sendable {
    /// Disturbances of the signal. Negative and non-finite amplitudes count as 0.
    package struct Noise: Hashable, Sendable {
        /// Power line hum.
        package struct Mains: Hashable, Sendable {
            /// The frequency in Hz: usually 50 or 60, at least 1, at most 100,000.
            package let hertz: Int
            /// The amplitude in µV.
            package let microvolts: Double

            /// Power line hum; the frequency is clamped to its range.
            package init(hertz: Int, microvolts: Double = 20) {
                (self.hertz, self.microvolts) = (min(max(1, hertz), 100_000), finite(microvolts))
            }
        }

        /// Maximum deviation of the baseline by respiration and drift, in µV.
        package let wander: Double
        /// Power line hum; nil for none.
        package let mains: Mains?
        /// Root mean square of muscle noise in µV; most of it is between 60 Hz and 190 Hz at 500 Hz.
        package let muscle: Double

        /// Noise with these amplitudes.
        package init(wander: Double = 0, mains: Mains? = nil, muscle: Double = 0) {
            (self.wander, self.mains, self.muscle) = (finite(wander), mains, finite(muscle))
        }

        /// A clean signal.
        package static let none = Noise()
        /// A sitting person: 100 µV of baseline wander, 5 µV of muscle noise, no hum.
        package static let resting = Noise(wander: 100, muscle: 5)
    }

    /// The quality of a window of samples.
    package struct Quality: Hashable, Sendable {
        /// Whether an electrode was off during part of the window.
        package var isLeadOff = false
        /// Whether samples were out of range.
        package var isSaturated = false

        package static let good = Quality()
    }

    /// How long after its instant a sample is settled.
    package static let delay = Duration.nanoseconds(HeartBeat.lead)
    /// A beat that follows another sooner than this has no waves; this limits visible rates to 500 per minute.
    package static let refractoryPeriod = Duration.nanoseconds(refractory)
    private static let refractory: Int64 = 120_000_000
    private static let maximumHistory = 256

    package let clock: SampleClock
    private let amplitude: Double
    private let range: Double
    private let noise: ECGNoise
    private var beats: [HeartBeat] = []
    private var leadsOff: [(from: Instant, to: Instant)] = []
    private var sums: [Double] = []

    /// An electrocardiogram; `amplitude` is the height of the R wave in µV, and `range` (1 to 32767) the largest value
    /// in µV.
    package init(
        _ clock: SampleClock = SampleClock(hertz: 500), amplitude: Double = 1000, range: Int16 = .max,
        noise: Noise = .resting, seed: UInt64 = 0
    ) {
        self.clock = clock
        self.amplitude = finite(amplitude)
        self.range = Double(max(1, range))
        self.noise = ECGNoise(noise, seed: seed)
    }

    // MARK: Events

    /// Adds a beat. Instants must not decrease from call to call.
    package mutating func add(_ beat: Instant) {
        let interval = beats.last.map { beat.nanoseconds - $0.peak } ?? 800_000_000
        guard interval >= Self.refractory else { return }
        if beats.count >= Self.maximumHistory { beats.removeFirst(beats.count - Self.maximumHistory + 1) }
        beats.append(HeartBeat(peak: beat.nanoseconds, interval: interval))
    }

    /// Removes or attaches an electrode: in between, all samples are 0. Instants must not decrease from call to call.
    package mutating func setLead(isOff: Bool, at instant: Instant) {
        if leadsOff.last?.to == .never { leadsOff[leadsOff.count - 1].to = instant }
        guard isOff else { return }
        if leadsOff.count >= Self.maximumHistory { leadsOff.removeFirst() }
        leadsOff.append((instant, .never))
    }

    /// Discards what is only needed for samples before `instant`.
    package mutating func forget(before instant: Instant) {
        let old = beats.prefix { $0.peak + HeartBeat.trail < instant.nanoseconds }.count
        beats.removeFirst(min(old, max(0, beats.count - 1)))  // the last one determines the next interval
        leadsOff.removeAll { $0.to < instant }
    }

    // MARK: Samples

    /// Number of samples since the start that no later beat changes, provided that all beats until `now` were added.
    package func settled(at now: Instant) -> Int64 { clock.count(until: now.advanced(byNanoseconds: -HeartBeat.lead)) }

    /// Replaces `samples` by the samples with these numbers; does not allocate if the capacity suffices.
    package mutating func draw(_ indices: Range<Int64>, into samples: inout [Int16]) -> Quality {
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

/// Clamped to 0…10⁹.
private func finite(_ microvolts: Double) -> Double { microvolts > 0 ? min(microvolts, 1e9) : 0 }
