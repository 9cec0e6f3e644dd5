package import Basics
import Glibc

/// A child process whose standard output is read.
package final class ChildProcess {
    private let process: pid_t
    private let output: CInt
    private var buffer: [UInt8] = []
    private var usage: (status: CInt, usage: rusage)?

    package init(_ program: String, _ arguments: [String]) throws(Obstacle) {
        (process, output) = try Launch(program, arguments).start()
    }

    /// The next line of its output, without its line feed; nil at the end, or when nothing arrives within `limit`.
    package func line(within limit: Duration? = nil) -> String? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            if let limit {
                var readable = pollfd(fd: output, events: CShort(POLLIN), revents: 0)
                guard unsafe poll(&readable, 1, CInt(clamping: limit.inNanoseconds / 1_000_000)) > 0 else { return nil }
            }
            let count = unsafe read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    package func interrupt() { kill(process, SIGINT) }

    /// Its CPU time so far, in nanoseconds; 0 when it has exited.
    package var spent: Int64 {
        var (clock, time) = (clockid_t(), timespec())
        guard unsafe clock_getcpuclockid(process, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Its peak memory in KiB; nil when it has exited.
    package var peak: Int? { peakMemory(of: "\(process)") }

    /// Waits for its exit. Returns its exit status and its CPU time.
    package func wait() -> (status: UInt8, nanoseconds: Int64) {
        if usage == nil {
            var (status, used) = (CInt(0), rusage())
            while unsafe wait4(process, &status, 0, &used) < 0, errno == EINTR {}
            usage = (status, used)
        }
        guard let usage else { return (UInt8.max, 0) }
        let times = [usage.usage.ru_utime, usage.usage.ru_stime]
        let spent = times.reduce(Int64(0)) { $0 + Int64($1.tv_sec) * 1_000_000_000 + Int64($1.tv_usec) * 1000 }
        return (Launch.status(usage.status), spent)
    }

    deinit {
        Glibc.close(output)
        if usage == nil {
            kill(process, SIGKILL)
            _ = wait()
        }
    }
}

/// The peak memory of a process in KiB: `VmHWM` of proc(5); nil when there is no such process.
///
/// wait4(2) does not help: its figure is at least that of the parent at the start.
package func peakMemory(of process: String) -> Int? {
    guard let status = contents(of: "/proc/\(process)/status") else { return nil }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: { " \t".contains($0) }) ?? []
    return words.count > 1 ? Int(words[1]) : nil
}
