import Basics
import Cases
import CommandSupport
import Glibc
import Linux

/// A benchmark's work in another program.
enum Twin {
    /// The row of Bumble with this name.
    case bumble(String)
    /// The strap at BlueZoo of `SystemRow`.
    case blueZoo

    /// How often Lubdub and the other program are measured in turn.
    var turns: Int {
        switch self {
        case .bumble: 5
        case .blueZoo: 2
        }
    }

    func measure(_ bumble: Bumble) throws(Obstacle) -> Bumble.Figures {
        switch self {
        case .bumble(let row): try bumble.measure(row)
        case .blueZoo: try SystemRow.measureBlueZoo(bumble)
        }
    }
}

/// Bumble (https://google.github.io/bumble/), which does the same work in another process.
struct Bumble {
    /// The cost of a benchmark's work.
    struct Figures {
        let microsecondsPerItem: Double
    }

    let python: String

    /// Takes the named interpreter, or `.venv/bin/python`; nil when that does not exist.
    init?(_ named: String?) {
        let standard = ".venv/bin/python"
        guard let python = named ?? (Self.isProgram(standard) ? standard : nil) else { return nil }
        self.python = python
    }

    private static func isProgram(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// The address of `strap`.
    static let strapAddress = "C0:FF:EE:00:00:01"

    /// Starts a heart-rate strap over the controller at an address; it ends with the process.
    func strap(over address: String) throws(Obstacle) -> ChildProcess {
        try ChildProcess(python, ["-c", Self.script, "strap", address])
    }

    private static var script: String { String(decoding: PackageResources.bumble_py, as: UTF8.self) }

    /// Starts the interpreter with a program of BlueZ, which uses the bus with this socket.
    func program(_ arguments: [String], onBus path: String) throws(Obstacle) -> ChildProcess {
        try ChildProcess("/usr/bin/env", ["DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(path)", python] + arguments)
    }

    func measure(_ row: String) throws(Obstacle) -> Figures {
        let child = try ChildProcess(python, ["-c", Self.script, row])
        var figures: Figures?
        while let line = child.line() {  // the count, and the microseconds per item
            let words = line.split(separator: " ")
            if words.count == 2, let count = Int(words[0]), count > 0, let each = Double(words[1]) {
                figures = Figures(microsecondsPerItem: each)
            }
        }
        let status = child.wait().status
        guard status == 0, let figures else {
            throw Obstacle(.environment, "\(python.quoted) cannot run Bumble: it exited with status \(status)")
        }
        return figures
    }
}
