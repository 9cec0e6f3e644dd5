import Basics
import CommandSupport
import Linux

/// The time and memory of a new process of Lubdub, up to the first advertisement that its client receives.
enum StartupRows {
    static func time() throws(Obstacle) -> Figures {
        var best: (seconds: Double, spent: Int64)?
        for _ in 0..<5 {
            let directory = try ScratchDirectory()
            let meter = Meter()
            let child = try start(in: directory)
            guard findsStrap(child) else { return .none("no advertisement was received") }
            let seconds = Double(meter.elapsed) / 1e9
            while child.line() != nil {}
            let spent = child.wait().nanoseconds
            if best.map({ seconds < $0.seconds }) ?? true { best = (seconds, spent) }
        }
        return Figures(
            value: (best?.seconds ?? 0) * 1000, unit: "ms, best of 5", items: 1, nanoseconds: best?.spent ?? 0,
            allocations: nil, fault: nil)
    }

    static func memory() throws(Obstacle) -> Figures {
        let directory = try ScratchDirectory()
        // In real time it still runs when the advertisement arrives.
        let child = try start(in: directory, ["--speed", "1"])
        guard findsStrap(child) else { return .none("no advertisement was received") }
        guard let peak = child.peak else { return .none("its memory is unknown: /proc is not mounted") }
        child.interrupt()
        return Figures(
            value: Double(peak) / 1024, unit: "MiB", items: 1, nanoseconds: child.wait().nanoseconds, allocations: nil,
            fault: nil)
    }

    private static func start(
        in directory: ScratchDirectory, _ options: [String] = []
    ) throws(Obstacle) -> ChildProcess {
        let scenario = directory.path("scenario.json")
        try write(strap("\"value\": 62"), to: scenario)
        return try ChildProcess(program, ["run", scenario, "--for", "1 s"] + options)
    }

    /// Waits until the client has found the strap; false when it exits before.
    private static func findsStrap(_ child: ChildProcess) -> Bool {
        while let line = child.line() {
            if line.contains("found") { return true }
        }
        return false
    }
}
