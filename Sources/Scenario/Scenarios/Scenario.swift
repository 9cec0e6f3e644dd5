/// What a scenario file says, with its includes, variables and names resolved.
public struct Scenario: Hashable, Sendable {
    /// What it is called in reports.
    public var name: String
    /// What people should know about it.
    public var note: String?
    /// By which it can be chosen.
    public var tags: [String]
    /// All chance comes from it.
    public var seed: UInt64
    /// What the sensors' clock shows at the start.
    public var begins: WallTime
    /// The case ends then.
    public var limit: Duration
    /// The index of the device that a client is told of; nil when the file does not say, and it is the first.
    public var target: Int?
    /// In the file's order; ``Thing`` counts them from 0.
    public var devices: [Device]
    /// In the file's order, in which rules of one instant are played.
    public var script: [Rule]
    /// In the file's order.
    public var expectations: [Expectation]
}

/// A date and a time of day, as a clock on the wall shows them.
public struct WallTime: Hashable, Sendable {
    /// Whole seconds since 2000-01-01T00:00:00 on the same clock; negative before.
    public var secondsSince2000: Int64
    /// By how much the clock is ahead of UTC.
    public var minutesAheadOfUTC: Int

    /// So many seconds after 2000-01-01T00:00:00, on a clock that is so far ahead of UTC.
    public init(secondsSince2000: Int64, minutesAheadOfUTC: Int = 0) {
        (self.secondsSince2000, self.minutesAheadOfUTC) = (secondsSince2000, minutesAheadOfUTC)
    }
}

extension Scenario {
    /// Without devices: an air for hosts outside, for as long as they like.
    public static let empty = Scenario(
        name: "", note: nil, tags: [], seed: 1, begins: WallTime(secondsSince2000: 0), limit: .seconds(1 << 32),
        target: nil, devices: [], script: [], expectations: [])
}
