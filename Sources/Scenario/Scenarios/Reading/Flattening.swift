public import Documents

extension ScenarioFile {
    /// A scenario without problems as one file: with what it includes in its place, and values instead of variables.
    ///
    /// - Parameters:
    ///   - file: As ``read(_:variables:load:)`` takes it.
    ///   - variables: As that takes them.
    ///   - name: What the new file is to call a file that the scenario names, by its path.
    ///   - load: As that takes it.
    /// - Returns: The new file's root, without `$schema`; nil for a suite, and where there is no scenario.
    public static func flattened(
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
    /// The tree here, in which curves name their files in another way.
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
