package import Collector
package import LEHost
package import Simulation

/// The built-in client: a `SensorCollector`, and the exchange of messages between it and a central host.
package struct BuiltInClient: Sendable {
    /// What the user of the client handles.
    package enum Event: Sendable {
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
        /// The client shows this.
        case said(SensorCollector.Saying)
    }

    private var collector: SensorCollector
    private var requests: [SensorCollector.Output] = []
    private var outputs: [Host.Output] = []

    /// A client that does nothing before `start`.
    package init(_ settings: SensorCollector.Settings) { collector = SensorCollector(settings) }

    /// Whether the client does nothing: not started yet, or stopped.
    package var isIdle: Bool { collector.isIdle }

    /// Why the client has not connected to a device so far; nil if it has.
    package var missing: String? { collector.missing }

    /// Starts the host, and then scans.  Call `settle` after this and the next two.
    package mutating func start(at now: Instant) { collector.start(at: now, into: &requests) }

    /// Ends the connection; `isIdle` when that is done.
    package mutating func stop(at now: Instant) { collector.stop(at: now, into: &requests) }

    /// An instant of `.wake` has come.
    package mutating func timePassed(at now: Instant) { collector.timePassed(at: now, into: &requests) }

    /// Passes messages between the host and the collector until there are none.
    package mutating func settle<Central: CentralHost>(
        with host: inout Central, at now: Instant, handle: (Event, inout Central) -> Void
    ) {
        repeat {
            for request in requests {
                switch request {
                case .command(let command): host.perform(command)
                case .wake(let due): handle(.wake(at: due), &host)
                case .said(let saying): handle(.said(saying), &host)
                }
            }
            requests.removeAll(keepingCapacity: true)
            host.drain(into: &outputs)
            for output in outputs { collector.step(output, at: now, pool: &host.pool, into: &requests) }
            outputs.removeAll(keepingCapacity: true)
        } while !requests.isEmpty
    }
}
