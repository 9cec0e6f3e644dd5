import Basics
import CLubdubLinux
import Conformance
import Glibc
import Linux

/// The process of a client under test: a shell with a command line in its own process group, below a ``Supervisor`` and its
/// ``SupervisorGuard``.
struct ClientProcess: Sendable {
    private static let maximumProcesses = 64

    private let shield: pid_t  // the supervisor's guard
    private let channel: CInt  // to the supervisor
    private let output: CInt
    private let errors: CInt
    /// The shell's exit status, or 128 and the number of the signal that ended it; nil while it runs.
    private(set) var status: UInt8?
    /// Whether no process of its group is left.
    private(set) var isGone = false
    /// Whether no process is left that it has started.
    private(set) var hasEnded = false
    /// How its supervisor ended, if that did not report the shell's exit status.
    private(set) var loss: String?
    /// The virtual time that it follows; nil if it is in real time.
    let time: ClientTime?

    /// Starts a command line in the current directory.
    init(
        _ command: String, _ environment: [(name: String, value: String)], following time: ClientTime? = nil
    ) throws(Obstacle) {
        if let obstacle = OwnProgram.obstacle(to: "ending all processes of a client") {
            throw Obstacle(.environment, obstacle)
        }
        var (ends, pipe): ([CInt], [CInt]) = ([0, 0], [0, 0])
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Self.failure(errno) }
        defer { Glibc.close(ends[1]) }
        guard unsafe openPipe(&pipe) == 0 else {
            let code = errno
            Glibc.close(ends[0])
            throw Self.failure(code)
        }
        defer { Glibc.close(pipe[1]) }
        (channel, errors) = (ends[0], pipe[0])
        self.time = time
        var launch = Launch(OwnProgram.executable, [SupervisorGuard.word, "\(getpid())", command])
        launch.environment = environment + (time?.variables ?? [])
        launch.leadsGroup = true
        launch.input = ends[1]
        launch.errors = pipe[1]
        do throws(Obstacle) { (shield, output) = try launch.start() } catch {
            Glibc.close(ends[0])
            Glibc.close(pipe[0])
            throw error
        }
        for descriptor in [output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        time?.follow(shield)
    }

    private static func failure(_ code: CInt) -> Obstacle {
        Obstacle(.environment, "cannot start the client: \(unsafe String(cString: strerror(code)))")
    }

    /// Calls `action` when its standard error may be available.
    func watchErrors(on loop: EventLoop, _ action: @escaping @Sendable () -> Void) -> EventLoop.Watch {
        loop.watch(errors, for: .readable, whenReady: action)
    }

    /// Reads a chunk of its standard error; empty when none is available, nil after the end.
    func readErrors(into buffer: inout [UInt8]) -> ArraySlice<UInt8>? { Self.read(errors, into: &buffer) }

    /// Calls `action` when output may be available.
    func watch(on loop: EventLoop, _ action: @escaping @Sendable () -> Void) -> EventLoop.Watch {
        loop.watch(output, for: .readable, whenReady: action)
    }

    /// Reads a chunk of its output; empty when none is available, nil after the end.
    func read(into buffer: inout [UInt8]) -> ArraySlice<UInt8>? { Self.read(output, into: &buffer) }

    private static func read(_ descriptor: CInt, into buffer: inout [UInt8]) -> ArraySlice<UInt8>? {
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { return errno == EAGAIN || errno == EINTR ? [] : nil }
        return count > 0 ? buffer[..<count] : nil
    }

    mutating func poll() {
        guard !hasEnded else { return }
        var code = CInt(0)
        hasEnded = unsafe waitpid(shield, &code, WNOHANG) == shield
        var octet: UInt8 = 0
        while unsafe recv(channel, &octet, 1, CInt(MSG_DONTWAIT)) > 0 {
            if status == nil { status = octet } else { isGone = true }
        }
        guard hasEnded else { return }
        isGone = true
        if status == nil { loss = "the process that supervises it \(ClientRecord.words(Launch.status(code)))" }
    }

    /// How long it waited for a CPU while it was runnable: the longest wait of its processes, of which the first is the
    /// supervisor.
    var waited: Duration {
        let waits = descendants(of: shield).dropFirst().prefix(Self.maximumProcesses).map { process in
            // Nanoseconds on the CPU, and nanoseconds in the run queue: Linux, Documentation/scheduler/sched-stats.rst.
            let numbers = String(decoding: contents(of: "/proc/\(process)/schedstat") ?? [], as: UTF8.self)
                .split(separator: " ").compactMap { Int64($0) }
            return numbers.dropFirst().first ?? 0
        }
        return .milliseconds((waits.max() ?? 0) / 100_000_000 * 100)
    }

    /// Sends a signal to its process group.
    func send(_ signal: Int32) {
        var octet = UInt8(truncatingIfNeeded: signal)
        _ = unsafe Glibc.send(channel, &octet, 1, CInt(MSG_NOSIGNAL))
        time?.noteStimulus()
    }

    /// Kills every process that it has started, however it has detached; `poll` notices when none is left.
    func endAll() { shutdown(channel, CInt(SHUT_WR)) }

    /// Waits until that is done, in real time, because supervisors are in real time.
    mutating func waitForEnd(milliseconds: Int) {
        for _ in 0..<milliseconds where !hasEnded {
            usleep(1000)
            poll()
        }
    }

    /// Reads no more; who watches has stopped before.
    func close() {
        for descriptor in [output, errors, channel] { Glibc.close(descriptor) }
    }
}
