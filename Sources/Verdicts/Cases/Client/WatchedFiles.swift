import Conformance
package import Documents
import Linux
import ScenarioLanguage

/// The files and folders that a command reads to find and read scenarios: operands, their folders, and what scenarios
/// include.
package enum WatchedFiles {
    /// Of cases to run. With a file that is malformed, as many as can be found.
    package static func ofCases(_ operands: [String], variables: [String: Node]) -> [String] {
        var files = operands
        let discovery = SuiteDiscovery(operands, in: .real(operands).noting { files.append($0) })
        for item in discovery.cases {
            read(item.path, variables: item.variables.merging(variables) { $1 }, into: &files)
        }
        return files
    }

    /// Of documents to validate.
    package static func ofDocuments(_ operands: [String]) -> [String] {
        var files = operands
        let (paths, _) = SuiteDiscovery.documents(operands, in: .real(operands).noting { files.append($0) })
        for path in paths { read(path, variables: [:], into: &files) }
        return files
    }

    private static func read(_ path: String, variables: [String: Node], into files: inout [String]) {
        var read: [String] = []
        _ = ScenarioFile.read(path, variables: variables) { path in
            read.append(path)
            return contents(of: path)
        }
        files += read
    }
}
