/// A scenario with resolved includes, variables and names.
public struct Scenario: Hashable, Sendable {
    /// Its name in reports.
    public var name: String
    /// A remark for people.
    public var note: String?
    /// Labels to select it by.
    public var tags: [String]
    /// The seed of all random numbers.
    public var seed: UInt64
    /// The sensors' wall-clock time at the start.
    public var begins: WallTime
    /// The duration of the case.
    public var limit: Duration
    /// The index of the device that the client should connect to; nil if the file does not name one.
    public var target: Int?
    /// The devices, in the file's order.
    public var devices: [Device]
    /// The rules, in the file's order, which is also their order at one instant.
    public var script: [Rule]
    /// The expectations, in the file's order.
    public var expectations: [Expectation]
}

/// A local date and time.
public struct WallTime: Hashable, Sendable {
    /// Seconds since 2000-01-01T00:00:00 local time; negative before.
    public var secondsSince2000: Int64
    /// The offset from UTC, in minutes.
    public var minutesAheadOfUTC: Int

    /// A time in seconds since 2000-01-01T00:00:00 local time.
    public init(secondsSince2000: Int64, minutesAheadOfUTC: Int = 0) {
        (self.secondsSince2000, self.minutesAheadOfUTC) = (secondsSince2000, minutesAheadOfUTC)
    }
}

extension Scenario {
    /// A scenario without devices and practically without limit, for external hosts only.
    public static let empty = Scenario(
        name: "", note: nil, tags: [], seed: 1, begins: WallTime(secondsSince2000: 0), limit: .seconds(1 << 32),
        target: nil, devices: [], script: [], expectations: [])
}
