/// The wait before the next attempt: 0 s, then 0.1 s, then doubled each time up to 1 s, so that the client finds a
/// returning device within seconds.
struct BackOff: Sendable {
    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(1)

    private var upcoming = Duration.zero

    /// The wait before this attempt.
    mutating func next() -> Duration {
        defer { upcoming = upcoming == .zero ? Self.shortest : min(upcoming * 2, Self.longest) }
        return upcoming
    }

    /// Resets the wait after an attempt has succeeded.
    mutating func reset() { upcoming = .zero }
}
