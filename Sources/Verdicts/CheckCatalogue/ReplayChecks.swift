import Basics
import Characteristics
import Checks
import GATT

// A strap that nobody can act on, and that sends old measurements again after a reconnection.
extension Examiner {
    /// Fails if old measurements arrive after each of two reconnections: in a burst, or with the RR-Intervals of before in
    /// their order.  Without either, the check is skipped unless the intervals vary, since a replay of a constant heart rate
    /// cannot be recognized.
    mutating func expectNoReplay() throws(CheckExit) {
        var parts = try receiveParts(.heartRate, for: .seconds(10))
        let before = parts.joined()
        let gaps = zip(before, before.dropFirst()).map { $0.instant.duration(to: $1.instant) }.sorted()
        guard gaps.count >= 3, gaps[gaps.count / 2] >= .milliseconds(300) else {
            throw .notApplicable("measurements come too often, or too seldom, to recognize a replay")
        }
        let gap = gaps[gaps.count / 2]
        let varies = parts.contains { HeartBeats(in: $0).isRecognizable }
        var (bursts, replays): ([[ReceivedValue]], [HeartBeats.Replay]) = ([], [])
        for pause in [3, 8, 5] {
            disconnect()
            wait(.seconds(pause))
            try connect()
            let handle = try subscribe(to: .heartRate).valueHandle
            wait(gap * 3 / 4)
            let burst = receivedValues.filter { new in
                new.handle == handle && before.contains { $0.octets == new.octets }
            }
            if burst.count >= 3 { bursts.append(burst) }
            if varies { _ = wait(atMost: .seconds(12)) { $0.hasEnoughBeats(handle) || $0.connection == nil } }
            let part = receivedValues.filter { $0.handle == handle }
            if let replay = HeartBeats(in: part).replay(of: parts.map { HeartBeats(in: $0) }) { replays.append(replay) }
            parts.append(part)
            try expectNew(bursts, replays, every: gap)
            // One that comes of this connection's measurements shows in the next one.
            guard !bursts.isEmpty || !replays.isEmpty || varies && pause == 3 else { break }
        }
        guard varies, replays.isEmpty else {
            throw .skipped("cannot set the heart rate of a real peripheral; no replay of old measurements was seen")
        }
    }

    /// Fails at the second burst or replay.
    private func expectNew(
        _ bursts: [[ReceivedValue]], _ replays: [HeartBeats.Replay], every gap: Duration
    ) throws(CheckExit) {
        if bursts.count > 1, let old = bursts.last {
            throw failure(
                expected: "one measurement every \(gap.formatted), as before the disconnection",
                seen:
                    "\(old.count) old ones within \((gap * 3 / 4).formatted): \(old.map(\.heartRateText).joined(separator: ", "))"
            )
        }
        guard replays.count > 1, let replay = replays.last, !replays.dropLast().contains(where: replay.repeats) else {
            return
        }
        let octets = replay.first.octets
        throw failure(
            expected: "new RR-Intervals after the reconnection",
            seen: "\(replay.count) intervals that came in this order before, from \(replay.old.heartRateText), come "
                + "again from \(replay.first.heartRateText)", evidence: octets)
    }

    private borrowing func hasEnoughBeats(_ handle: UInt16) -> Bool {
        HeartBeats(in: receivedValues.filter { $0.handle == handle }).count >= HeartBeats.enough
    }
}

/// The RR-Intervals of measurements that came in one connection, in their order.
struct HeartBeats {
    /// How many intervals in a row show a replay, if they are irregular.
    static let length = 8
    /// How many intervals to wait for: a replay may begin in the middle of a measurement.
    static let enough = length + 3

    /// Old intervals that came again.
    struct Replay {
        let old: Examiner.ReceivedValue
        let first: Examiner.ReceivedValue
        let count: Int

        private var lag: Double { Double(old.instant.duration(to: first.instant).inNanoseconds) / 1e9 }

        /// Whether both come of a sequence that repeats itself, as that of a simulated heart: their distances in time are
        /// multiples of one.
        func repeats(_ other: Replay) -> Bool {
            let factors = 1...4
            return factors.contains { mine in
                factors.contains { abs(lag * Double(mine) - other.lag * Double($0)) < 1.5 }
            }
        }
    }

    private let beats: [(interval: UInt16, measurement: Examiner.ReceivedValue)]

    var count: Int { beats.count }

    init(in values: [Examiner.ReceivedValue]) {
        beats = values.flatMap { value in (value.heartRate?.rrIntervals ?? []).map { ($0, value) } }
    }

    /// Whether some of the intervals would show a replay: they vary, and do not repeat themselves.
    var isRecognizable: Bool { starts.contains { isIrregular(at: $0) && places(of: intervals(at: $0)).count == 1 } }

    /// The first intervals that came in an earlier connection, in the same order; nil if there are none.
    func replay(of earlier: [HeartBeats]) -> Replay? {
        for start in starts where isIrregular(at: start) {
            let run = intervals(at: start)
            for other in earlier {
                guard let place = other.places(of: run).first, other.places(of: run).count == 1 else { continue }
                let more = zip(beats[start...], other.beats[place...]).prefix { $0.interval == $1.interval }
                return Replay(
                    old: other.beats[place].measurement, first: beats[start].measurement, count: Array(more).count)
            }
        }
        return nil
    }

    private var starts: Range<Int> { 0..<max(0, beats.count - Self.length + 1) }

    private func intervals(at start: Int) -> [UInt16] {
        beats[start..<(start + Self.length)].map(\.interval)
    }

    private func places(of run: [UInt16]) -> [Int] { starts.filter { intervals(at: $0) == run } }

    /// Whether they look like those of a heart, and not like a ramp or another curve of a simulation.
    private func isIrregular(at start: Int) -> Bool {
        let run = intervals(at: start)
        let steps = zip(run, run.dropFirst()).map { Int($1) - Int($0) }.filter { $0 != 0 }
        let turns = zip(steps, steps.dropFirst()).count { ($0 > 0) != ($1 > 0) }
        return Set(run).count >= 5 && turns >= 3
    }
}
