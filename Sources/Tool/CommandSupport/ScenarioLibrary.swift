package import Basics
import Glibc
import Linux

/// The scenarios that are installed with the program, by name.
package struct ScenarioLibrary: Sendable {
    /// A file or folder of the library.
    package struct Entry: Hashable, Sendable {
        /// The path below the library without `.json`: `recovery/away_long`.
        package let name: String
        package let isFolder: Bool

        package init(_ name: String, isFolder: Bool) { (self.name, self.isFolder) = (name, isFolder) }

        /// Whether the name, or its last part, is `text`.
        fileprivate func ends(with text: String) -> Bool { name == text || name.hasSuffix("/\(text)") }
    }

    /// The folder with the scenarios.
    package let root: String
    /// In the order of their names.
    package let entries: [Entry]

    private static let maximumDepth = 8
    private static let maximumEntries = 10_000

    package init(_ entries: [Entry], in root: String) {
        (self.root, self.entries) = (root, entries.sorted { $0.name < $1.name })
    }

    /// The library of the program; nil if it has none.
    package static var installed: ScenarioLibrary? {
        guard let root = ShareFolder.path.map({ "\($0)/scenarios" }) else { return nil }
        var entries: [Entry] = []
        collect("", in: root, depth: 0, into: &entries)
        return ScenarioLibrary(entries, in: fromCurrentFolder(root))
    }

    private static func collect(_ folder: String, in root: String, depth: Int, into entries: inout [Entry]) {
        guard depth <= maximumDepth else { return }
        for name in folderEntries("\(root)/\(folder)").sorted() where !name.hasPrefix(".") {
            guard entries.count < maximumEntries else { return }
            if name.hasSuffix(".json") {
                entries.append(Entry(folder + name.dropLast(5), isFolder: false))
            } else if !folderEntries("\(root)/\(folder)\(name)").isEmpty {
                entries.append(Entry(folder + name, isFolder: true))
                collect("\(folder)\(name)/", in: root, depth: depth + 1, into: &entries)
            }
        }
    }

    /// A name like a path that is none of a file and names no entry: of a file in the same folder, or of an entry.
    package func nearest(to path: String) -> String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.popLast(), !last.isEmpty else { return nil }
        let folder = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
        if let file = closestMatch(to: last, in: folderEntries(folder)) {
            return (parts + [file]).joined(separator: "/")
        }
        return closestMatch(to: path, in: entries.map(\.name))
    }

    package func path(of entry: Entry) -> String { "\(root)/\(entry.name)\(entry.isFolder ? "" : ".json")" }

    /// The path of the entry that a word names: by its name, with or without `scenarios/` and `.json`, or by the end of
    /// its name after a slash.
    ///
    /// Nil if the word is a path that names no entry. Throws if any other word names none, or if it names several.
    package func path(named word: String, orFolder: Bool) throws(UsageError) -> String? {
        let isFile = word.hasSuffix(".json")
        var name = word.hasPrefix("scenarios/") ? String(word.dropFirst("scenarios/".count)) : word
        if isFile { name = String(name.dropLast(5)) } else if name.hasSuffix("/") { name = String(name.dropLast()) }
        let near = entries.filter { $0.ends(with: name) && ($0.isFolder ? orFolder && !isFile : !word.hasSuffix("/")) }
        let exact = near.filter { $0.name == name }
        switch (exact.isEmpty ? near : exact).count {
        case 0: break
        case 1: return (exact.first ?? near.first).map(path)
        default:
            let list = (exact.isEmpty ? near : exact).map { $0.isFolder ? "\($0.name)/" : $0.name }
            throw UsageError("\(word.quoted) names several scenarios; write one of \(list.joined(separator: ", "))")
        }
        guard !word.contains("/"), !isFile else { return nil }
        if entries.contains(where: { $0.isFolder && $0.ends(with: name) }) {
            throw UsageError("\(word.quoted) is a folder of scenarios, but this command needs one scenario")
        }
        let known = entries.filter { orFolder || !$0.isFolder }.flatMap { entry in
            Set([entry.name, String(entry.name.split(separator: "/").last ?? "")]).sorted()
        }
        let isHere = unsafe access("\(word).json", R_OK) == 0
        let hint = isHere ? " (did you mean \("\(word).json".quoted)?)" : suggestion(for: word, among: known)
        throw UsageError(
            "no file and no installed scenario is named \(word.abbreviated.quoted)\(hint)"
                + "; \"lubdub list\" prints their names")
    }
}

/// The invocation in which paths replace the names of installed scenarios.
///
/// A word that is the path of a file or folder stays, and so does every word if nothing is installed.
package func findingScenarios(
    of invocation: Invocation, by grammar: CommandGrammar
) throws(Obstacle) -> Invocation {
    var library: ScenarioLibrary??
    return try grammar.replacingWords(of: invocation) { kind, word throws(Obstacle) in
        guard [.scenario, .suite].contains(kind), unsafe access(word, F_OK) != 0 else { return word }
        let known = library ?? ScenarioLibrary.installed
        library = known
        guard let known else { return word }
        let path = try orFail { try known.path(named: word, orFolder: kind == .suite) }
        if let path { return path }
        guard let nearest = known.nearest(to: word) else { return word }
        throw Obstacle(
            .usage, "no such file or folder: \(word.abbreviated.quoted) (did you mean \(nearest.quoted)?)")
    }
}

/// An absolute path relative to the current folder if that contains it.
private func fromCurrentFolder(_ path: String) -> String {
    let folder = absolutePath(".")
    return path.hasPrefix("\(folder)/") ? String(path.dropFirst(folder.count + 1)) : path
}
