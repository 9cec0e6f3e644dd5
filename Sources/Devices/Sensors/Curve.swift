/// How a value changes with the time since it began.  A description: a `Signal` evaluates it.
///
/// Every period and length counts as 1 ns when it is shorter than that; a curve asked for a time before 0 gives its
/// value at 0.
public indirect enum Curve: Hashable, Sendable {
    /// Always the same.
    case constant(Double)
    /// One value after the other, each for a period.  Without values it has stopped from the start.
    case list([Double], period: Duration, then: Ending = .hold)
    /// From the start to the end in a straight line, and there it stays.
    case ramp(start: Double, end: Double, over: Duration)
    /// One step up or down at the end of each period, for ever.
    case step(start: Double, by: Double, period: Duration)
    /// Around the mean, upwards first.
    case sine(mean: Double, amplitude: Double, period: Duration)
    /// At the end of each period a step of any size up to `by` in either direction, reflected at the ends of the range.
    ///
    /// Each 65,536th place is found without the steps before it, so that years of milliseconds are as near as a second;
    /// the last steps before it lead there.
    case walk(start: Double, by: Double, period: Duration, range: ClosedRange<Double>)
    /// One curve after the other, each with a time of its own that begins at 0.
    ///
    /// The first piece without a length lasts for ever; behind the last of limited length the curve has stopped.
    case pieces([Piece])
    /// What has been counted since the start, so much each day.  The days repeat; without any, 0.
    case days([Double], profile: Profile = .flat)
    /// Each value from its time on, until the next; the first one also before its time.  In the order of time;
    /// without any, the curve has stopped.
    case samples([Sample])
    /// All of these together; it stops with the first of them that does.
    case sum([Curve])

    /// What comes behind the last value of a list.
    public enum Ending: String, CaseIterable, Sendable {
        /// The last value stays.
        case hold
        /// The first value comes again.
        case `repeat`
        /// No value any more.
        case stop
    }

    /// One curve for a while.
    public struct Piece: Hashable, Sendable {
        /// What the value does.
        public var curve: Curve
        /// How long; nil for ever.
        public var duration: Duration?

        /// This curve for so long.
        public init(_ curve: Curve, for duration: Duration? = nil) { (self.curve, self.duration) = (curve, duration) }
    }

    /// A value and when it begins.
    public struct Sample: Hashable, Sendable {
        /// Since the start.
        public var time: Duration
        /// From then on.
        public var value: Double

        /// This value from this time on.
        public init(at time: Duration, _ value: Double) { (self.time, self.value) = (time, value) }
    }

    /// How a day's total comes together.
    public enum Profile: String, CaseIterable, Sendable {
        /// As much in each minute as in any other.
        case flat
        /// Nothing before 07:00 and after 23:00, and as much in each minute between as in any other.
        case waking
    }
}
