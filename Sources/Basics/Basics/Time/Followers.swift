/// Other processes whose clocks and waits follow the virtual time of an ``EventLoop``.
///
/// The loop's thread calls everything.
public protocol Followers: AnyObject, Sendable {
    /// Notes that this process may have woken one of them: by a write, a read, an accept, a close, a signal, or a new process.
    func noteStimulus()
    /// Waits until all of them sleep, but not long; returns at once if nothing can have woken one since the last time.
    func wait() -> FollowerActivity
    /// When the first of them has to wake; `.never` if all wait for something else.
    var nextDeadline: Instant { get }
    /// When what they have done last is over. Nobody reads what they have written before that, and none of them wakes.
    var busyUntil: Instant { get }
    /// Sets their clocks.
    func set(_ now: Instant)
    /// Wakes the first of them that is due, if any.
    func wakeFirst()
}

/// What followers do.
public enum FollowerActivity: Sendable {
    /// At least one of them runs.
    case running
    /// They will do nothing before the next deadline.
    case asleep
    /// At least one of them has run for too long: time does not wait for it any longer.
    case computing
}

extension EventLoop {
    /// Notes that this process may have woken a follower; call it after each write and close of a stream to one.
    public func noteStimulus() { followers?.noteStimulus() }
}
