import Basics

/// How long a repeatedly notified value is valid: 3 usual intervals, and at least 3 s.
///
/// The usual interval is the median of the last five; notifications within half a second (sent twice, or delayed and
/// then received together) count as one. Before the first interval is known, the value is valid for `unknown`; nil:
/// indefinitely.
struct Freshness: Sendable {
    private static let distances = 5
    private static let shortest = Duration.seconds(3)
    private static let together = Duration.milliseconds(500)

    private let unknown: Duration?
    private var distances: [Duration] = []
    private var ordered: [Duration] = []  // the same by length; kept for its storage
    private var usual: Duration?
    private var last: Instant?
    private var end = Instant.never
    private var wakesAt = Instant.never  // one wake at a time, however often the value is received

    /// The state before the first notification.
    init(unknown: Duration?) { self.unknown = unknown }

    /// Records a notification; returns the instant for the next `timePassed`, unless that was requested already.
    mutating func received(at now: Instant) -> Instant? {
        if let last {
            let distance = last.duration(to: now)
            if distance >= Self.together {
                learn(distance)
                self.last = now
            }
        } else {
            last = now
        }
        let length = usual.map { max($0 * 3, Self.shortest) } ?? unknown
        end = length.map { now.advanced(by: $0) } ?? .never
        return wake()
    }

    private mutating func learn(_ distance: Duration) {
        if distances.count == Self.distances { distances.removeFirst() }
        distances.append(distance)
        ordered.removeAll(keepingCapacity: true)
        ordered += distances
        ordered.sort()
        usual = ordered[ordered.count / 2]
    }

    /// Whether the value has just expired, and when to check next.
    mutating func timePassed(at now: Instant) -> (isOver: Bool, wake: Instant?) {
        if wakesAt <= now { wakesAt = .never }
        guard end <= now else { return (false, wake()) }
        end = .never
        return (true, nil)
    }

    private mutating func wake() -> Instant? {
        guard end < wakesAt else { return nil }
        wakesAt = end
        return end
    }
}
