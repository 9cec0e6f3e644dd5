public import Simulation

/// A number over time, of however many values, in so few points that it can be drawn.
///
/// Values that come closer to each other than one point is wide are one point, from the least to the greatest of them; when
/// there are too many points, they become wider.  So what is seen is true, and peaks stay.
public struct Curve: Hashable, Sendable {
    /// Some values that follow one another.
    public struct Point: Hashable, Sendable {
        /// Of the first of them.
        public let instant: Instant
        /// The least.
        public fileprivate(set) var low: Double
        /// The greatest.
        public fileprivate(set) var high: Double
        /// Whether nothing is there behind them, until the next point.
        public fileprivate(set) var isLast = false
    }

    private static let most = 240

    /// In the order of time.
    public private(set) var points: [Point] = []
    /// How much time one point has.
    public private(set) var width = Duration.zero

    /// Without values.
    public init() {}

    /// Adds a value; one that is no finite number is none.
    public mutating func add(_ value: Double, at instant: Instant) {
        guard value.isFinite else { return }
        add(Point(instant: instant, low: value, high: value))
        guard points.count > Self.most, let first = points.first, let last = points.last else { return }
        width = max(width * 2, first.instant.duration(to: last.instant) * 2 / Self.most)
        let narrow = points
        points.removeAll(keepingCapacity: true)
        for point in narrow { add(point) }
    }

    /// From now on there is nothing, until the next value.
    public mutating func stop() {
        guard !points.isEmpty else { return }
        points[points.count - 1].isLast = true
    }

    private mutating func add(_ point: Point) {
        guard let last = points.last, last.instant.duration(to: point.instant) < width else {
            return points.append(point)
        }
        points[points.count - 1].low = min(last.low, point.low)
        points[points.count - 1].high = max(last.high, point.high)
        points[points.count - 1].isLast = point.isLast
    }
}
