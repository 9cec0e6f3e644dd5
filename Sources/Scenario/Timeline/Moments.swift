import Scenarios
import Simulation

extension Rule.End {
    /// The event that ends the rule, if its end is an event.
    var event: Event? {
        if case .at(let moment) = self { moment.event } else { nil }
    }
}

extension RandomStream {
    /// True with this probability, 0…1; always makes one draw.
    mutating func happens(_ chance: Double) -> Bool {
        let total = 1 << 53 as UInt64  // a Double of 0…1 is scaled by a power of two, and so exactly
        let times = chance > 0 ? UInt64(min(chance, 1) * Double(total)) : 0
        return happens(times, outOf: total)
    }
}
