import Arguments
import CLinux
import CommandSupport
import Glibc

/// The process between Lubdub and a client under test; it ends whatever the client has started.
///
/// It is another process of Lubdub's program, and a subreaper: a process stays its descendant however it detaches, with
/// another session, an empty environment, or as a daemon. Its standard input is a socket to Lubdub. Each octet from
/// Lubdub is the number of a signal for the client's process group; the end of the stream, also when Lubdub is killed,
/// ends all descendants. It writes the exit status of the client's shell, and then another octet when the group is
/// gone.
package struct Supervisor: ~Copyable {
    /// The first argument of a supervisor, before the client's command line.
    package static let word = "--supervise"
    private static let shell = "/bin/sh"
    private static let channel = STDIN_FILENO
    /// How often it looks for the group's end, of which no signal tells.
    private static let beat: CInt = 20

    private let ends: CInt  // readable when children have ended
    private let process: pid_t
    private var hasExited = false
    private var groupIsGone = false

    /// Runs a client until Lubdub closes the channel, and returns the exit status.
    package static func run(_ command: String) -> Int32 {
        var supervisor: Supervisor
        do throws(CommandFailure) { supervisor = try Supervisor(command) } catch {
            Console.warn("\(error.description)")
            return error.code.status
        }
        supervisor.serve()
        supervisor.endAll()
        return 0
    }

    private init(_ command: String) throws(CommandFailure) {
        _ = adoptOrphans()
        // Only Lubdub ends it. The client inherits no blocked signal.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe sigprocmask(SIG_BLOCK, &signals, nil)
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGCHLD)
        ends = unsafe signalfd(-1, &signals, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        var launch = Launch(Self.shell, ["-c", command])
        launch.leadsGroup = true
        process = try launch.start(output: STDOUT_FILENO)
        // The client's output ends with the client.
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(nothing, descriptor) }
    }

    private mutating func serve() {
        while !isClosed(for: hasExited && !groupIsGone ? Self.beat : -1) {
            reap()
            if hasExited, !groupIsGone, kill(-process, 0) != 0, errno == ESRCH {
                groupIsGone = true
                report(0)
            }
        }
    }

    /// Waits for Lubdub or for the end of a child. Passes on signals; true if Lubdub has closed the channel.
    private func isClosed(for milliseconds: CInt) -> Bool {
        var watched = [
            pollfd(fd: Self.channel, events: CShort(POLLIN), revents: 0),
            pollfd(fd: ends, events: CShort(POLLIN), revents: 0),
        ]
        guard unsafe poll(&watched, 2, milliseconds) > 0 else { return false }
        skipEnds()
        guard watched[0].revents != 0 else { return false }
        var number: UInt8 = 0
        guard unsafe read(Self.channel, &number, 1) > 0 else { return true }
        if !groupIsGone { kill(-process, CInt(number)) }
        return false
    }

    private func skipEnds() {
        var info = signalfd_siginfo()
        while unsafe read(ends, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {}
    }

    /// Takes the children that have ended; false if there are no children any more.
    @discardableResult
    private mutating func reap() -> Bool {
        while true {
            var code = CInt(0)
            let ended = unsafe waitpid(-1, &code, WNOHANG)
            guard ended > 0 else { return ended == 0 }
            guard ended == process else { continue }
            hasExited = true
            report(Launch.status(code))
        }
    }

    private func report(_ octet: UInt8) {
        var octet = octet
        _ = unsafe send(Self.channel, &octet, 1, CInt(MSG_NOSIGNAL))
    }

    /// Kills all descendants, again and again, until none is left but those of another user.
    private mutating func endAll() {
        while reap() {
            let mayKill = descendants(of: getpid()).map { kill($0, SIGKILL) == 0 || errno != EPERM }
            guard mayKill.isEmpty || mayKill.contains(true) else { return }
            var watched = pollfd(fd: ends, events: CShort(POLLIN), revents: 0)
            _ = unsafe poll(&watched, 1, Self.beat)
            skipEnds()
        }
    }
}

/// The children of a process, their children and so on, each after its parent.
func descendants(of process: pid_t) -> [pid_t] {
    var found = [process]
    var next = 0
    while next < found.count {
        let tasks = "/proc/\(found[next])/task"
        for task in folderEntries(tasks) {
            let children = String(decoding: contents(of: "\(tasks)/\(task)/children") ?? [], as: UTF8.self)
            found += children.split(separator: " ").compactMap { pid_t($0) }
        }
        next += 1
    }
    return Array(found.dropFirst())
}
