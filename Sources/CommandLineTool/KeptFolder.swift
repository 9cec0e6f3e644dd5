import Arguments
import Glibc
import Reporting
import Scenarios
import Simulation
import Spelling

/// The folder that `--keep` names: everything that is needed to see a run again, or to play it again.
struct KeptFolder {
    let path: String

    var events: String { "\(path)/events.jsonl" }
    var trace: String { "\(path)/trace.btsnoop" }

    /// Makes the folder and those above it, and puts into it what is known before anything happens: the scenario's
    /// text, and in `run.json` the seed, the variables that the command line set, and the limit in seconds.
    init(_ path: String, _ played: Played, source: [UInt8]) throws(CommandFailure) {
        self.path = path
        try Self.make(path)
        let settings = played.settings.map(\.quoted).joined(separator: ", ")
        let limit = Instant.start.advanced(by: played.scenario.limit)
        let run = """
            {"lubdub": \(version.quoted), "scenario": \(played.path.quoted), "seed": \(played.seed), \
            "set": [\(settings)], "limit": \(limit)}

            """
        do throws(OutputFailure) {
            for (name, octets) in [("scenario.json", source), ("run.json", Array(run.utf8))] where !octets.isEmpty {
                let file = try OutputFile("\(path)/\(name)")
                file.write(octets[...])
                try file.close()
            }
        } catch { throw CommandFailure(.environment, "lubdub: \(error)") }
    }

    private static func make(_ path: String) throws(CommandFailure) {
        var end = path.startIndex
        repeat {
            end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
            let folder = String(path[..<end])
            guard unsafe mkdir(folder, 0o755) != 0, errno != EEXIST else { continue }
            let reason = unsafe String(cString: strerror(errno))
            throw CommandFailure(
                .environment,
                "lubdub: cannot make the folder \(folder.quoted): \(reason) (choose one that you may write to)")
        } while end < path.endIndex
    }
}
