import Basics
package import Documents
package import ScenarioModel

/// The content of a file of the scenario language.
package enum ScenarioFile: Hashable, Sendable {
    case scenario(Scenario)
    case suite(Suite)

    /// The result of reading a file.
    package struct Reading: Sendable {
        /// The valid part of the file; nil if it is not a JSON object, or of another version.
        package let content: ScenarioFile?
        /// All problems, by file and position.  Do not run a scenario with problems.
        package let problems: [Problem]
        /// What is contrary to a specification and runs all the same, by file and position.
        package let warnings: [Problem]

        /// The scenario; nil for a suite.
        package var scenario: Scenario? {
            guard case .scenario(let scenario) = content else { return nil }
            return scenario
        }
    }

    /// Reads a file and all files that it names.
    ///
    /// - Parameters:
    ///   - file: Its path, for messages and to resolve relative paths.
    ///   - variables: Values that override the file's own.
    ///   - mayShow: Whether problems may show what is in the file at a path, if it is not a scenario: a suite of strangers can
    ///     name any file.
    ///   - log: Gets the problems, and counts the work.
    ///   - load: Returns the content of the regular file at a path; nil if there is none.
    /// - Returns: The content and its problems.
    package static func read(
        _ file: String, variables: [String: Node] = [:], mayShow: (String) -> Bool = { _ in true },
        log: ProblemLog = ProblemLog(), load: (String) -> [UInt8]?
    ) -> Reading {
        let found = withoutActuallyEscaping(mayShow) { mayShow in
            withoutActuallyEscaping(load) { load in
                content(of: file, variables: variables, by: Loader(log: log, mayShow: mayShow, load: load))
            }
        }
        let noted = log.problems
        return Reading(
            content: found, problems: noted.filter { !$0.code.isWarning }, warnings: noted.filter(\.code.isWarning))
    }

    private static func content(
        of file: String, variables: [String: Node], isCase: Bool = false, by loader: Loader
    ) -> ScenarioFile? {
        guard let root = loader.root(of: file) else { return nil }
        if Suite.isMeant(by: root) {
            guard !isCase else {
                (root["kind"] ?? root).note(.unknownName, "expected a scenario: a suite cannot contain suites")
                return nil
            }
            let suite = Suite(Tables.suite.check(root), exists: { loader.load($0) != nil })
            for item in suite.cases where loader.load(item.scenario) != nil {
                _ = content(of: item.scenario, variables: item.variables, isCase: true, by: loader)
            }
            return .suite(suite)
        }
        let (files, areComplete) = loader.resolved(root, overrides: variables)
        guard !loader.log.isFull else { return nil }
        return .scenario(ScenarioReader(loader: loader, areFilesComplete: areComplete).scenario(files))
    }
}

/// A list of cases.
package struct Suite: Hashable, Sendable {
    /// A scenario and its parameters.
    package struct Case: Hashable, Sendable {
        package var id: String
        /// The path of its file, as `load` takes it.
        package var scenario: String
        package var seed: UInt64?
        package var variables: [String: Node]
    }

    package var name: String
    /// The cases, in the order in which they run.
    package var cases: [Case]

    /// Reads a suite without its scenarios.
    ///
    /// - Returns: The valid part of the suite, and the problems of this file; nil if the file is not a suite.
    package static func read(_ file: String, _ octets: [UInt8]) -> (suite: Suite, problems: [Problem])? {
        let log = ProblemLog()
        guard let root = Loader(log: log, load: { _ in octets }).root(of: file), root["kind"]?.string == "suite" else {
            return nil
        }
        let suite = Suite(Tables.suite.check(root))
        return (suite, log.problems)
    }

    /// Whether the root of a file is a suite, perhaps with another mistake.
    fileprivate static func isMeant(by root: Cursor) -> Bool {
        root["kind"]?.string == "suite"
            || root["kind"]?.string != "scenario" && root["cases"] != nil && root["devices"] == nil
    }

    /// The suite in a checked document; notes scenarios that do not exist.
    init(_ root: Cursor, exists: (String) -> Bool = { _ in true }) {
        name = root["name"]?.string ?? ""
        cases = []
        var places: [String: Cursor] = [:]
        for item in root["cases"]?.items ?? [] {
            guard let path = item["scenario"]?.string, !path.isEmpty else { continue }
            guard !path.hasPrefix("/") else {
                item["scenario"]?.note(
                    .absolutePath, "\(path.quoted) is absolute", help: "write it relative to this file")
                continue
            }
            let id = item["id"]?.string ?? (path.hasSuffix(".json") ? String(path.dropLast(5)) : path)
            if let first = places[id] {
                (item["id"] ?? item).note(
                    .duplicateID, "another case has the id \(id.quoted)", help: "give each its own \"id\"",
                    related: [RelatedPlace(first, "the first is here")])
            }
            places[id] = places[id] ?? item["id"] ?? item
            let scenario = Loader.path(path, from: root.file)
            if !exists(scenario) {
                item["scenario"]?.note(
                    .unreadable, "cannot read \(scenario.quoted)", help: "the path is relative to this file")
            }
            let variables = (item["variables"]?.members ?? []).map { ($0.key, $0.node) }
            cases.append(
                Case(
                    id: id, scenario: scenario,
                    seed: item["seed"]?.integer.map(UInt64.init(clamping:)),
                    variables: Dictionary(variables) { first, _ in first }))
        }
    }
}

/// The scenario language as a JSON Schema, for editors.
package enum ScenarioSchema {
    /// JSON Schema, draft 2020-12, generated from the reader's tables.
    ///
    /// It does not check the values of variables, references, duplicates and loops.
    package static var json: String {
        Tables.file.schema(title: "Lubdub scenario", placeholder: Forms.variable, fixed: Tables.fixedKeys)
    }
}

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
            let files = loader.resolved(root, overrides: variables).files
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
