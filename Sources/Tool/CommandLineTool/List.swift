import Basics
import Cases
import CommandSupport
import Conformance
import Documents
import Linux

let listGrammar = CommandGrammar(
    "list", "List the installed scenarios, suites and folders by name",
    options: [
        .flag(
            "--json",
            "Print one JSON object per line: {\"name\", \"kind\": scenario|suite|folder, \"title\": of the scenario or suite,\n"
                + "\"scenarios\": how many a folder has, \"path\"}"),
        .flag("--quiet", "Print only the names"),
        .flag(
            "--null",
            "Print only the names, as a command line takes them, each followed by a NUL instead of a line feed:\nfor xargs -0"
        ),
    ])

func list(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    guard let library = ScenarioLibrary.installed else {
        throw Obstacle(
            .environment,
            "no scenarios are installed with this program: \(ShareFolder.missing)")
    }
    let rows = InstalledScenario.all(in: library)
    if invocation.has("--null") {
        Console.write(rows.flatMap { $0.word.utf8 + [0] })
        return .success
    }
    let width = rows.map(\.name.count).max() ?? 0
    for row in rows {
        if invocation.has("--json") {
            Console.print("\(row.json)")
        } else if invocation.has("--quiet") {
            Console.print("\(row.name)")
        } else {
            Console.print("\(row.name.padded(to: width))  \(row.description)")
        }
    }
    return .success
}

/// A row of `list`.
struct InstalledScenario: Equatable {
    enum Kind: Equatable {
        case scenario(title: String)
        case suite(title: String)
        case folder(scenarios: Int)
    }

    let name: String
    let path: String
    let kind: Kind

    /// The scenarios and suites of a library, and the folders that contain any.
    static func all(in library: ScenarioLibrary) -> [InstalledScenario] {
        let (found, _) = SuiteDiscovery.documents([library.root], in: .real([library.root]))
        let paths = Set(found)
        return library.entries.compactMap { entry in
            let path = library.path(of: entry)
            guard entry.isFolder else {
                guard paths.contains(path) else { return nil }
                return InstalledScenario(name: entry.name, path: path, kind: kind(of: path))
            }
            let count = found.count { $0.hasPrefix("\(path)/") }
            return count == 0 ? nil : InstalledScenario(name: entry.name, path: path, kind: .folder(scenarios: count))
        }
    }

    private static func kind(of path: String) -> Kind {
        let root = contents(of: path).flatMap { try? Node(json: $0, file: path) }
        let title = root?["name"]?.string ?? ""
        return root?["kind"]?.string == "suite" ? .suite(title: title) : .scenario(title: title)
    }

    /// The name for a command line: a word that begins with a hyphen would be an option.
    var word: String { name.hasPrefix("-") ? "scenarios/\(name)" : name }

    var description: String {
        switch kind {
        case .scenario(let title): title
        case .suite(let title): title.isEmpty ? "suite" : "suite: \(title)"
        case .folder(let count): "folder: \(count.counted("scenario"))"
        }
    }

    var json: String {
        let (word, detail) =
            switch kind {
            case .scenario(let title): ("scenario", "\"title\": \(title.quoted)")
            case .suite(let title): ("suite", "\"title\": \(title.quoted)")
            case .folder(let count): ("folder", "\"scenarios\": \(count)")
            }
        return "{\"name\": \(name.quoted), \"kind\": \"\(word)\", \(detail), \"path\": \(path.quoted)}"
    }
}
