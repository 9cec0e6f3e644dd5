/// A value as a function of the time since it started; evaluated by a `Signal`.
///
/// Periods and durations shorter than 1 ns count as 1 ns; before time 0, a curve has its value at 0.
package indirect enum Curve: Hashable, Sendable {
    case constant(Double)
    /// One value after the other, each for a period. An empty list has stopped from the start.
    case list([Double], period: Duration, then: Ending = .hold)
    /// A straight line from the start to the end value, which then stays.
    case ramp(start: Double, end: Double, over: Duration)
    /// A step up or down at the end of each period, without end.
    case step(start: Double, by: Double, period: Duration)
    /// A sine around the mean, rising first.
    case sine(mean: Double, amplitude: Double, period: Duration)
    /// A random step of up to `by` in either direction at the end of each period, reflected at the ends of the range.
    ///
    /// Every 65,536th value is computed without the steps before it, so that any time is found quickly; the last steps
    /// before it are drawn towards it. Steps of less than 1 ms are taken several at once.
    case walk(start: Double, by: Double, period: Duration, range: ClosedRange<Double>)
    /// One curve after the other, each with its own time that starts at 0.
    ///
    /// A piece without a duration lasts forever; after a last piece with a duration the curve has stopped.
    case pieces([Piece])
    /// A count since the start that grows by the day's total each day. The days repeat; without days it stays 0.
    case days([Double], profile: Profile = .flat)
    /// Each value from its time until the next; the first one also before its time. The samples must be sorted by time;
    /// without samples the curve has stopped.
    case samples([Sample])
    /// The sum of curves; it stops when the first of them stops.
    case sum([Curve])

    /// What follows the last value of a list.
    package enum Ending: String, CaseIterable, Sendable {
        /// The last value stays.
        case hold
        /// The first value follows.
        case `repeat`
        case stop
    }

    /// A curve for a certain time.
    package struct Piece: Hashable, Sendable {
        package var curve: Curve
        /// Its duration; nil for no end.
        package var duration: Duration?

        package init(_ curve: Curve, for duration: Duration? = nil) { (self.curve, self.duration) = (curve, duration) }
    }

    /// A value from a certain time on.
    package struct Sample: Hashable, Sendable {
        /// The time since the start.
        package var time: Duration
        package var value: Double

        package init(at time: Duration, _ value: Double) { (self.time, self.value) = (time, value) }
    }

    /// How a day's total is distributed.
    package enum Profile: String, CaseIterable, Sendable {
        /// Evenly over the day.
        case flat
        /// Evenly between 07:00 and 23:00.
        case waking
    }
}
