/// How long to wait before the next attempt: 0.1 s, then twice as long each time, and never more than 5 s.
struct BackOff: Sendable {
    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(5)

    private var upcoming = Self.shortest

    /// The wait that is due now.
    mutating func next() -> Duration {
        defer { upcoming = min(upcoming * 2, Self.longest) }
        return upcoming
    }

    /// An attempt has succeeded.
    mutating func reset() { upcoming = Self.shortest }
}
