import Arguments
import CommandSupport
import Glibc
import Spelling

/// Bumble (https://google.github.io/bumble/), which does the same work in its own process.
struct Bumble {
    /// What a row's work costs there.
    struct Figures {
        let microsecondsPerItem: Double
    }

    private let python: String

    /// Nil when there is none at the usual place; a place that somebody names is believed.
    init?(_ named: String?) {
        let usual = ".venv/bin/python"
        guard let python = named ?? (Self.isProgram(usual) ? usual : nil) else { return nil }
        self.python = python
    }

    private static func isProgram(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// Has one row measured.
    func measure(_ row: String) throws(CommandFailure) -> Figures {
        let script = String(decoding: PackageResources.bumble_py, as: UTF8.self)
        let child = try ChildProcess(python, ["-c", script, row])
        var figures: Figures?
        while let line = child.line() {  // the count and the microseconds of each
            let words = line.split(separator: " ")
            if words.count == 2, let count = Int(words[0]), count > 0, let each = Double(words[1]) {
                figures = Figures(microsecondsPerItem: each)
            }
        }
        let status = child.wait().status
        guard status == 0, let figures else {
            throw CommandFailure(.environment, "\(python.quoted) cannot run Bumble: it ended with \(status)")
        }
        return figures
    }
}
