package import Basics
package import LEHost

/// The built-in client: a `SensorCollector`, and its connection to a central host, which a fault can change.
package struct BuiltInClient: Sendable {
    /// An event for the user of the client.
    package enum Event: Sendable {
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
        case update(SensorCollector.Update)
    }

    private var collector: SensorCollector
    private var requests: [SensorCollector.Output] = []
    private var fault: Fault?

    /// A client that is idle until `start`; without a `fault`, it is correct.
    package init(_ settings: SensorCollector.Settings, _ fault: FaultyClient? = nil) {
        (collector, self.fault) = (SensorCollector(settings), fault.map(Fault.init))
    }

    /// Whether the client is idle: not started, or stopped.
    package var isIdle: Bool { collector.isIdle }

    /// Why the client has not connected to a device yet; nil if it has.
    package var missing: String? { collector.missing }

    /// When a faulty client shows its last heart rate again; `.never` if it does not.
    package var nextRepetition: Instant { fault?.nextRepetition ?? .never }

    /// Starts the host, and then scans.  Call `settle` after this and the next two.
    package mutating func start(at now: Instant) { collector.start(at: now, into: &requests) }

    /// Ends the connection; `isIdle` when that is done.
    package mutating func stop(at now: Instant) { collector.stop(at: now, into: &requests) }

    /// Handles the passing of time, at an instant of `.wake`.
    package mutating func timePassed(at now: Instant) { collector.timePassed(at: now, into: &requests) }

    /// Whether `settle` has something to do even if the host has no outputs.
    package func hasWork(at now: Instant) -> Bool {
        !requests.isEmpty || fault.map { $0.hasAssumptions || $0.nextRepetition <= now } ?? false
    }

    /// Passes messages between the host and the collector until there are none.
    package mutating func settle<Central: CentralHost>(
        with host: inout Central, at now: Instant, handle: (Event, inout Central) -> Void
    ) {
        if let update = fault?.repetition(at: now) { show(update, at: now) { handle($0, &host) } }
        repeat {
            for request in requests {
                switch request {
                case .command(let command): perform(command, with: &host)
                case .wake(let due): handle(.wake(at: due), &host)
                case .update(let update): show(update, at: now) { handle($0, &host) }
                }
            }
            requests.clear()
            drain(&host, at: now)
            if requests.isEmpty, fault?.takeCrash() ?? false { stop(at: now) }
        } while !requests.isEmpty
    }

    private mutating func perform(_ command: Host.Command, with host: inout some CentralHost) {
        guard let replacement = fault?.replacement(of: command) else { return host.perform(command) }
        for fault in replacement.faults {
            do throws(UnsupportedFault) { try host.inject(fault) } catch { assertionFailure(error.reason) }
        }
        for command in replacement.commands { host.perform(command) }
    }

    private mutating func show(_ update: SensorCollector.Update, at now: Instant, _ handle: (Event) -> Void) {
        guard let contents = fault?.replacement(of: update, at: now) else { return handle(.update(update)) }
        for content in contents { handle(.update(SensorCollector.Update(content, of: update.peer))) }
    }

    private mutating func drain(_ host: inout some CentralHost, at now: Instant) {
        guard fault != nil else {
            return host.drain { output, pool in collector.step(output, at: now, pool: &pool, into: &requests) }
        }
        for output in fault?.takeAssumptions() ?? [] {
            collector.step(output, at: now, pool: &host.pool, into: &requests)
        }
        // A replaced value can cause commands, which cause outputs.
        var outputs: [Host.Output] = []
        repeat {
            outputs.removeAll()
            host.drain(into: &outputs)
            for output in outputs { replace(output, of: &host, at: now) }
        } while !outputs.isEmpty
    }

    private mutating func replace(_ output: Host.Output, of host: inout some CentralHost, at now: Instant) {
        switch fault?.replacement(of: output) {
        case .notified(let id, let handle, let packet)?:
            replaceValue(packet, at: handle, of: &host, at: now) { .notified(id, handle: handle, $0) }
        case .indicated(let id, let handle, let packet)?:
            replaceValue(packet, at: handle, of: &host, at: now) { .indicated(id, handle: handle, $0) }
        case let output?: collector.step(output, at: now, pool: &host.pool, into: &requests)
        case nil: break
        }
    }

    private mutating func replaceValue(
        _ packet: Packet, at handle: UInt16, of host: inout some CentralHost, at now: Instant,
        _ output: (Packet) -> Host.Output
    ) {
        let replacement = fault?.replacement(ofValue: host.take(packet), at: handle)
        for octets in replacement?.values ?? [] {
            collector.step(output(host.pool.take(octets)), at: now, pool: &host.pool, into: &requests)
        }
        for command in replacement?.commands ?? [] { host.perform(command) }
    }
}
