import Basics

/// A world's time that follows the time of a loop, and that stops while the machine cannot keep up.
struct WorldClock {
    /// The lag, at speed 1, beyond which the world's time is set back.
    static let maximumLag = Duration.seconds(1)
    /// The minimum time between two messages.
    static let quietTime = Duration.seconds(10)

    private let speed: Double
    private var origin: Instant?  // the loop's time at which the world's began
    private var turn = Instant.start
    private var begun: Instant?  // the loop's time from which the next message counts
    private var lost = Duration.zero  // since then
    private var reported: Instant?

    /// A clock whose time stands still until `start`; the loop's time is `speed` times as fast as the machine's.
    init(speed: Double) { self.speed = speed }

    /// Whether time has started.
    var isRunning: Bool { origin != nil }

    /// Starts time, at the loop's time `now`.
    mutating func start(at now: Instant) {
        origin = now
        turn = now
    }

    /// The world's time at the loop's time `now`, if the machine keeps up.
    func time(at now: Instant) -> Instant {
        origin.map { Instant(nanoseconds: now.nanoseconds - $0.nanoseconds) } ?? .start
    }

    /// The loop's time at `instant` of the world; nil before `start`.
    func loopTime(of instant: Instant) -> Instant? { origin?.advanced(by: instant.sinceStart) }

    /// Advances the world's time.
    mutating func skip(_ duration: Duration) {
        origin = origin.map { Instant(nanoseconds: $0.nanoseconds - duration.inNanoseconds) }
    }

    /// In the turn of the loop at `now`, the world is late by `lag`. If that is too much, its time is set back.
    ///
    /// - Returns: A message for the user, if it is time for one.
    mutating func note(lag: Duration, at now: Instant) -> String? {
        let pause = turn.duration(to: now)
        turn = now
        let maximumLag = Self.maximumLag * speed
        guard lag > maximumLag else {
            if lag <= .zero, lost == .zero { begun = now }
            return nil
        }
        skip(.zero - lag)
        lost += lag
        let begin = begun ?? now
        guard reported.map({ $0.duration(to: now) >= Self.quietTime * speed }) ?? true else { return nil }
        defer { (reported, begun, lost) = (now, now, .zero) }
        if pause > maximumLag {
            return "this machine stopped for \((pause / speed).inTenths) s, and so did the devices' time"
        }
        let share = 1 - lost / max(begin.duration(to: now), lost)
        return "this machine cannot keep up: the devices' time runs at \(Int((share * 100).rounded())) % of real time"
    }
}
