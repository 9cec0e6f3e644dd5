package import Basics
import CClientTime
import Glibc
import Synchronization

/// The virtual time of a client's processes: `liblubdubtime.so` replaces their clocks and waits, and time passes only
/// while all their threads sleep.
package final class ClientTime: Followers {
    /// What the wall clock of clients shows at first: 2026-01-01, so that it is the same in each run.
    private static let beginning = Int64(1_767_225_600) * 1_000_000_000
    private static let opened = Atomic<Int>(0)
    /// The maximum duration of one `wait`, in milliseconds.
    private static let patience = CInt(20)

    private static let variable = "LUBDUB_TIME"  // CLIENT_TIME_VARIABLE of ClientTimeLayout.h

    private let coordinator: Mutex<Coordinator>
    private let path: String
    private let library: ClientTimeLibrary
    private let seed: UInt64

    /// Throws if this machine does not let clients follow. With a `charge`, each turn of a client takes time.
    package init(seed: UInt64, _ library: ClientTimeLibrary, charge: TurnCharge? = nil) throws(Obstacle) {
        if let why = OwnProgram.obstacle(to: "virtual time for a client") { throw Obstacle(.environment, why) }
        if let why = Coordinator.obstacle {
            throw Obstacle(.environment, "no virtual time for a client: \(why)")
        }
        let number = Self.opened.add(1, ordering: .relaxed).newValue
        let path = "/dev/shm/lubdub-time-\(getpid())-\(number)"
        guard var coordinator = Coordinator(path: path, seed: seed, realtime: Self.beginning) else {
            throw Obstacle(
                .environment,
                "no virtual time for a client: cannot create \(path): \(unsafe String(cString: strerror(errno)))")
        }
        if let charge { coordinator.charge(ChargedTurns(charge, seed: seed)) }
        self.coordinator = Mutex(coordinator)
        (self.path, self.library, self.seed) = (path, library, seed)
    }

    /// The variables for the supervisor of a client, and for the client.
    package var variables: [(name: String, value: String)] {
        [(Self.variable, path), library.setting, ("PYTHONHASHSEED", "\(UInt32(truncatingIfNeeded: seed))")]
    }

    /// Removes the file that this process shares with its parent, which has ended without doing it.
    package static func removeFile() {
        if let path = unsafe getenv(variable) { unsafe unlink(path) }
    }

    /// Follows the processes below a supervisor and its children.
    package func follow(_ supervisor: Int32) { coordinator.withLock { $0.follow(supervisor) } }

    /// Lets time pass soon although a process is stopped or computes: the case is over.
    package func hurry() { coordinator.withLock { $0.hurry() } }

    /// For tests: pauses between the looks at two threads. `once`: one round is enough, which is wrong.
    package func lookSlowly(microseconds: Int32, once: Bool) {
        coordinator.withLock { $0.lookSlowly(microseconds, once) }
    }

    /// Which process cannot follow, and why; nil if all can.
    package var stranger: String? {
        coordinator.withLock { $0.stranger }
            .map { "\($0): it cannot follow virtual time" }
    }

    /// Which process has connected to one that does not follow; nil if none has.
    package var neighbour: String? {
        coordinator.withLock { $0.neighbour }.map { "\($0), for which virtual time does not wait" }
    }

    /// Whether time had to follow the machine's, because a process computed endlessly or was stopped.
    package var hasCrept: Bool { coordinator.withLock { $0.counts.creeps > 0 } }

    /// How often it looked whether all threads sleep.
    package var looks: UInt64 { coordinator.withLock { $0.counts.looks } }

    // MARK: Followers

    package func noteStimulus() { coordinator.withLock { $0.noteStimulus() } }
    package func wait() -> FollowerActivity { coordinator.withLock { $0.wait(atMost: Self.patience) } }
    package var nextDeadline: Instant { coordinator.withLock { $0.nextDeadline } }
    package var busyUntil: Instant { coordinator.withLock { $0.busyUntil } }
    package func set(_ now: Instant) { coordinator.withLock { $0.set(now) } }
    package func wakeFirst() { coordinator.withLock { $0.wakeFirst() } }
}
