package import Basics
import Glibc
import Linux

/// A command line of this program that runs again whenever a file changes, until a signal arrives.
///
/// Each run is a new process, which a change interrupts. Files are compared every 200 ms: that finds every kind of change,
/// on every kind of file system.
package struct WatchedCommand {
    private static let period: CInt = 200  // milliseconds

    private let words: [String]
    private let files: () -> [String]
    private let outputs: [String]

    /// `files` finds the files and folders that the command reads; it is called before each run. The command writes
    /// `outputs`, which may be in the same folders.
    package init(_ words: [String], reading files: @escaping () -> [String], writing outputs: [String]) {
        (self.words, self.files, self.outputs) = (words, files, outputs)
    }

    package func run() throws(Obstacle) -> ExitCode {
        let signals = Signals()
        defer { signals.close() }
        while true {
            let paths = files()
            let before = FileStates(of: paths, besides: outputs)
            var process: pid_t? = try Launch(OwnProgram.executable, words).start(output: STDOUT_FILENO)
            var last = before
            while true {
                if let number = signals.wait(milliseconds: Self.period) {
                    process.map { end($0, number) }
                    return .signal(number)
                }
                if let id = process, let status = exitStatus(of: id, waits: false) {
                    guard status != ExitCode.signal(SIGPIPE).status else { return .signal(SIGPIPE) }
                    process = nil
                    Console.warn("watching \(before.files.counted("file")); Ctrl-C ends")
                }
                let now = FileStates(of: paths, besides: outputs)
                // An editor may not be finished until nothing has changed for a while.
                guard now != before, now == last else {
                    last = now
                    continue
                }
                process.map { end($0, SIGINT) }
                let changed = now.changes(since: before).first ?? ""
                Console.warn("\(changed.quoted) has changed")
                break
            }
        }
    }

    private func end(_ process: pid_t, _ signal: Int32) {
        kill(process, signal)
        _ = exitStatus(of: process, waits: true)
    }

    /// Nil while the process runs.
    private func exitStatus(of process: pid_t, waits: Bool) -> Int32? {
        while true {
            var code: CInt = 0
            let ended = unsafe waitpid(process, &code, waits ? 0 : WNOHANG)
            if ended < 0, errno == EINTR { continue }
            return ended == 0 ? nil : Int32(Launch.status(code))
        }
    }
}
