public import Documents

/// What a file of the scenario language is.
public enum ScenarioFile: Hashable, Sendable {
    /// One case.
    case scenario(Scenario)
    /// A list of cases.
    case suite(Suite)

    /// What came of reading a file: problems do not keep what can be understood from being understood.
    public struct Reading: Sendable {
        /// What the file says, as far as it can be understood; nil when it is no JSON object.
        public let content: ScenarioFile?
        /// All problems, file by file and in the order of the text.  Nothing may be played before it is empty.
        public let problems: [Problem]

        /// The scenario, if the file is one.
        public var scenario: Scenario? {
            guard case .scenario(let scenario) = content else { return nil }
            return scenario
        }
    }

    /// Reads a file and all that it names.
    ///
    /// - Parameters:
    ///   - file: Its path: messages begin with it, and other files are named relative to it.
    ///   - variables: Values instead of the file's own.
    ///   - load: Gives the octets of the regular file at a path; nil when there is none.
    /// - Returns: What it says, and everything that is wrong with it.
    public static func read(
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
                    kind.note(.unknownName, "a case of a suite is a scenario, and this file is a suite")
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
public struct Suite: Hashable, Sendable {
    /// A scenario, and how it is run.
    public struct Case: Hashable, Sendable {
        /// What reports call it.
        public var id: String
        /// The path of its file, as it can be loaded.
        public var scenario: String
        /// Instead of the scenario's own.
        public var seed: UInt64?
        /// Instead of the scenario's own values.
        public var variables: [String: Node]
    }

    /// What it is called in reports.
    public var name: String
    /// In the order in which they are run.
    public var cases: [Case]

    /// Reads a suite, but not the scenarios that it names.
    ///
    /// - Returns: The suite, as far as it can be understood, and everything that is wrong with this one file; nil when it
    ///   is none: a scenario, or nothing that can be understood.
    public static func read(_ file: String, _ octets: [UInt8]) -> (suite: Suite, problems: [Problem])? {
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
                item["scenario"]?.note(.absolutePath, "\(path) is not relative to this file")
                continue
            }
            let id = item["id"]?.string ?? (path.hasSuffix(".json") ? String(path.dropLast(5)) : path)
            if cases.contains(where: { $0.id == id }) {
                (item["id"] ?? item).note(.duplicateID, "there is another case \"\(id)\"")
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
