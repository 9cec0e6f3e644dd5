import Simulation

/// Until when a value that is notified again and again is true: for 3 of the usual distances between two, and 3 s at
/// least.
///
/// The usual distance is the median of the last five; what comes within half a second (twice by the radio, or late and
/// then together) counts as one.  Before there is a distance, `unknown` holds; nil: for ever.
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
    private var wakesAt = Instant.never  // one wake at a time, however often it is heard

    /// Of a value that was not heard yet.
    init(unknown: Duration?) { self.unknown = unknown }

    /// The value was notified; when to say `timePassed`, if that has not been asked for already.
    mutating func heard(at now: Instant) -> Instant? {
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

    /// Whether the value has just ceased to be true, or else when this is to be asked again.
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
