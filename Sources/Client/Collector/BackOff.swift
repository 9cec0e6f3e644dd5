/// How long to wait before the next attempt: not at all, then 0.1 s, then twice as long each time, and never more than
/// 1 s, since who is back has to be found within seconds.
struct BackOff: Sendable {
    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(1)

    private var upcoming = Duration.zero

    /// The wait that is due now.
    mutating func next() -> Duration {
        defer { upcoming = upcoming == .zero ? Self.shortest : min(upcoming * 2, Self.longest) }
        return upcoming
    }

    /// An attempt has succeeded.
    mutating func reset() { upcoming = .zero }
}
