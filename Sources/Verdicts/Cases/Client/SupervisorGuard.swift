import Basics
import CLubdubLinux
import Glibc
import Linux

/// The parent of a ``Supervisor``: it does the supervisor's work if a client kills its parent.
///
/// Each of the two ends all processes of the client when Lubdub or the other one has ended, so a client would have to kill
/// both before one of them runs. It only looks for the end of the stream from Lubdub; the supervisor reads it.
package struct SupervisorGuard {
    /// The first argument of a guard, before the process ID of Lubdub and the client's command line.
    package static let word = "--guard"
    /// For how many beats the supervisor may end the client after Lubdub's end, before it is killed, too: 1 s.
    private static let patience = 50

    private let tree: ProcessTree
    private let supervisor: pid_t
    private var status: UInt8?

    /// Runs a supervisor until that ends or Lubdub closes the channel, and returns the supervisor's exit status.
    package static func run(_ command: String, below parent: Int32) -> Int32 {
        do throws(Obstacle) {
            var shield = try SupervisorGuard(command, below: parent)
            shield.serve()
            shield.endAll()
            shield.removeLeftFile()
            return Int32(shield.status ?? 0)
        } catch {
            Notices.warn(error.description)
            return error.code.status
        }
    }

    private init(_ command: String, below parent: pid_t) throws(Obstacle) {
        tree = ProcessTree(below: parent)
        var launch = Launch(OwnProgram.executable, [Supervisor.word, "\(getpid())", command])
        // Another group, so that one call of kill(2) cannot end both.
        launch.leadsGroup = true
        launch.input = ProcessTree.channel
        supervisor = try tree.start(launch)
    }

    private mutating func serve() {
        while status == nil {
            let events = tree.wait(for: peerEndedWriting, -1)
            tree.reap { ended($0, $1) }
            if events.channel != 0 || events.hasParentEnded { break }
        }
        for _ in 0..<Self.patience where status == nil {
            _ = tree.wait(for: nil, ProcessTree.beat)
            tree.reap { ended($0, $1) }
        }
    }

    private mutating func endAll() { tree.endAll { ended($0, $1) } }

    /// Removes the file of virtual time that Lubdub leaves when it is killed.
    private func removeLeftFile() {
        // A process that is killed closes its descriptors a moment before it ends.
        for _ in 0..<Self.patience where !tree.hasParentEnded {
            guard tree.wait(for: peerEndedWriting, 0).channel & CShort(POLLHUP) != 0 else { return }
            usleep(UInt32(ProcessTree.beat) * 1000)
        }
        if tree.hasParentEnded { ClientTime.removeFile() }
    }

    private mutating func ended(_ child: pid_t, _ code: CInt) {
        if child == supervisor { status = Launch.status(code) }
    }
}
