import Arguments
import Conformance
import Documents
import EventLog
import GATT
import Glibc
import Scenarios
import Simulation
import Spelling
import VirtualWorld

/// Options of every command that plays something.
let playingOptions: [Arguments.Grammar.Option] = [
    .option("--seed", "N|random", "override the scenario's seed"),
    .option("--for", "DURATION", "stop after so long, as in \"10 s\""),
    .option("--events", "FILE|-", "write the event log, a JSON object a line; with - plain lines go to standard error"),
    .option("--trace", "FILE", "write every HCI packet as btsnoop, for Wireshark and btmon"),
    .option("--keep", "DIR", "make a folder for this run: scenario, seed, event log and trace"),
    colorOption,
]

/// Options of every command that plays a scenario from a file.
let scenarioOptions =
    [Arguments.Grammar.Option.option("--set", "NAME=VALUE", repeatable: true, "override a variable of the scenario")]
    + playingOptions

/// Whether colours are used.
let colorOption = Arguments.Grammar.Option.option(
    "--color", "WHEN", "auto (default: on a terminal), always or never")

/// How fast time passes.
enum Speed: Equatable, Sendable {
    /// So many seconds in one second of the clock on the wall.
    case real(Double)
    /// As fast as the machine can: virtual time.
    case max

    /// A number that time can be multiplied with, or `max`; nil for anything else.
    init?(_ text: String) {
        if text == "max" {
            self = .max
        } else if let factor = Double(text), Self.factors.contains(factor) {
            self = .real(factor)
        } else {
            return nil
        }
    }

    private static let factors = 0.001...1000

    static func option(_ standard: String) -> Arguments.Grammar.Option {
        .option(
            "--speed", "X|max",
            "play X times as fast as the clock on the wall, or as fast as possible (default \(standard))")
    }
}

/// A scenario and what the command line says about it.
struct Played {
    let path: String
    var scenario: Scenario
    private(set) var seed: UInt64
    private(set) var events: String?
    private(set) var trace: String?
    /// The folder that `--keep` names.
    private(set) var keep: String?
    /// The values of `--set`, as they were typed.
    private(set) var settings: [String] = []
    /// The values that the case's suite gives to variables, as `--set` would have them.
    private(set) var ownSettings: [String] = []
    /// The case that it is, if it is one of several.
    private(set) var item: Case?
    /// Of the scenario's files.
    private var digest = ""
    /// Whether somebody can act on what is played, so that the log has to say what that was.
    var isAtHand = false
    /// What the log says of what is played, beside its path and seed.
    var source: EventRecord.Source? { isAtHand ? .init(digest: digest, settings: settings) : nil }
    /// The value of `--for`, as it was typed.
    private(set) var limitText: String?
    /// Whether recommendations are judged like requirements.
    private(set) var isStrict = false
    /// Whether a report shows what happened.
    private(set) var isPictured = false
    /// Nil when the command line does not say.
    private(set) var speed: Speed?
    /// Whether the client that is judged is outside, and not the built-in one.
    private(set) var isOutside = false
    /// What the command line says of that client and of the radio, as it was typed.
    private(set) var clientOptions: [String] = []

    init(_ path: String, _ invocation: Invocation) throws(CommandFailure) {
        let source = try readSource(path, variables: try Self.variables(invocation.texts("--set")))
        try self.init(source.scenario, path, invocation)
        digest = source.digest
    }

    /// One of several cases, of all of which the command line says the same; `seed` is that of the command line.
    init(
        _ scenario: Scenario, _ item: Case, seed: UInt64?, keep: String?, _ invocation: Invocation
    ) throws(CommandFailure) {
        try self.init(scenario, item.path, invocation)
        (self.item, self.keep) = (item, keep)
        self.seed = seed ?? item.seed ?? scenario.seed
        ownSettings = item.variables.keys.sorted().map { name in "\(name)=\(item.variables[name]?.json ?? "null")" }
    }

