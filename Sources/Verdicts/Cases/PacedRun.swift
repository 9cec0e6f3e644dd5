package import Basics
package import Clients
package import Linux
import VirtualWorld

/// A run of the built-in client at the pace of an event loop.
package actor PacedRun: LoopActor {
    package nonisolated let loop: EventLoop
    private var clientRun: BuiltInClientRun
    private let files: LogFiles
    private let report: @Sendable (Instant, SensorCollector.Update) -> Void
    private let completion: RunCompletion
    private var origin = Instant.start  // the loop's time at the start of the run

    package init(
        _ clientRun: BuiltInClientRun, _ files: LogFiles, on loop: EventLoop, _ completion: RunCompletion,
        report: @escaping @Sendable (Instant, SensorCollector.Update) -> Void
    ) {
        (self.clientRun, self.files, self.loop, self.completion, self.report) = (
            clientRun, files, loop, completion, report
        )
    }

    package func start() {
        origin = loop.now
        clientRun.begin()
        clientRun.settle(report)
        advance()
    }

    /// The run in its current state.
    package func close() -> BuiltInClientRun { clientRun }

    /// The maximum number of instants that are played in one turn of the loop, so that signals do not wait long.
    private static let slice = 1000

    /// Plays what is due, at most a slice, and schedules the next call.
    private func advance() {
        let now = Instant(nanoseconds: loop.now.nanoseconds - origin.nanoseconds)
        var left = Self.slice
        while left > 0, !clientRun.world.isDecided, clientRun.playNext(until: min(now, clientRun.limit), report) {
            left -= 1
        }
        files.flush(&clientRun.world)
        if files.readerIsGone { return completion.finish(.closed) }
        let isPlayed = left > 0 && now >= clientRun.limit
        if isPlayed { clientRun.world.run(until: clientRun.limit) }
        guard !isPlayed, !clientRun.world.isDecided else { return completion.finish(.time) }
        let due = min(clientRun.nextDue, clientRun.limit)
        loop.call(at: origin.advanced(by: due.sinceStart)) { [weak self] in
            self?.assumeIsolated { $0.advance() }
        }
    }
}
