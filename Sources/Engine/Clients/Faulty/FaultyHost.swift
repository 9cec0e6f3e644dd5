package import Basics
package import LEHost

/// The host of a faulty client: it changes what passes between the built-in client and another host.
///
/// Without a fault, it changes nothing.
package struct FaultyHost<Base: CentralHost>: CentralHost {
    package var base: Base
    private var fault: Fault?
    /// Outputs for the client that no host made.
    private var assumed: [Host.Output] = []

    package init(_ base: Base, _ client: FaultyClient?) {
        (self.base, fault) = (base, client.map(Fault.init))
    }

    package var pool: PacketPool {
        get { base.pool }
        _modify { yield &base.pool }
    }

    /// Whether `drain` has outputs that no host made.
    package var hasAssumptions: Bool { !assumed.isEmpty }

    /// When the client shows its last heart rate again; `.never` if it does not.
    package var nextRepetition: Instant { fault?.nextRepetition ?? .never }

    package func unsupportedReason(for capability: CentralCapability) -> String? {
        base.unsupportedReason(for: capability)
    }

    package mutating func perform(_ command: Host.Command) {
        guard fault != nil else { return base.perform(command) }
        let replacement = fault?.replacement(of: command)
        for fault in replacement?.faults ?? [] { inject(fault) }
        for command in replacement?.commands ?? [] { base.perform(command) }
        assumed += replacement?.outputs ?? []
    }

    package mutating func inject(_ fault: Host.Fault) {
        do throws(UnsupportedFault) { try base.inject(fault) } catch { assertionFailure(error.reason) }
    }

    package mutating func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        guard fault != nil else { return base.drain(handle) }
        var outputs = assumed
        assumed.removeAll()
        for output in outputs { handle(output, &base.pool) }
        // A replaced value can cause commands, which cause outputs.
        repeat {
            outputs.removeAll()
            base.drain(into: &outputs)
            for output in outputs { replace(output, handle) }
        } while !outputs.isEmpty
    }

    private mutating func replace(_ output: Host.Output, _ handle: (Host.Output, inout PacketPool) -> Void) {
        switch fault?.replacement(of: output) {
        case .notified(let id, let handleOfValue, let packet)?:
            replaceValue(packet, at: handleOfValue) { handle(.notified(id, handle: handleOfValue, $0), &$1) }
        case .indicated(let id, let handleOfValue, let packet)?:
            replaceValue(packet, at: handleOfValue) { handle(.indicated(id, handle: handleOfValue, $0), &$1) }
        case let output?: handle(output, &base.pool)
        case nil: break
        }
    }

    private mutating func replaceValue(
        _ packet: Packet, at handle: UInt16, _ deliver: (Packet, inout PacketPool) -> Void
    ) {
        let replacement = fault?.replacement(ofValue: base.take(packet), at: handle)
        for octets in replacement?.values ?? [] { deliver(base.pool.take(octets), &base.pool) }
        for command in replacement?.commands ?? [] { base.perform(command) }
    }

    /// Shows an update, or what the client shows instead.
    package mutating func show(
        _ update: SensorCollector.Update, at now: Instant, _ body: (SensorCollector.Update, inout Self) -> Void
    ) {
        guard let contents = fault?.replacement(of: update, at: now) else { return body(update, &self) }
        for content in contents { body(SensorCollector.Update(content, of: update.peer), &self) }
    }

    /// Shows the last heart rate again if that is due.
    package mutating func showAgain(at now: Instant, _ body: (SensorCollector.Update, inout Self) -> Void) {
        guard let update = fault?.repetition(at: now) else { return }
        show(update, at: now, body)
    }

    /// Whether the client has crashed since the last call: stop it then.
    package mutating func takeCrash() -> Bool { fault?.takeCrash() ?? false }
}

extension FaultyHost: Sendable where Base: Sendable {}
