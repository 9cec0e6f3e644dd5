import Sensors
import Simulation

/// A heart that several sensors listen to, each of which hears every beat.
struct Pulse: Sendable {
    /// So many beats are remembered for electrocardiograms: as many as these remember.
    private static let most = 256

    var heart: Heart
    /// What no Heart Rate Measurement has said yet.
    var intervals = RRIntervals()
    private var beats: [Instant] = []
    private var count = 0  // of the beats that were remembered

    init(_ heart: Heart) { self.heart = heart }

    /// Beats of so long ago are of no use to anybody.
    private static let memory = Duration.seconds(3600)

    /// Hears the beats up to an instant, at least those of an hour.
    mutating func listen(until now: Instant) {
        if heart.skipBeats(until: now.advanced(by: .zero - Self.memory)) { intervals.interrupt() }
        var (waiting, beats, count) = (intervals, beats, count)
        (intervals, self.beats) = (RRIntervals(capacity: 0), [])  // so that each has one owner, and is not copied
        heart.beats(until: now) { beat in
            waiting.add(beat)
            // Those that come sooner have no waves of their own in an electrocardiogram.
            if let last = beats.last, beat < last.advanced(by: ECG.refractoryPeriod) { return }
            if beats.count == Self.most { beats.removeFirst(Self.most / 2) }
            beats.append(beat)
            count += 1
        }
        (intervals, self.beats, self.count) = (waiting, beats, count)
    }

    /// Gives the remembered beats behind the first `seen` ones to an electrocardiogram, which then has seen all.
    func show(_ ecg: inout ECG, after seen: inout Int) {
        for beat in beats.suffix(min(beats.count, count - seen)) { ecg.add(beat) }
        seen = count
    }
}
