import Sensors
import ServiceFramework
import Simulation

/// Records the ECG of the device's heart in frames, for any service.
struct ECGRecorder: Sendable {
    private(set) var stream: SampleStream
    private(set) var samples: [Int16] = []
    private var ecg: ECG
    private let pulse: Int
    private var seenBeats = 0

    /// A recorder with this number of samples per second.
    init(_ source: SensorSource, rate: Int) {
        let clock = SampleClock(hertz: rate)
        ecg = ECG(clock, noise: ECGFields.noise(source.configuration), seed: source.seed)
        stream = SampleStream(clock, delay: ECG.delay)
        pulse = source.heart
    }

    mutating func start(at now: Instant) { stream.start(at: now) }

    /// Draws the samples that are ready, at most `most`, into `samples`; nil when none is.
    mutating func record(_ most: Int, at now: Instant, context: inout SensorContext) -> (from: Int64, ECG.Quality)? {
        let ready = stream.ready(most, at: now)
        guard !ready.isEmpty else { return nil }
        context.pulses[pulse].listen(until: now)
        context.pulses[pulse].show(&ecg, after: &seenBeats)
        let quality = ecg.draw(ready, into: &samples)
        ecg.forget(before: ecg.clock.instant(of: ready.lowerBound))
        return (ready.lowerBound, quality)
    }

    /// The samples recorded last were notified.
    mutating func didNotify(from first: Int64) { stream.didNotify(first..<first + Int64(samples.count)) }

    mutating func setLead(isOff: Bool, at now: Instant) { ecg.setLead(isOff: isOff, at: now) }

    func instant(of index: Int64) -> Instant { ecg.clock.instant(of: index) }
}
