import Basics
import Cases
import CommandLineTool
import CommandSupport
import Conformance
import Linux

/// Clients made of Bumble in virtual time, each a process of Python.
struct VirtualTimeRows {
    private let bumble: Bumble
    private let directory: ScratchDirectory
    private let client: String

    private init(_ bumble: Bumble) throws(Obstacle) {
        self.bumble = bumble
        directory = try ScratchDirectory()
        client = directory.path("client.py")
        let new = try ChildProcess(program, ["new", "client", client])
        guard new.wait().status == 0 else { throw Obstacle(.environment, "\(program) made no client") }
    }

    private static let recovery = ["scenarios/recovery"]

    /// The cases of recovery, which take as long as `ratio` says in real time.
    static func recovery(_ bumble: Bumble) throws(Obstacle) -> Figures { try play(recovery, bumble) }

    /// The same with a program of BlueZ on a played bluetoothd.
    static func recoveryWithBlueZ(_ bumble: Bumble) throws(Obstacle) -> Figures {
        try play(recovery, bumble, with: "Tests/Clients/adapters/bleak_gatt.py", ["--system", "bluez"])
    }

    /// All suites for clients.
    static func suites(_ bumble: Bumble) throws(Obstacle) -> Figures {
        let suites = ["clients", "collector", "formats", "recovery", "errors", "security"].map { "scenarios/\($0)" }
        return try play(suites, bumble)
    }

    /// Plays suites with a client; nil: the one that `new client` makes.
    private static func play(
        _ suites: [String], _ bumble: Bumble, with client: String? = nil, _ options: [String] = []
    ) throws(Obstacle) -> Figures {
        let rows = try VirtualTimeRows(bumble)
        let cases: [Case]
        do throws(Obstacle) { cases = try discoverCases(suites) } catch {
            return .none("run it in the root of Lubdub's repository: \(error.description)")
        }
        let meter = Meter()
        let run = try rows.run(suites + ["--jobs", "2"] + options, with: client)
        guard let run, run.count == cases.count else { return .none("not each case has a verdict") }
        let seconds = Double(meter.elapsed) / 1e9
        return Figures(
            value: seconds, unit: "s for \(decimal(run.seconds / 60, 0)) min of cases", items: cases.count,
            nanoseconds: run.spent, allocations: nil, fault: nil, speed: run.seconds / seconds)
    }

    /// What another second costs when a client only waits for the values of a strap.
    static func second(_ bumble: Bumble) throws(Obstacle) -> Figures {
        let rows = try VirtualTimeRows(bumble)
        let (short, long) = (20, 620)
        var costs: [Int64] = []
        for seconds in [short, long] {
            guard let run = try rows.run(["scenarios/resting.json", "--for", "\(seconds) s"]), run.count > 0,
                run.seconds > Double(seconds - 1)
            else { return .none("the client did not play to the end") }
            costs.append(run.spent)
        }
        let spent = costs[1] - costs[0]
        return Figures(
            value: Double(spent) / 1e6 / Double(long - short), unit: "ms of CPU per virtual second",
            items: long - short, nanoseconds: spent, allocations: nil, fault: nil)
    }

    /// The number of verdicts or measurements, the virtual time, and the CPU time of all processes; nil without a summary.
    private func run(
        _ arguments: [String], with other: String? = nil
    ) throws(Obstacle) -> (count: Int, seconds: Double, spent: Int64)? {
        let command = "'\(bumble.python)' '\(other ?? client)'"
        let child = try ChildProcess(
            program, ["run", "--quiet"] + arguments + ["--client", command, "--speed", "max"])
        var summary: (count: Int, seconds: Double)?
        while let line = child.line() { summary = Self.summary(line) ?? summary }
        let (status, spent) = child.wait()
        guard status <= 1, let summary else { return nil }
        return (summary.count, summary.seconds, spent)
    }

    /// Reads `17 pass, 4 fail, 1 inconclusive, 0 skip, 0 error in 2263.0 s of virtual time`, or `59 measurements in …`.
    private static func summary(_ line: String) -> (count: Int, seconds: Double)? {
        guard line.hasSuffix(" s of virtual time") else { return nil }
        let words = line.split(whereSeparator: { " ,".contains($0) })
        guard let place = words.firstIndex(of: "in"), let seconds = Double(words[place + 1]) else { return nil }
        return (words[..<place].compactMap { Int($0) }.reduce(0, +), seconds)
    }
}
