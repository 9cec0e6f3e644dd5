package import Sensors
package import Simulation

/// A heart that several sensors of a device share.
package struct Pulse: Sendable {
    /// The number of beats that an ECG remembers.
    private static let most = 256

    package var heart: Heart
    /// The RR-Intervals that no Heart Rate Measurement has sent yet.
    package var intervals = RRIntervals()
    private var beats: [Instant] = []
    private var count = 0  // of the beats that were remembered

    /// No sensor has taken beats of the heart yet.
    package init(_ heart: Heart) { self.heart = heart }

    /// How long beats are kept.
    private static let memory = Duration.seconds(3600)

    /// Takes the beats until an instant, at least those of the last hour.
    package mutating func listen(until now: Instant) {
        if heart.skipBeats(until: now.advanced(by: .zero - Self.memory)) { intervals.interrupt() }
        var (waiting, beats, count) = (intervals, beats, count)
        (intervals, self.beats) = (RRIntervals(capacity: 0), [])  // so that each has one owner, and is not copied
        heart.beats(until: now) { beat in
            waiting.add(beat)
            // An ECG shows no waves for beats that come sooner.
            if let last = beats.last, beat < last.advanced(by: ECG.refractoryPeriod) { return }
            if beats.count == Self.most { beats.removeFirst(Self.most / 2) }
            beats.append(beat)
            count += 1
        }
        (intervals, self.beats, self.count) = (waiting, beats, count)
    }

    /// Adds the beats after the first `seen` to an ECG, and updates `seen`.
    package func show(_ ecg: inout ECG, after seen: inout Int) {
        for beat in beats.suffix(min(beats.count, count - seen)) { ecg.add(beat) }
        seen = count
    }
}
