import Scenarios
import Simulation

extension Moment {
    /// The event, if it is one.
    var event: Event? {
        if case .event(let event) = self { event } else { nil }
    }

    /// When a clock will show it next; at once if it will not any more, and nil if a clock does not show it.
    func next(after now: Instant, origin: Instant) -> Instant? {
        switch self {
        case .end, .event: return nil
        case .start: return now
        case .time(let time): return max(now, origin.advanced(by: time))
        case .repeated(let first, let every, let times):
            let (begin, step) = (origin.advanced(by: first), every.inNanoseconds)
            guard begin <= now else { return begin }
            guard step > 0 else { return now }
            let passed = begin.duration(to: now).inNanoseconds / step
            guard passed < Int64(times ?? .max) - 1 else { return now }
            return begin.advanced(byNanoseconds: passed * step).advanced(byNanoseconds: step)
        }
    }
}

extension Rule.End {
    /// The event until which the rule lasts, if it is one.
    var event: Event? {
        if case .at(let moment) = self { moment.event } else { nil }
    }
}

extension RandomStream {
    /// True with this probability, 0…1; one draw, whatever the probability is.
    mutating func happens(_ chance: Double) -> Bool {
        let total = 1 << 53 as UInt64  // a Double of 0…1 is scaled by a power of two, and so exactly
        let times = chance > 0 ? UInt64(min(chance, 1) * Double(total)) : 0
        return happens(times, outOf: total)
    }
}
