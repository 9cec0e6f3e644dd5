import Basics
import Devices

/// The values of a recording as they become due: they begin with the first subscription, go on while nobody is subscribed,
/// and repeat.
struct Playback: Sendable {
    private let values: RecordedValues
    /// The first subscription.
    private var begin: Instant?
    /// The number of the next value, counted over all repetitions.
    private var next = 0
    /// When the next value is due; `.never` before the first subscription, and without values.
    private(set) var due = Instant.never

    init(_ values: RecordedValues) { self.values = values }

    /// The value that was due last; nil before the first one.
    var current: [UInt8]? { next > 0 ? values.entries[(next - 1) % values.entries.count].octets : nil }

    /// Begins with the first value, or leaves out those that were due up to `now`.
    mutating func start(at now: Instant) {
        if begin == nil {
            (begin, next) = (now, 0)
            due = instant(of: next)
        } else if due <= now {
            skip(to: now)
        }
    }

    /// Continues with the first value after `now`.
    mutating func skip(to now: Instant) {
        guard let begin, let first = values.entries.first else { return }
        let elapsed = begin.duration(to: now) - first.time
        let laps = max(0, Int(elapsed.inNanoseconds / max(1, values.cycle.inNanoseconds)))
        let offset = elapsed - values.cycle * laps + first.time
        next = laps * values.entries.count + values.entries.searchedIndex(after: { $0.time <= offset })
        due = instant(of: next)
    }

    /// The value that is due has been sent.
    mutating func advance() {
        next += 1
        due = instant(of: next)
    }

    private func instant(of number: Int) -> Instant {
        guard let begin, !values.entries.isEmpty else { return .never }
        let (lap, place) = number.quotientAndRemainder(dividingBy: values.entries.count)
        return begin.advanced(by: values.entries[place].time + values.cycle * lap)
    }
}
