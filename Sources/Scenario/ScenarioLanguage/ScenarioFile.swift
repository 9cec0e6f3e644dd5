package import Documents
package import Scenarios
import TextFormatting

/// The content of a file of the scenario language.
package enum ScenarioFile: Hashable, Sendable {
    case scenario(Scenario)
    case suite(Suite)

    /// The result of reading a file.
    package struct Reading: Sendable {
        /// The valid part of the file; nil if it is not a JSON object.
        package let content: ScenarioFile?
        /// All problems, by file and position.  Do not run a scenario with problems.
        package let problems: [Problem]

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
    ///   - load: Returns the content of the regular file at a path; nil if there is none.
    /// - Returns: The content and its problems.
    package static func read(
        _ file: String, variables: [String: Node] = [:], load: (String) -> [UInt8]?
    ) -> Reading {
        let log = ProblemLog()
        let content = read(file, variables: variables, log: log, load: load)
        return Reading(content: content, problems: log.problems)
    }

    private static func read(
        _ file: String, variables: [String: Node], isCase: Bool = false, log: ProblemLog, load: (String) -> [UInt8]?
    ) -> ScenarioFile? {
        withoutActuallyEscaping(load) { load in
            let loader = Loader(log: log, load: load)
            guard let root = loader.root(of: file) else { return nil }
            if let kind = root["kind"], kind.string == "suite" {
                guard !isCase else {
                    kind.note(.unknownName, "expected a scenario: a suite cannot contain suites")
                    return nil
                }
                Tables.suite.check(root)
                let suite = Suite(root)
                for item in suite.cases {
                    _ = read(item.scenario, variables: item.variables, isCase: true, log: log, load: load)
                }
                return .suite(suite)
            }
            let roots = loader.resolved(root, overrides: variables)
            guard !log.isFull else { return nil }
            return .scenario(ScenarioReader(loader: loader).scenario(roots))
        }
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
        Tables.suite.check(root)
        let suite = Suite(root)
        return (suite, log.problems)
    }

    init(_ root: Cursor) {
        name = root["name"]?.string ?? ""
        cases = []
        for item in root["cases"]?.items ?? [] {
            guard let path = item["scenario"]?.string, !path.isEmpty else { continue }
            guard !path.hasPrefix("/") else {
                item["scenario"]?.note(.absolutePath, "\(path.quoted) is absolute: write it relative to this file")
                continue
            }
            let id = item["id"]?.string ?? (path.hasSuffix(".json") ? String(path.dropLast(5)) : path)
            if cases.contains(where: { $0.id == id }) {
                (item["id"] ?? item).note(.duplicateID, "another case has the id \(id.quoted)")
            }
            let variables = (item["variables"]?.members ?? []).map { ($0.key, $0.node) }
            cases.append(
                Case(
                    id: id, scenario: Loader.path(path, from: root.file),
                    seed: item["seed"]?.integer.map(UInt64.init(clamping:)),
                    variables: Dictionary(variables) { first, _ in first }))
        }
    }
}
