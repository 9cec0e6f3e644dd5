import Glibc
import Synchronization

/// The signal that asks this program to end, for output that waits for a reader: once the signal has arrived, output
/// hardly waits any more.
package enum EndSignal {
    private struct State {
        var descriptor: CInt = -1  // of signalfd(2); poll(2) ignores -1
        var hasArrived = false
        var number: Int32?
    }

    /// A class, because Swift 6.3 with `-O` initializes a static mutex of this state with zeros.
    private final class Shared: Sendable { let state = Mutex(State()) }

    private static let shared = Shared()

    /// How long output waits for its reader after the signal, and how often it looks whether another thread has read the
    /// signal: in milliseconds.
    private static let patience: CInt = 100

    /// Expects the signal at this descriptor of signalfd(2).
    static func expect(at descriptor: CInt) { shared.state.withLock { $0.descriptor = descriptor } }

    /// The signal's number; nil until it has been read from its descriptor.
    static var number: Int32? { shared.state.withLock { $0.number } }

    /// The signal has arrived, and been read if its number is known.
    static func noteArrival(_ number: Int32?) {
        shared.state.withLock { ($0.hasArrived, $0.number) = (true, $0.number ?? number) }
    }

    /// Waits until a write would not block; false if it still would when the program has to end.
    static func waitForRoom(in descriptor: CInt) -> Bool {
        while true {
            let state = shared.state.withLock { $0 }
            var polled = [
                pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0),
                pollfd(fd: state.hasArrived ? -1 : state.descriptor, events: CShort(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), patience)
            if polled[0].revents != 0 { return true }
            if polled[1].revents != 0 { noteArrival(nil) }
            if count == 0, state.hasArrived { return false }
        }
    }

    /// Waits for the signal and reads it; false if it has not arrived after `milliseconds`.
    static func wait(milliseconds: CInt) -> Bool {
        let state = shared.state.withLock { $0 }
        var polled = pollfd(fd: state.descriptor, events: CShort(POLLIN), revents: 0)
        guard !state.hasArrived, unsafe poll(&polled, 1, milliseconds) == 1 else { return state.hasArrived }
        noteArrival(Signals.take(from: state.descriptor))
        return true
    }
}
