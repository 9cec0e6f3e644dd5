package import Basics
package import Cases
import Clients
package import Conformance
package import Documents
import Expectations
import Linux
import ScenarioLanguage
package import ScenarioModel

// The plan of a run with the options of a command line.
extension RunPlan {
    /// Throws also when an option would overwrite a file that the run reads, or the file of another option.
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

    /// A run without devices.
    package init(empty invocation: Invocation) throws(Obstacle) { try self.init(.empty, "", invocation) }

    /// A run that reads these files. Throws when an option would overwrite one of them, or the file of another option.
    package init(
        _ scenario: Scenario, _ path: String, _ invocation: Invocation, reading files: [String] = []
    ) throws(Obstacle) {
        try self.init(unchecked: scenario, path, invocation)
        var uses = try FileUses(invocation, reading: files)
        try uses.keep(invocation)
    }

    private init(unchecked scenario: Scenario, _ path: String, _ invocation: Invocation) throws(Obstacle) {
        self.init(
            scenario, seed: try Self.seed(invocation) ?? scenario.seed, path: path,
            events: invocation.text("--events"), trace: invocation.text("--trace"))
        let limit = try orFail { try invocation.duration("--for") }
        if let limit { self.scenario.limit = limit }
        speed = try Self.speed(invocation)
        (keep, settings, limitText) = (invocation.text("--keep"), invocation.texts("--set"), invocation.text("--for"))
        isStrict = invocation.has("--strict")
        hasExternalClient = invocation.has("--client") || invocation.has("--ask")
        clientOptions = ["--client", "--lines", "--controller", "--said", "--radio", "--system"].flatMap { name in
            invocation.texts(name).flatMap { [name, $0] }
        }
        for name in PlayedSystem.settings where invocation.has(name) {
            clientOptions += [name] + invocation.texts(name)
        }
        patterns = try invocation.texts("--lines").map(LinePattern.init)
        if !patterns.isEmpty { shown = ShownLines(patterns) }
        if invocation.has("--bpm-only") { shown = .heartRate }
        let faulty = try orFail { try invocation.choice("--faulty", of: FaultyClient.all.map(\.name)) }
        faultyClient = FaultyClient.all.first { $0.name == faulty }
        if let faulty { clientOptions += ["--faulty", faulty] }
        for flag in ["--ask", "--bpm-only"] where invocation.has(flag) { clientOptions.append(flag) }
        showsTimelines = keep != nil || ReportFiles.showTimelines(invocation.texts("--report"))
        if trace == "-" { throw Obstacle(.usage, "--trace must be a file, not standard output") }
        if events == "-" { Console.divert() }
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

    /// The value of `--speed`; nil without it. `auto`, which is for clients, is `max` for whoever can follow virtual time.
    package static func speed(_ invocation: Invocation) throws(Obstacle) -> Speed? {
        let hasClients = invocation.grammar.options.contains { $0.name == "--client" }
        let words = hasClients ? ", \"max\" or \"auto\"" : ", or \"max\""
        return try orFail {
            try invocation.value("--speed", as: "a number from 0.001 to 1000\(words)") { text in
                hasClients && text == "auto" ? .max : Speed(text)
            }
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
