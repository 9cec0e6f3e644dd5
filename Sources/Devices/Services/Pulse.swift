public import Sensors
public import Simulation

/// A heart that several sensors of a device listen to.
public struct Pulse: Sendable {
    /// As many beats as an electrocardiogram remembers.
    private static let most = 256

    /// The heart.
    public var heart: Heart
    /// The RR-Intervals that no Heart Rate Measurement has sent yet.
    public var intervals = RRIntervals()
    private var beats: [Instant] = []
    private var count = 0  // of the beats that were remembered

    /// Nobody has listened to the heart yet.
    public init(_ heart: Heart) { self.heart = heart }

    /// Older beats are not needed.
    private static let memory = Duration.seconds(3600)

    /// Takes in the beats up to an instant, at least those of the last hour.
    public mutating func listen(until now: Instant) {
        if heart.skipBeats(until: now.advanced(by: .zero - Self.memory)) { intervals.interrupt() }
        var (waiting, beats, count) = (intervals, beats, count)
        (intervals, self.beats) = (RRIntervals(capacity: 0), [])  // so that each has one owner, and is not copied
        heart.beats(until: now) { beat in
            waiting.add(beat)
            // Beats that come sooner have no waves of their own in an electrocardiogram.
            if let last = beats.last, beat < last.advanced(by: ECG.refractoryPeriod) { return }
            if beats.count == Self.most { beats.removeFirst(Self.most / 2) }
            beats.append(beat)
            count += 1
        }
        (intervals, self.beats, self.count) = (waiting, beats, count)
    }

    /// Gives the beats after the first `seen` ones to an electrocardiogram, and counts them as seen.
    public func show(_ ecg: inout ECG, after seen: inout Int) {
        for beat in beats.suffix(min(beats.count, count - seen)) { ecg.add(beat) }
        seen = count
    }
}
