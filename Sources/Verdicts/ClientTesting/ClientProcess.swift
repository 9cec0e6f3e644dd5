import CLinux
import CommandSupport
import Conformance
import Glibc
import Simulation

/// The process of a client under test: a shell with a command line, and its children, in their own process group.
struct ClientProcess: Sendable {
    private static let shell = "/bin/sh"
    private static let maximumProcesses = 64

    private let process: pid_t
    private let mark: String  // an environment variable that no other process has
    private let output: CInt
    /// The shell's exit status, or 128 and the number of the signal that ended it; nil while it runs.
    package private(set) var status: UInt8?
    /// Whether no process of its group is left.
    private(set) var isGone = false

    /// Starts a command line in the current directory; the first variable must be unique to this process.
    init(
        _ command: String, _ environment: [(name: String, value: String)], isSilent: Bool
    ) throws(CommandFailure) {
        // Orphans become children of this process, so that it can wait for them and find those outside the group.
        _ = adoptOrphans()
        var launch = Launch(Self.shell, ["-c", command])
        launch.environment = environment
        launch.leadsGroup = true
        launch.isSilent = isSilent
        mark = environment.first.map { "\($0.name)=\($0.value)" } ?? ""
        (process, output) = try launch.start()
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
    }

    /// Calls `action` when output may be available.
    package func watch(on loop: EventLoop, _ action: @escaping @Sendable () -> Void) -> EventLoop.Watch {
        loop.watch(output, for: .readable, whenReady: action)
    }

    /// Reads a chunk of its output; empty when none is available, nil after the end.
    package func read(into buffer: inout [UInt8]) -> ArraySlice<UInt8>? {
        let count = unsafe Glibc.read(output, &buffer, buffer.count)
        guard count >= 0 else { return errno == EAGAIN || errno == EINTR ? [] : nil }
        return count > 0 ? buffer[..<count] : nil
    }

    package mutating func poll() {
        guard !isGone else { return }
        var code = CInt(0)
        while true {
            let ended = unsafe waitpid(-process, &code, WNOHANG)
            if ended == process { status = Launch.status(code) }
            guard ended > 0 || ended < 0 && errno == EINTR else { break }
        }
        isGone = status != nil && kill(-process, 0) != 0 && errno == ESRCH
    }

    /// How long it waited for a CPU while it was runnable: the longest wait of its processes.
    package var waited: Duration {
        var (found, longest) = ([process], Int64(0))
        var next = 0
        while next < found.count, next < Self.maximumProcesses {
            // Nanoseconds on the CPU, and nanoseconds in the run queue: Linux, Documentation/scheduler/sched-stats.rst.
            let numbers = String(decoding: contents(of: "/proc/\(found[next])/schedstat") ?? [], as: UTF8.self)
                .split(separator: " ").compactMap { Int64($0) }
            longest = max(longest, numbers.dropFirst().first ?? 0)
            found += Self.children(of: "\(found[next])")
            next += 1
        }
        return .milliseconds(longest / 100_000_000 * 100)
    }

    package func send(_ signal: Int32) {
        if !isGone { kill(-process, signal) }
    }

    /// Kills its processes outside the group; call it when the group is gone.
    func endStrays() {
        for _ in 0..<64 {
            let strays = Self.children(of: "self").filter { child in
                (contents(of: "/proc/\(child)/environ") ?? []).split(separator: 0).contains(where: isMark)
            }
            guard !strays.isEmpty else { return }
            for stray in strays {
                kill(stray, SIGKILL)
                waitpid(stray, nil, 0)
            }
        }
    }

    private func isMark(_ variable: ArraySlice<UInt8>) -> Bool { variable.elementsEqual(mark.utf8) }

    private static func children(of process: String) -> [pid_t] {
        folderEntries("/proc/\(process)/task").flatMap { thread in
            String(decoding: contents(of: "/proc/\(process)/task/\(thread)/children") ?? [], as: UTF8.self).split(
                separator: " ")
        }.compactMap { pid_t($0) }
    }

    /// Reads no more; who watches has stopped before.
    package func close() { Glibc.close(output) }
}