    /// The value of `--seed`, one that a scenario can have; another one each time where it is `random`.
    static func seed(_ invocation: Invocation) throws(CommandFailure) -> UInt64? {
        let type = "a whole number from 0 to \(Int.max), or \"random\""
        do throws(UsageError) {
            return try invocation.value("--seed", as: type) { text -> UInt64? in
                var generator = SystemRandomNumberGenerator()
                guard text != "random" else { return generator.next() >> 1 }
                return UInt64(text).flatMap { $0 <= Int.max ? $0 : nil }
            }
        } catch { throw CommandFailure(error) }
    }

    /// One that no command line says anything about.
    init(_ scenario: Scenario, seed: UInt64, events: String? = nil, trace: String? = nil) {
        (self.scenario, self.seed, path) = (scenario, seed, "")
        (self.events, self.trace) = (events, trace)
    }

    /// Nothing but an air.
    init(empty invocation: Invocation) throws(CommandFailure) { try self.init(.empty, "", invocation) }

    init(_ scenario: Scenario, _ path: String, _ invocation: Invocation) throws(CommandFailure) {
        (self.scenario, self.path) = (scenario, path)
        seed = try Self.seed(invocation) ?? scenario.seed
        do throws(UsageError) {
            if let limit = try invocation.duration("--for") { self.scenario.limit = limit }
            speed = try invocation.value("--speed", as: "a number from 0.001 to 1000, or \"max\"") { Speed($0) }
        } catch { throw CommandFailure(error) }
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
            throw CommandFailure(.usage, "lubdub: --events and --trace name the same file: \(events.quoted)")
        }
        if trace == "-" { throw CommandFailure(.usage, "lubdub: --trace must be a file, and not standard output") }
        if events == "-" { Console.divert() }
    }

    /// Whether a log is read while it is written, so that it cannot be begun anew.
    var hasLogThatCannotBeginAnew: Bool {
        [events, trace].contains { path in
            guard let path, path != "-" else { return path != nil }
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return false }
            return status.st_mode & S_IFMT != S_IFREG
        }
    }

    /// Leaves out what a radio cannot play, and says so.
    mutating func limit(to radio: RadioKind) {
        for (rule, why) in scenario.unplayable(on: radio) {
            Console.complain("lubdub: skipped: script[\(rule)], \(scenario.script[rule].action.kind.rawValue): \(why)")
        }
        scenario = scenario.limited(to: radio)
    }

    /// With what waits for a value to be delivered as a radio tells of that.
    mutating func hear(by radio: RadioKind) { scenario = scenario.observed(by: radio) }

    /// What reports call it: its path without `.json`, unless it is one of several cases.
    var caseID: String { item?.id ?? Case.id(of: path) }

    /// What is played, before anything has happened.
    func world() throws(CommandFailure) -> World {
        do throws(AttributeTable.DefinitionError) { return try World(scenario, seed: seed) } catch {
            throw CommandFailure(.usage, "\(path): its services have no room for their attributes: \(error)")
        }
    }

    /// The values of `--set`, by their names.
    static func variables(_ texts: [String]) throws(CommandFailure) -> [String: Node] {
        var variables: [String: Node] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandFailure(.usage, "lubdub: --set must be NAME=VALUE, and is \(text.quoted)")
            }
            // What is not JSON is a string: `--set away="8 s"` needs no quotes of JSON's own.
            let value = try? Node(json: Array(parts[1].utf8), file: "--set")
            variables[parts[0]] = value ?? Node(.string(parts[1]))
        }
        return variables
    }
}

/// Reads a scenario, with a digest of all files that it consists of, or says every problem of it.
func readSource(
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
            throw CommandFailure(.usage, said.joined(separator: "\n"))
        }
        // The file is right: its case is skipped.
        let hint = "lubdub: nothing is played: take out what is not played yet, and what waits for it"
        throw CommandFailure(
            .environment, (said.map { "lubdub: skipped: \($0)" } + [hint]).joined(separator: "\n"))
    }
    guard let scenario = reading.scenario else {
        throw CommandFailure(
            .usage, "lubdub: \(path) is a suite, and here one scenario can be played; \"run\" plays suites")
    }
    return (scenario, digest.text)
}

/// The octets of a regular file, of one octet more than a scenario can have at the most; nil when it cannot be read.
func contents(of path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let most = 16 << 20
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while octets.count <= most {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        guard count > 0 else { break }
        octets += buffer[..<count]
    }
    return octets
}
