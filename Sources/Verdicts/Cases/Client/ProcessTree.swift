import Basics
import CLubdubLinux
import Glibc
import Linux

/// The processes below this one, which it ends however they have detached.
///
/// This process is a subreaper: a process stays its descendant with another session, an empty environment, or as a daemon.
/// Only SIGKILL ends it. Its standard input is a socket to Lubdub.
struct ProcessTree {
    static let channel = STDIN_FILENO
    /// How often it looks for what no signal tells.
    static let beat: CInt = 20
    /// Wakes it when its parent has ended, or the parent's thread that started it.
    private static let parentsEnd = SIGHUP

    private let parent: pid_t
    private let signals: CInt  // readable when children, or the parent, have ended

    /// `parent` is in the arguments because it may end at any time.
    init(below parent: pid_t) {
        self.parent = parent
        _ = adoptOrphans()
        _ = signalParentsEnd(Self.parentsEnd)
        // Children inherit no blocked signal.
        var set = sigset_t()
        unsafe sigfillset(&set)
        unsafe sigprocmask(SIG_BLOCK, &set, nil)
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGCHLD)
        unsafe sigaddset(&set, Self.parentsEnd)
        signals = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    }

    /// Starts a child with the output and the errors of this process, which gives them up, so that they end with the
    /// child's.
    func start(_ launch: Launch) throws(Obstacle) -> pid_t {
        let process = try launch.start(output: STDOUT_FILENO)
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(nothing, descriptor) }
        return process
    }

    /// Waits for `events` of the channel, if any, or for the end of a child or of the parent.
    func wait(for events: CShort?, _ milliseconds: CInt) -> (channel: CShort, hasParentEnded: Bool) {
        var watched = [
            pollfd(fd: events == nil ? -1 : Self.channel, events: events ?? 0, revents: 0),
            pollfd(fd: signals, events: CShort(POLLIN), revents: 0),
        ]
        let hasEvents = unsafe poll(&watched, 2, milliseconds) > 0
        var info = signalfd_siginfo()
        while unsafe read(signals, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {}
        return (hasEvents ? watched[0].revents : 0, hasParentEnded)
    }

    var hasParentEnded: Bool { getppid() != parent }

    /// Takes the children that have ended; false if there are no children any more.
    @discardableResult
    func reap(_ handle: (_ child: pid_t, _ status: CInt) -> Void) -> Bool {
        while true {
            var code = CInt(0)
            let ended = unsafe waitpid(-1, &code, WNOHANG)
            guard ended > 0 else { return ended == 0 }
            handle(ended, code)
        }
    }

    /// Kills all descendants, again and again, until none is left but those of another user.
    func endAll(_ handle: (_ child: pid_t, _ status: CInt) -> Void) {
        while reap(handle) {
            let mayKill = descendants(of: getpid()).map { kill($0, SIGKILL) == 0 || errno != EPERM }
            guard mayKill.isEmpty || mayKill.contains(true) else { return }
            _ = wait(for: nil, Self.beat)
        }
    }
}

/// The children of a process, their children and so on, each after its parent.
func descendants(of process: pid_t) -> [pid_t] {
    descendants(of: process, hasLists: unsafe access("/proc/self/task/\(getpid())/children", F_OK) == 0)
}

/// `hasLists`: whether the kernel has lists of children (CONFIG_PROC_CHILDREN).
func descendants(of process: pid_t, hasLists: Bool) -> [pid_t] {
    let parents = hasLists ? [] : parents()
    var found = [process]
    var next = 0
    while next < found.count {
        let parent = found[next]
        found += hasLists ? listedChildren(of: parent) : parents.filter { $0.parent == parent }.map(\.process)
        next += 1
    }
    return Array(found.dropFirst())
}

private func listedChildren(of process: pid_t) -> [pid_t] {
    let tasks = "/proc/\(process)/task"
    return folderEntries(tasks).flatMap { task in
        String(decoding: contents(of: "\(tasks)/\(task)/children") ?? [], as: UTF8.self)
            .split(separator: " ").compactMap { pid_t($0) }
    }
}

/// All processes and their parents.
private func parents() -> [(process: pid_t, parent: pid_t)] {
    folderEntries("/proc").compactMap { pid_t($0) }.compactMap { process in
        // proc(5): the number, the name in brackets, which may contain anything, the state, and the parent.
        let text = String(decoding: contents(of: "/proc/\(process)/stat") ?? [], as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        return text[end...].split(separator: " ").dropFirst(2).first.flatMap { pid_t($0) }.map { (process, $0) }
    }
}
