import Basics
import Cases
import CommandSupport
import Linux

/// `check` of a heart-rate strap made of Bumble's profiles, over TCP and in real time.
enum CheckRow {
    static func measure(_ bumble: Bumble, _ options: [String] = []) throws(Obstacle) -> Figures {
        let meter = Meter()
        let check = try ChildProcess(
            program,
            ["check", "--controller", "tcp:127.0.0.1:0", "--peer", Bumble.strapAddress, "--quiet"] + options)
        guard let address = check.line()?.split(separator: " ").last else {
            return .none("check did not offer a controller")
        }
        let strap = try bumble.strap(over: String(address))
        var effort: (connections: Int, requests: Int)?
        while let line = check.line() { effort = Self.effort(line) ?? effort }
        let seconds = Double(meter.elapsed) / 1e9
        let (status, spent) = check.wait()
        strap.interrupt()
        guard status <= 1, let effort else { return .none("check ended with status \(status)") }
        return Figures(
            value: seconds, unit: "s, \(effort.connections) connections", items: effort.requests, nanoseconds: spent,
            allocations: nil, fault: nil)
    }

    /// Reads `21 connections, 930 requests, 61.5 s`.
    private static func effort(_ line: String) -> (connections: Int, requests: Int)? {
        let words = line.split(whereSeparator: { " ,".contains($0) })
        guard words.count == 6, words[1].hasPrefix("connection"), words[3].hasPrefix("request"),
            let connections = Int(words[0]), let requests = Int(words[2])
        else { return nil }
        return (connections, requests)
    }
}
