/// How a value goes on with time.
public indirect enum Curve: Hashable, Sendable {
    /// What comes behind a list.
    public enum Ending: String, CaseIterable, Sendable {
        /// The last value stays.
        case hold
        /// It begins again.
        case `repeat`
        /// There is no value any more.
        case stop
    }

    /// How a day's total comes together.
    public enum Profile: String, CaseIterable, Sendable {
        /// Evenly.
        case flat
        /// Between getting up and going to bed.
        case waking
    }

    /// A curve for a time.
    public struct Piece: Hashable, Sendable {
        /// Counts from the piece's beginning.
        public var value: Curve
        /// How long; nil for ever, which only the last piece can have.
        public var duration: Duration?
    }

    /// A value and when it begins.
    public struct Sample: Hashable, Sendable {
        /// Since the start.
        public var time: Duration
        /// From then on.
        public var value: Double
    }

    /// Always the same.
    case constant(Double)
    /// One after the other, each for a period.
    case list([Double], period: Duration, then: Ending)
    /// In a straight line, and there it stays.
    case ramp(start: Double, end: Double, over: Duration)
    /// A step of the same size at the end of each period.
    case step(start: Double, by: Double, period: Duration)
    /// Around the mean, upwards first.
    case sine(mean: Double, amplitude: Double, period: Duration)
    /// A step of chance, up to `by` in either direction, at the end of each period, within the range.
    case walk(start: Double, by: Double, period: Duration, range: ClosedRange<Double>)
    /// One curve after the other.
    case pieces([Piece])
    /// What has come together since the start, so much each day; the days repeat.
    case days([Double], profile: Profile)
    /// The values of a csv file, each from its time on; never empty, and the times rise.
    case csv([Sample])
    /// All of these together.
    case sum([Curve])
}

/// What a script gives to a part.
public enum Value: Hashable, Sendable {
    /// A number, or one that changes; `true` is 1 and `false` is 0.
    case curve(Curve)
    /// A string, for the parts that are text.
    case text(String)
}
