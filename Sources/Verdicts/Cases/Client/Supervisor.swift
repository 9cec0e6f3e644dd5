import Basics
import CLubdubLinux
import Glibc
import Linux

/// The process between Lubdub and a client under test; it ends whatever the client has started.
///
/// It is another process of Lubdub's program, the parent of the client, and the child of a ``SupervisorGuard``. Its
/// standard input is a socket to Lubdub. Each octet from Lubdub is the number of a signal for the client's process group;
/// the end of the stream, also when Lubdub is killed, ends all descendants. It writes the exit status of the client's
/// shell, and then another octet when the group is gone.
package struct Supervisor {
    /// The first argument of a supervisor, before the process ID of its parent and the client's command line.
    package static let word = "--supervise"
    private static let shell = "/bin/sh"

    private let tree: ProcessTree
    private let process: pid_t
    private var hasExited = false
    private var groupIsGone = false
    /// Then the client ends because of that.
    private var hasLostGuard = false

    /// Runs a client until Lubdub closes the channel, and returns the exit status.
    package static func run(_ command: String, below parent: Int32) -> Int32 {
        do throws(Obstacle) {
            var supervisor = try Supervisor(command, below: parent)
            supervisor.serve()
            supervisor.endAll()
            return 0
        } catch {
            Notices.warn(error.description)
            return error.code.status
        }
    }

    private init(_ command: String, below parent: pid_t) throws(Obstacle) {
        tree = ProcessTree(below: parent)
        var launch = Launch(Self.shell, ["-c", command])
        launch.leadsGroup = true
        if let preloading = ClientTimeLibrary.preloading {
            launch.environment = [preloading]
            ClientTimeLibrary.fixAddresses()
        }
        process = try tree.start(launch)
    }

    private mutating func serve() {
        while true {
            let events = tree.wait(for: CShort(POLLIN), hasExited && !groupIsGone ? ProcessTree.beat : -1)
            hasLostGuard = events.hasParentEnded
            guard !hasLostGuard else { return }
            if events.channel != 0, !passOnSignal() { return }
            tree.reap { ended($0, $1) }
            if hasExited, !groupIsGone, kill(-process, 0) != 0, errno == ESRCH {
                groupIsGone = true
                report(0)
            }
        }
    }

    /// Returns false if Lubdub has closed the channel.
    private func passOnSignal() -> Bool {
        var number: UInt8 = 0
        guard unsafe read(ProcessTree.channel, &number, 1) > 0 else { return false }
        if !groupIsGone { kill(-process, CInt(number)) }
        return true
    }

    private mutating func endAll() { tree.endAll { ended($0, $1) } }

    private mutating func ended(_ child: pid_t, _ code: CInt) {
        guard child == process else { return }
        hasExited = true
        report(Launch.status(code))
    }

    private func report(_ octet: UInt8) {
        guard !hasLostGuard else { return }
        var octet = octet
        _ = unsafe send(ProcessTree.channel, &octet, 1, CInt(MSG_NOSIGNAL))
    }
}
