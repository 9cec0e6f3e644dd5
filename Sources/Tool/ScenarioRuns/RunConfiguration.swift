package import Basics
package import Clients
package import CommandSupport
package import Conformance
package import Documents
package import Expectations
import GATT
import Glibc
import Linux
import ScenarioLanguage
package import ScenarioModel
package import VirtualWorld

/// A scenario, and the options of the command line for it.
package struct RunConfiguration {
    package let path: String
    package var scenario: Scenario
    package private(set) var seed: UInt64
    package private(set) var events: String?
    package private(set) var trace: String?
    /// The folder of `--keep`.
    package private(set) var keep: String?
    /// The values of `--set`, as they were typed.
    package private(set) var settings: [String] = []
    /// The variables that the case's suite sets, in the format of `--set`.
    private(set) var ownSettings: [String] = []
    /// The case, if it is one of several.
    package private(set) var item: Case?
    /// The digest of the scenario's files.
    private var digest = ""
    /// Whether manual actions are possible, so that the log must identify the scenario.
    package var allowsManualActions = false
    /// The identification of the scenario in the log, in addition to path and seed.
    package var source: EventRecord.Source? { allowsManualActions ? .init(digest: digest, settings: settings) : nil }
    /// The value of `--for`, as it was typed.
    private(set) var limitText: String?
    /// Whether recommendations are judged like requirements.
    package private(set) var isStrict = false
    private(set) var showsTimelines = false
    /// Nil without `--speed`.
    package private(set) var speed: Speed?
    /// What the client shows.
    package private(set) var shown = ShownLines.all
    /// The fault of the built-in client, if it has one.
    package var faultyClient: FaultyClient?
    /// How expectations are judged: a faulty client like a client under test.
    package var terms: Judge.Terms { faultyClient == nil ? Judge.Terms() : .clientUnderTest }
    /// Whether an external client is under test, not the built-in one.
    private(set) var hasExternalClient = false
    /// The options of the client and the radio, as they were typed.
    private(set) var clientOptions: [String] = []

    package init(_ path: String, _ invocation: Invocation) throws(Obstacle) {
        let source = try readSource(path, variables: try Self.variables(invocation.texts("--set")))
        try self.init(source.scenario, path, invocation, reading: source.files)
        digest = source.digest
    }

    /// One of several cases with the same options; `seed` is that of the command line.
    package init(
        _ scenario: Scenario, _ item: Case, seed: UInt64?, keep: String?, _ invocation: Invocation
    ) throws(Obstacle) {
        try self.init(unchecked: scenario, item.path, invocation)
        (self.item, self.keep) = (item, keep)
        self.seed = seed ?? item.seed ?? scenario.seed
        ownSettings = item.variables.keys.sorted().map { name in "\(name)=\(item.variables[name]?.json ?? "null")" }
    }

    /// The value of `--seed`, in the range of a scenario's seed; a new one for each call when it is `random`.
    package static func seed(_ invocation: Invocation) throws(Obstacle) -> UInt64? {
        let type = "a whole number from 0 to \(Int.max), or \"random\""
        return try orFail {
            try invocation.value("--seed", as: type) { text -> UInt64? in
                var generator = SystemRandomNumberGenerator()
                guard text != "random" else { return generator.next() >> 1 }
                return UInt64(text).flatMap { $0 <= Int.max ? $0 : nil }
            }
        }
    }

    /// A run without a command line.
    package init(_ scenario: Scenario, seed: UInt64, events: String? = nil, trace: String? = nil) {
        (self.scenario, self.seed, path) = (scenario, seed, "")
        (self.events, self.trace) = (events, trace)
    }

    /// A run without devices.
    package init(empty invocation: Invocation) throws(Obstacle) { try self.init(.empty, "", invocation) }

    /// A run with the options of a command line that reads these files. Throws when an option would overwrite one of them, or
    /// the file of another option.
    package init(
        _ scenario: Scenario, _ path: String, _ invocation: Invocation, reading files: [String] = []
    ) throws(Obstacle) {
        try self.init(unchecked: scenario, path, invocation)
        var uses = try FileUses(invocation, reading: files)
        try uses.keep(invocation)
    }

    private init(unchecked scenario: Scenario, _ path: String, _ invocation: Invocation) throws(Obstacle) {
        (self.scenario, self.path) = (scenario, path)
        seed = try Self.seed(invocation) ?? scenario.seed
        let limit = try orFail { try invocation.duration("--for") }
        if let limit { self.scenario.limit = limit }
        speed = try Self.speed(invocation)
        (events, trace, keep) = (invocation.text("--events"), invocation.text("--trace"), invocation.text("--keep"))
        (settings, limitText) = (invocation.texts("--set"), invocation.text("--for"))
        isStrict = invocation.has("--strict")
        hasExternalClient = invocation.has("--client") || invocation.has("--ask")
        clientOptions = ["--client", "--controller", "--said", "--radio"].flatMap { name in
            invocation.texts(name).flatMap { [name, $0] }
        }
        if invocation.has("--bpm-only") { shown = .heartRate }
        let faulty = try orFail { try invocation.choice("--faulty", of: FaultyClient.all.map(\.name)) }
        faultyClient = FaultyClient.all.first { $0.name == faulty }
        if let faulty { clientOptions += ["--faulty", faulty] }
        for flag in ["--ask", "--bpm-only"] where invocation.has(flag) { clientOptions.append(flag) }
        showsTimelines = ReportFiles.showTimelines(invocation)
        if trace == "-" { throw Obstacle(.usage, "--trace must be a file, not standard output") }
        if events == "-" { Console.divert() }
    }

    /// The value of `--speed`; nil without it.
    package static func speed(_ invocation: Invocation) throws(Obstacle) -> Speed? {
        try orFail { try invocation.value("--speed", as: "a number from 0.001 to 1000, or \"max\"") { Speed($0) } }
    }

    /// Whether a log goes to a pipe or a terminal, so that it cannot be written again.
    package var hasStreamedLog: Bool {
        [events, trace].contains { path in
            guard let path, path != "-" else { return path != nil }
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return false }
            return status.st_mode & S_IFMT != S_IFREG
        }
    }

    /// Removes the rules that a radio does not support, and prints a warning for each, and for those that it supports in
    /// part.
    package mutating func limit(to radio: RadioKind) {
        for (rule, why) in scenario.unplayable(on: radio) {
            Console.warn("skipped: script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(why)")
        }
        for rule in scenario.script.indices {
            guard let missing = radio.missingPart(of: scenario.script[rule].action) else { continue }
            Console.warn("only in part: script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(missing)")
        }
        scenario = scenario.limited(to: radio)
    }

    /// Adapts conditions on delivered values to the events that a radio reports.
    package mutating func observe(by radio: RadioKind) { scenario = scenario.observed(by: radio) }

    /// The id in reports, without the seed and the number of a run: the case's, or the path without `.json`.
    package var caseID: String { item?.caseID ?? Case.id(of: path) }

    package func world() throws(Obstacle) -> World {
        try orFail(.usage, "\(path): the services do not fit into the attribute table: ") {
            try World(scenario, seed: seed)
        }
    }

    /// The variables of `--set` options, by name.
    package static func variables(_ texts: [String]) throws(Obstacle) -> [String: Node] {
        var variables: [String: Node] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw Obstacle(.usage, "--set must be NAME=VALUE, not \(text.quoted)")
            }
            // A value that is not JSON is a string: `--set away="8 s"` needs no JSON quotes.
            let value = try? Node(json: Array(parts[1].utf8), file: "--set")
            variables[parts[0]] = value ?? Node(.string(parts[1]))
        }
        return variables
    }
}

