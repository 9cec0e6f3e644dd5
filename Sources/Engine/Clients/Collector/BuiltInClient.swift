package import Basics
package import LEHost

/// The built-in client: a `SensorCollector` and its connection to a central host.
package struct BuiltInClient: Sendable {
    /// An event for the user of the client.
    package enum Event: Sendable {
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
        case update(SensorCollector.Update)
    }

    private var collector: SensorCollector
    private var requests: [SensorCollector.Output] = []

    /// A client that is idle until `start`.
    package init(_ settings: SensorCollector.Settings) { collector = SensorCollector(settings) }

    /// Whether the client is idle: not started, or stopped.
    package var isIdle: Bool { collector.isIdle }

    /// Whether `settle` has something to do even if the host has no outputs.
    package var hasRequests: Bool { !requests.isEmpty }

    /// Why the client has not connected to a device yet; nil if it has.
    package var missing: String? { collector.missing }

    /// Starts the host, and then scans.  Call `settle` after this and the next two.
    package mutating func start(at now: Instant) { collector.start(at: now, into: &requests) }

    /// Ends the connection; `isIdle` when that is done.
    package mutating func stop(at now: Instant) { collector.stop(at: now, into: &requests) }

    /// Handles the passing of time, at an instant of `.wake`.
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
                case .update(let update): handle(.update(update), &host)
                }
            }
            requests.clear()
            host.drain { output, pool in collector.step(output, at: now, pool: &pool, into: &requests) }
        } while !requests.isEmpty
    }
}
