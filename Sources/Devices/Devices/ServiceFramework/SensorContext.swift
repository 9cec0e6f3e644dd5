package import Basics

/// The state that a device's sensors share.
package struct SensorContext: Sendable {
    package var pulses: [Pulse] = []
    /// The step counters that they read.
    package var steps: [StepCounter] = []
    package var clock: WallClock
    /// The smallest ATT MTU of the connected clients.
    package var mtu: Int
    /// Numbers out of range in the value notified or read last; nil for one of many samples.
    package var saturatedValues: [(id: ValueID, wanted: Double?)] = []

    package init(clock: WallClock, mtu: Int) { (self.clock, self.mtu) = (clock, mtu) }

    /// Records a number that is out of range.
    package mutating func noteSaturation(of number: Double, as id: ValueID, in range: ClosedRange<Double>) {
        if !range.contains(number) { saturatedValues.append((id, number)) }
    }
}

/// The source of a sensor's values.
package struct SensorSource: Sendable {
    package let configuration: ServiceConfiguration
    /// Random numbers of this service.
    let chance: RandomStream
    /// The index of the service's heart: its own, or else the device's first.
    package let heart: Int
    /// The step counter of the context that the service reads: its own, or else the device's first; nil when there is none.
    package let steps: Int?
    /// The device's wall clock at the start.
    package let clock: WallClock

    /// The seed of values without a named stream.
    package var seed: UInt64 { seed(of: chance) }

    package func seed(_ stream: String) -> UInt64 { seed(of: chance.stream(stream)) }

    private func seed(of chance: RandomStream) -> UInt64 {
        var chance = chance
        return chance.next()
    }

    /// A curve with the random numbers of a stream.
    package func signal(_ curve: Curve, _ stream: String) -> Signal { Signal(curve, seed: seed(stream)) }

    package func signal(_ field: Field<Curve>, _ stream: String) -> Signal { signal(configuration[field], stream) }

    /// The curve of a field; nil when the scenario does not have it.
    package func signal(_ field: Field<Curve?>, _ stream: String) -> Signal? {
        configuration[field].map { signal($0, stream) }
    }
}

/// A schedule of the whole multiples of a period, counted from the start.
package struct Schedule: Sendable {
    package let period: Duration
    /// `.never` before it is started.
    package private(set) var due = Instant.never

    package init(every period: Duration) { self.period = period }

    /// The next notification is the first multiple after `now`.
    package mutating func reschedule(after now: Instant) { due = next(after: now) }

    /// The first multiple of the period after `now`.
    package func next(after now: Instant) -> Instant {
        let step = max(1, period.inNanoseconds)
        return now.advanced(byNanoseconds: step - now.nanoseconds % step)
    }
}

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
