package import Arguments
package import CommandSupport
package import Conformance
package import Documents
package import EventLog
import GATT
import Glibc
package import Scenarios
import Simulation
import Spelling
package import VirtualWorld

/// A scenario and what the command line says about it.
package struct RunConfiguration {
    package let path: String
    package var scenario: Scenario
    package private(set) var seed: UInt64
    package private(set) var events: String?
    package private(set) var trace: String?
    /// The folder that `--keep` names.
    package private(set) var keep: String?
    /// The values of `--set`, as they were typed.
    package private(set) var settings: [String] = []
    /// The values that the case's suite gives to variables, as `--set` would have them.
    private(set) var ownSettings: [String] = []
    /// The case that it is, if it is one of several.
    package private(set) var item: Case?
    /// Of the scenario's files.
    private var digest = ""
    /// Whether somebody can act on what is played, so that the log has to say what that was.
    package var isAtHand = false
    /// What the log says of what is played, beside its path and seed.
    package var source: EventRecord.Source? { isAtHand ? .init(digest: digest, settings: settings) : nil }
    /// The value of `--for`, as it was typed.
    private(set) var limitText: String?
    /// Whether recommendations are judged like requirements.
    package private(set) var isStrict = false
    /// Whether a report shows what happened.
    private(set) var isPictured = false
    /// Nil when the command line does not say.
    package private(set) var speed: Speed?
    /// Whether the client that is judged is outside, and not the built-in one.
    private(set) var isOutside = false
    /// What the command line says of that client and of the radio, as it was typed.
    private(set) var clientOptions: [String] = []

    package init(_ path: String, _ invocation: Invocation) throws(CommandFailure) {
        let source = try readSource(path, variables: try Self.variables(invocation.texts("--set")))
        try self.init(source.scenario, path, invocation)
        digest = source.digest
    }

    /// One of several cases, of all of which the command line says the same; `seed` is that of the command line.
    package init(
        _ scenario: Scenario, _ item: Case, seed: UInt64?, keep: String?, _ invocation: Invocation
    ) throws(CommandFailure) {
        try self.init(scenario, item.path, invocation)
        (self.item, self.keep) = (item, keep)
        self.seed = seed ?? item.seed ?? scenario.seed
        ownSettings = item.variables.keys.sorted().map { name in "\(name)=\(item.variables[name]?.json ?? "null")" }
    }

    /// The value of `--seed`, one that a scenario can have; another one each time where it is `random`.
    package static func seed(_ invocation: Invocation) throws(CommandFailure) -> UInt64? {
        let type = "a whole number from 0 to \(Int.max), or \"random\""
        do throws(UsageError) {
            return try invocation.value("--seed", as: type) { text -> UInt64? in
                var generator = SystemRandomNumberGenerator()
                guard text != "random" else { return generator.next() >> 1 }
                return UInt64(text).flatMap { $0 <= Int.max ? $0 : nil }
            }
        } catch { throw CommandFailure(.usage, "\(error)") }
    }

    /// One that no command line says anything about.
    package init(_ scenario: Scenario, seed: UInt64, events: String? = nil, trace: String? = nil) {
        (self.scenario, self.seed, path) = (scenario, seed, "")
        (self.events, self.trace) = (events, trace)
    }

    /// Nothing but an air.
    package init(empty invocation: Invocation) throws(CommandFailure) { try self.init(.empty, "", invocation) }

    package init(_ scenario: Scenario, _ path: String, _ invocation: Invocation) throws(CommandFailure) {
        (self.scenario, self.path) = (scenario, path)
        seed = try Self.seed(invocation) ?? scenario.seed
        do throws(UsageError) {
            if let limit = try invocation.duration("--for") { self.scenario.limit = limit }
            speed = try invocation.value("--speed", as: "a number from 0.001 to 1000, or \"max\"") { Speed($0) }
        } catch { throw CommandFailure(.usage, "\(error)") }
        (events, trace, keep) = (invocation.text("--events"), invocation.text("--trace"), invocation.text("--keep"))
        (settings, limitText) = (invocation.texts("--set"), invocation.text("--for"))
        isStrict = invocation.has("--strict")
        isOutside = invocation.has("--client") || invocation.has("--ask")
        clientOptions = ["--client", "--controller", "--said"].flatMap { name in
            invocation.text(name).map { [name, $0] } ?? []
        }
        clientOptions += invocation.texts("--radio").flatMap { ["--radio", $0] }
        if invocation.has("--ask") { clientOptions.append("--ask") }
        isPictured = ReportFiles.havePictures(invocation)
        if let events, events == trace {
            throw CommandFailure(.usage, "--events and --trace name the same file: \(events.quoted)")
        }
        if trace == "-" { throw CommandFailure(.usage, "--trace must be a file, and not standard output") }
        if events == "-" { Console.divert() }
    }

    /// Whether a log is read while it is written, so that it cannot be begun anew.
    package var hasLogThatCannotBeginAnew: Bool {
        [events, trace].contains { path in
            guard let path, path != "-" else { return path != nil }
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return false }
            return status.st_mode & S_IFMT != S_IFREG
        }
    }

    /// Leaves out what a radio cannot play, and says so.
    package mutating func limit(to radio: RadioKind) {
        for (rule, why) in scenario.unplayed(on: radio) {
            Console.warn("skipped: script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(why)")
        }
        scenario = scenario.limited(to: radio)
    }

    /// With what waits for a value to be delivered as a radio tells of that.
    package mutating func hear(by radio: RadioKind) { scenario = scenario.heard(by: radio) }

    /// What reports call it: its path without `.json`, unless it is one of several cases.
    package var caseID: String { item?.id ?? Case.id(of: path) }

    /// What is played, before anything has happened.
    package func world() throws(CommandFailure) -> World {
        do throws(AttributeTable.DefinitionError) { return try World(scenario, seed: seed) } catch {
            throw CommandFailure(.usage, "\(path): its services have no room for their attributes: \(error)")
        }
    }

    /// The values of `--set`, by their names.
    package static func variables(_ texts: [String]) throws(CommandFailure) -> [String: Node] {
        var variables: [String: Node] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandFailure(.usage, "--set must be NAME=VALUE, and is \(text.quoted)")
            }
            // What is not JSON is a string: `--set away="8 s"` needs no quotes of JSON's own.
            let value = try? Node(json: Array(parts[1].utf8), file: "--set")
            variables[parts[0]] = value ?? Node(.string(parts[1]))
        }
        return variables
    }
}

/// Reads a scenario, with a digest of all files that it consists of, or says every problem of it.
package func readSource(
    _ path: String, variables: [String: Node] = [:]
) throws(CommandFailure) -> (scenario: Scenario, digest: String) {
    var digest = FileDigest()
    let reading = ScenarioFile.read(path, variables: variables) { path in
        let octets = contents(of: path)
        if let octets { digest.add(octets) }
        return octets
    }
    guard reading.problems.isEmpty else {
        let said = reading.problems.map(\.description)
        guard reading.problems.allSatisfy({ $0.code == .notYet }) else {
            throw CommandFailure(.usage, problems: said)
        }
        // The file is right: its case is skipped.
        for problem in said { Console.warn("skipped: \(problem)") }
        throw CommandFailure(
            .environment, "nothing was played: remove what is not supported yet, and the rules that wait for it")
    }
    guard let scenario = reading.scenario else {
        throw CommandFailure(
            .usage, "\(path) is a suite, and here one scenario can be played; \"run\" plays suites")
    }
    return (scenario, digest.text)
}
