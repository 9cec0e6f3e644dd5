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
        let settings = (played.ownSettings + played.settings).map(\.quoted).joined(separator: ", ")
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

    /// A folder below `path` for each of these cases: their ids, but that none leads out of it or to that of another.
    static func paths(of ids: [String], in path: String) -> [String] {
        var taken: Set<String> = []
        return ids.map { id in
            let words = id.split(separator: "/").filter { $0 != "." }.map { word in
                word == ".." ? "_" : String(word.map { $0.isASCII && ($0.asciiValue ?? 0) < 0x20 ? "_" : $0 })
            }
            var name = (words.isEmpty ? ["_"] : words).joined(separator: "/")
            while !taken.insert(name).inserted { name += "_" }
            return "\(path)/\(name)"
        }
    }

    /// Makes a folder and those above it that are not there.
    static func make(_ path: String) throws(CommandFailure) {
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