/// Reads a scenario, prints warnings of likely mistakes, and computes a digest of its files; throws all problems.
package func readSource(
    _ path: String, variables: [String: Node] = [:]
) throws(Obstacle) -> (scenario: Scenario, files: [String], digest: String) {
    guard folderEntries(path).isEmpty else {
        throw Obstacle(
            .usage, "\(path.quoted) is a folder, but this command plays a single scenario: choose a file in it")
    }
    var (files, digest) = ([String](), FileDigest())
    let home = folder(of: path)
    let mayShow = { (other: String) in other == path || leads(other, into: [home]) }
    let reading = ScenarioFile.read(path, variables: variables, mayShow: mayShow) { path in
        let octets = contents(of: path)
        if let octets { digest.add(octets) }
        files.append(path)
        return octets
    }
    guard reading.problems.isEmpty else {
        throw Obstacle(.usage, problems: reading.problems.flatMap(\.lines))
    }
    guard let scenario = reading.scenario else {
        throw Obstacle(
            .usage, "\(path) is a suite, but this command plays a single scenario: use \"lubdub run\"")
    }
    printLikelyMistakes(reading.warnings)
    return (scenario, files, digest.text)
}

/// Prints the warnings of likely mistakes to standard error.
package func printLikelyMistakes(_ warnings: [Problem]) {
    for warning in warnings where warning.code.isLikelyMistake {
        for line in warning.lines { Console.complain("\(line)") }
    }
}

extension RunConfiguration {
    /// The command line that repeats the run.
    package var replay: String {
        replay("run", item?.operand ?? path, clientOptions, only: item?.ownID ?? caseID)
    }

    /// The command line that repeats one check.
    package func replay(of check: String) -> String { replay("check", path, only: check) }

    private func replay(_ command: String, _ operand: String, _ options: [String] = [], only id: String) -> String {
        var words = ["lubdub", command, operand.asOperand, "--seed", "\(seed)"] + options
        for setting in settings { words += ["--set", setting] }
        if let limitText { words += ["--for", limitText] }
        if isStrict { words.append("--strict") }
        return (words + ["--only", id]).map(\.forShell).joined(separator: " ")
    }
}
