import Arguments
package import CommandSupport
import Glibc
import Reporting
import Scenarios
import Simulation
import TextFormatting

/// The folder of `--keep`: everything that is needed to inspect or repeat a run.
package struct ArtifactDirectory {
    package let path: String

    package var events: String { "\(path)/events.jsonl" }
    package var trace: String { "\(path)/trace.btsnoop" }

    /// Creates the folder, and writes the scenario's text, and `run.json` with the seed, the variables of the command line,
    /// and the limit in seconds.
    package init(_ path: String, _ configuration: RunConfiguration, source: [UInt8]) throws(CommandFailure) {
        self.path = path
        try makeFolders(path)
        let settings = (configuration.ownSettings + configuration.settings).map(\.quoted).joined(separator: ", ")
        let limit = Instant.start.advanced(by: configuration.scenario.limit)
        let run = """
            {"lubdub": \(version.quoted), "scenario": \(configuration.path.quoted), "seed": \(configuration.seed), \
            "set": [\(settings)], "limit": \(limit)}

            """
        try orFail(.environment) {
            for (name, octets) in [("scenario.json", source), ("run.json", Array(run.utf8))] where !octets.isEmpty {
                let file = try OutputFile("\(path)/\(name)")
                file.write(octets[...])
                try file.close()
            }
        }
    }

    /// The folders of cases below `path`: their ids, made unique, and without `..`.
    package static func paths(of ids: [String], in path: String) -> [String] {
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
}
