import Basics
import CLubdubLinux
import Glibc
import Linux
import Synchronization

/// A process that restores an adapter's power when a ``BorrowedAdapter`` is closed, also when Lubdub is killed.
///
/// It is another process of Lubdub's program, in its own process group, and waits for the end of its standard input.
/// Switching the adapter on makes the kernel reset the controller, which would advertise further otherwise.
package final class AdapterKeeper: Sendable {
    /// The first argument of a keeper, before the adapter's index and `on` or `off`.
    package static let word = "--keep-adapter"
    /// With the pauses, how long the kernel and bluetoothd can take until the adapter is theirs again: 5 s.
    private static let maximumAttempts = 100
    private static let pause: useconds_t = 50_000

    private let process: pid_t
    private let pipe: Mutex<CInt?>

    /// Starts a keeper.
    init(_ adapter: UInt16, wasOn: Bool) throws(AdapterFailure) {
        var ends: [CInt] = [0, 0]
        guard unsafe openPipe(&ends) == 0 else { throw .system(code: errno) }
        var launch = Launch(OwnProgram.executable, [Self.word, "\(adapter)", wasOn ? "on" : "off"])
        launch.leadsGroup = true
        launch.input = ends[0]
        pipe = Mutex(ends[1])
        defer { close(ends[0]) }
        do throws(Obstacle) { process = try launch.start(output: STDERR_FILENO) } catch {
            close(ends[1])
            throw .noKeeper(error.description)
        }
    }

    deinit { restore() }

    /// Waits until the adapter is as it was.
    func restore() {
        guard let end = pipe.withLock({ $0.take() }) else { return }
        close(end)
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Waits for the end of standard input, then restores the adapter. Returns the exit status.
    package static func run(_ words: [String]) -> Int32 {
        guard words.count == 2, let adapter = UInt16(words[0]) else { return ExitCode.usage.status }
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { Glibc.signal(signal, SIG_IGN) }
        var octet: UInt8 = 0
        while true {
            let count = unsafe read(STDIN_FILENO, &octet, 1)
            if count == 0 || count < 0 && errno != EINTR { break }
        }
        do throws(AdapterFailure) {
            try restore(adapter, isOn: words[1] == "on")
            return ExitCode.success.status
        } catch {
            Notices.warn("\(error.message(about: adapter))")
            return ExitCode.environment.status
        }
    }

    /// Switches an adapter on and, if it was off, off again.
    static func restore(_ adapter: UInt16, isOn: Bool) throws(AdapterFailure) {
        let management = try ManagementChannel()
        for state in isOn ? [true] : [true, false] {
            var attempts = maximumAttempts
            while attempts > 0, try !setPower(of: adapter, isOn: state, by: management, isLast: attempts == 1) {
                usleep(pause)
                attempts -= 1
            }
        }
    }

    /// Returns false if the kernel is not ready, because bluetoothd takes the adapter at this time.
    private static func setPower(
        of adapter: UInt16, isOn: Bool, by management: borrowing ManagementChannel, isLast: Bool
    ) throws(AdapterFailure) -> Bool {
        do throws(AdapterFailure) { try management.setPower(of: adapter, isOn: isOn) } catch {
            if wasUnplugged(adapter) { return true }
            guard !isLast, [.refused(.busy), .refused(.invalidIndex)].contains(error) else { throw error }
            return false
        }
        return true
    }

    /// Not if there is no /sys that tells.
    private static func wasUnplugged(_ adapter: UInt16) -> Bool {
        let folder = "/sys/class/bluetooth"
        return unsafe access(folder, F_OK) == 0 && access("\(folder)/hci\(adapter)", F_OK) != 0
    }
}
