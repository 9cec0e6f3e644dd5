import Scenarios
import Simulation

extension Rule.End {
    /// The event at which the rule ends, if it ends at an event.
    var event: Event? {
        if case .at(let moment) = self { moment.event } else { nil }
    }
}

extension RandomStream {
    /// True with probability `chance`, 0…1; always takes one draw.
    mutating func happens(_ chance: Double) -> Bool {
        let total = 1 << 53 as UInt64  // scaling by a power of two is exact
        let times = chance > 0 ? UInt64(min(chance, 1) * Double(total)) : 0
        return happens(times, outOf: total)
    }
}
