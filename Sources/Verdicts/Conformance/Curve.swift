package import Basics

/// Any number of values over time, reduced to at most 240 points for drawing.
///
/// Values within the width of a point become one point with their minimum and maximum; when there are too many points,
/// the width grows.  So no peak is lost.
package struct Curve: Hashable, Sendable {
    package struct Point: Hashable, Sendable {
        package let instant: Instant
        package fileprivate(set) var low: Double
        package fileprivate(set) var high: Double
        /// Whether a gap follows.
        package fileprivate(set) var isLast = false
    }

    private static let maximumPoints = 240
    /// The values that a figure can show; others are drawn at its ends.
    private static let range = -1e6...1e6

    /// In the order of time.
    package private(set) var points: [Point] = []
    /// The time that one point covers.
    package private(set) var width = Duration.zero

    package init() {}

    /// Adds a value; ignores one that is not finite.
    package mutating func add(_ value: Double, at instant: Instant) {
        guard value.isFinite else { return }
        let value = min(max(value, Self.range.lowerBound), Self.range.upperBound)
        add(Point(instant: instant, low: value, high: value))
        guard points.count > Self.maximumPoints, let first = points.first, let last = points.last else { return }
        // At least the smallest difference of instants, so that values at one instant become one point.
        let least = Duration.nanoseconds(1)
        width = max(width * 2, first.instant.duration(to: last.instant) * 2 / Self.maximumPoints, least)
        let narrow = points
        points.removeAll(keepingCapacity: true)
        for point in narrow { add(point) }
    }

    package mutating func stop() {
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
