package import Basics
import CLubdubLinux
import Glibc

package enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(Obstacle) {
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { work in
                if let work = unsafe work { unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            let reason = unsafe String(cString: strerror(code))
            throw Obstacle(.environment, "cannot start a thread: \(reason) (use fewer --jobs)")
        }
        pthread_detach(thread)
    }
}

/// Forwards signals from one thread to another.
package final class SignalRelay: Sendable {
    package let signals: Signals
    private let descriptor: CInt

    /// Throws when the process has too few free descriptors for a case, whose files could not be opened.
    package init() throws(Obstacle) {
        var ends: [CInt] = [-1, -1]
        guard unsafe openPipe(&ends) == 0, Self.hasRoom(beside: ends[0]) else {
            let reason = unsafe String(cString: strerror(errno))
            for end in ends where end >= 0 { close(end) }
            let fix = "use fewer --jobs, or raise the limit of open files: ulimit -n"
            throw Obstacle(.environment, "cannot open the files of a case: \(reason) (\(fix))")
        }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (signals, descriptor) = (Signals(passedOnTo: ends[0]), ends[1])
    }

    /// The descriptors of a case with a client: its output, its controller, its logs, and what waits for them.
    private static let descriptorsOfCase = 20

    /// Whether a case finds free descriptors; if not, `errno` has the reason.
    private static func hasRoom(beside descriptor: CInt) -> Bool {
        var probes: [CInt] = []
        while probes.count < descriptorsOfCase {
            let probe = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard probe >= 0 else { break }
            probes.append(probe)
        }
        let reason = errno
        for probe in probes { close(probe) }
        errno = reason
        return probes.count == descriptorsOfCase
    }

    deinit {
        close(descriptor)
        signals.close()
    }

    /// Forwards a signal, from any thread; signals beyond the pipe's capacity are lost.
    package func send(_ number: Int32) {
        var info = signalfd_siginfo()
        info.ssi_signo = UInt32(bitPattern: number)
        _ = unsafe write(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
    }
}
