import Arguments
import CLinux
import Glibc

/// A thread beside that of the command.
package enum DetachedThread {
    private final class Work: Sendable {
        package let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Does `body` on a thread of its own, which nobody waits for.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(CommandFailure) {
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
            throw CommandFailure(.environment, "cannot start a thread: \(reason) (ask for fewer --jobs)")
        }
        pthread_detach(thread)
    }
}

/// Signals that one thread takes, for another that waits for them.
package final class SignalRelay: Sendable {
    /// Where the other thread finds them.
    package let signals: Signals
    private let descriptor: CInt

    /// Throws when this process has no more descriptors.
    package init() throws(CommandFailure) {
        var ends: [CInt] = [0, 0]
        guard unsafe openPipe(&ends) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw CommandFailure(.environment, "cannot make a pipe: \(reason) (ask for fewer --jobs)")
        }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (signals, descriptor) = (Signals(passedOnTo: ends[0]), ends[1])
    }

    deinit {
        close(descriptor)
        signals.close()
    }

    /// Passes one on, from any thread; more than a pipe holds are lost, as those of the system are.
    package func send(_ number: Int32) {
        var info = signalfd_siginfo()
        info.ssi_signo = UInt32(bitPattern: number)
        _ = unsafe write(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
    }
}
