package import Basics
package import LEHost

/// The host of the central that `addClient` has added.
extension World: CentralHost {
    /// Performs a command at the present; without a central, it has no effect.
    package mutating func perform(_ command: Host.Command) {
        if let central { self.command(command, of: central) }
    }

    /// Injects a fault at the present; without a central, it has no effect.
    package mutating func inject(_ fault: Host.Fault) {
        if let central { inject(fault, into: central) }
    }

    /// Removes the central's outputs from the outbox.
    package mutating func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        var others = 0
        for output in outbox {
            if case .client(_, let output) = output { handle(output, &pool) } else { others += 1 }
        }
        guard others > 0 else { return outbox.clear() }
        outbox.removeAll { output in if case .client = output { true } else { false } }
    }
}
