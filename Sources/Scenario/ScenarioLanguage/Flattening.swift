package import Documents
import Scenarios

extension ScenarioFile {
    /// Merges a scenario without problems into one file, with its includes, and with values for variables.
    ///
    /// - Parameters:
    ///   - file: The scenario's path.
    ///   - variables: Values that override the file's own.
    ///   - name: Returns the new path of a file that the scenario names.
    ///   - load: Returns the content of the file at a path; nil if there is none.
    /// - Returns: The root of the merged file, without `$schema`; nil if the file is not a scenario.
    package static func flattened(
        _ file: String, variables: [String: Node] = [:], naming name: (String) -> String, load: (String) -> [UInt8]?
    ) -> Node? {
        withoutActuallyEscaping(load) { load in
            let loader = Loader(log: ProblemLog(), load: load)
            guard let root = loader.root(of: file), root["kind"]?.string != "suite" else { return nil }
            let files = loader.resolved(root, overrides: variables)
            guard let last = files.last else { return nil }
            let lists = ["tags", "devices", "script", "expect"]
            let left = last.entries.filter { member, _ in
                !(lists + ["$schema", "include", "variables"]).contains(member.key)
            }
            let joined = lists.compactMap { key -> (key: String, node: Node)? in
                let items = files.flatMap { $0[key]?.items ?? [] }.map { $0.renamingFiles(name) }
                return items.isEmpty ? nil : (key, Node(.array(items)))
            }
            return .object(left.map { ($0.member.key, $0.value.node) } + joined)
        }
    }
}

extension Cursor {
    /// The tree with new paths of csv files.
    fileprivate func renamingFiles(_ name: (String) -> String) -> Node {
        switch node.value {
        case .array: return Node(.array(items.map { $0.renamingFiles(name) }))
        case .object:
            let isFileCurve = self["curve"]?.string == "csv"
            return .object(
                entries.map { member, value in
                    guard isFileCurve, member.key == "file", let path = value.string else {
                        return (member.key, value.renamingFiles(name))
                    }
                    return (member.key, Node(.string(name(Loader.path(path, from: file)))))
                })
        default: return node
        }
    }
}
