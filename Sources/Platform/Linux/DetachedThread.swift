package import Basics
import CLinux
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

    /// Throws when the process has no free descriptors.
    package init() throws(Obstacle) {
        var ends: [CInt] = [0, 0]
        guard unsafe openPipe(&ends) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            let fix = "use fewer --jobs, or raise the limit of open files: ulimit -n"
            throw Obstacle(.environment, "cannot make a pipe: \(reason) (\(fix))")
        }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (signals, descriptor) = (Signals(passedOnTo: ends[0]), ends[1])
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
