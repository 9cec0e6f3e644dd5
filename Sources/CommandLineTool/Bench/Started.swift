import Arguments

/// This program, started anew: how long it takes to an advertisement that is heard, and what memory.
enum Started {
    static func time() throws(CommandFailure) -> Figures {
        var best: (seconds: Double, spent: Int64)?
        for _ in 0..<5 {
            guard let once = try once() else { return .none("no advertisement was heard") }
            if best.map({ once.seconds < $0.seconds }) ?? true { best = (once.seconds, once.spent) }
        }
        return Figures(
            value: (best?.seconds ?? 0) * 1000, unit: "ms, best of 5", items: 1, nanoseconds: best?.spent ?? 0,
            allocations: nil, fault: nil)
    }

    static func memory() throws(CommandFailure) -> Figures {
        guard let once = try once() else { return .none("no advertisement was heard") }
        return Figures(
            value: Double(once.kilobytes) / 1024, unit: "MiB", items: 1, nanoseconds: once.spent, allocations: nil,
            fault: nil)
    }

    private static func once() throws(CommandFailure) -> (seconds: Double, spent: Int64, kilobytes: Int)? {
        let directory = try ScratchDirectory()
        let scenario = directory.path("scenario.json")
        try write(strap("\"value\": 62"), to: scenario)
        let meter = Meter()
        let child = try Child("/proc/self/exe", ["run", scenario, "--for", "1 s"])
        var heard: Int64?
        while let line = child.line() {
            if heard == nil, line.contains("found") { heard = meter.elapsed }
        }
        let used = child.wait()
        return heard.map { (Double($0) / 1e9, used.nanoseconds, used.kilobytes) }
    }
}
