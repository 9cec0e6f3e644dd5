package import Simulation

extension Moment {
    /// The event; nil for other moments.
    package var event: Event? {
        if case .event(let event) = self { event } else { nil }
    }

    /// The next occurrence, or the last one if there are no more; nil if it depends on events.
    package func clockTime(after now: Instant, origin: Instant) -> Instant? {
        switch self {
        case .end, .event: return nil
        case .start: return origin
        case .time(let time): return origin.advanced(by: time)
        case .repeated(let first, let every, let times):
            let (begin, step) = (origin.advanced(by: first), every.inNanoseconds)
            guard begin <= now, step > 0 else { return begin }
            let passed = min(begin.duration(to: now).inNanoseconds / step, Int64(times ?? .max) - 2)
            return begin.advanced(byNanoseconds: passed * step).advanced(byNanoseconds: step)
        }
    }
}
