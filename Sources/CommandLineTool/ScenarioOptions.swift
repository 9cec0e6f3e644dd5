import Arguments
import Documents
import Glibc
import Scenarios
import Spelling

/// Options of every command that plays a scenario.
let scenarioOptions: [Arguments.Grammar.Option] = [
    .option("--seed", "N|random", "override the scenario's seed"),
    .option("--set", "NAME=VALUE", repeatable: true, "override a variable of the scenario"),
    .option("--for", "DURATION", "stop after so long, as in \"10 s\""),
    .option("--events", "FILE", "write the event log, a JSON object a line"),
    .option("--trace", "FILE", "write every HCI packet as btsnoop, for Wireshark and btmon"),
]

/// A scenario and what the command line says about it.
struct Played {
    let path: String
    var scenario: Scenario
    let seed: UInt64
    let events: String?
    let trace: String?

    init(_ path: String, _ invocation: Invocation) throws(CommandFailure) {
        let scenario = try readScenario(path, variables: try Self.variables(invocation))
        try self.init(scenario, path, invocation)
    }

    /// One that no command line says anything about.
    init(_ scenario: Scenario, seed: UInt64, events: String? = nil, trace: String? = nil) {
        (self.scenario, self.seed) = (scenario, seed)
        (self.events, self.trace) = (events, trace)
        path = ""
    }

    /// Nothing but an air.
    init(empty invocation: Invocation) throws(CommandFailure) { try self.init(.empty, "", invocation) }

    private init(_ scenario: Scenario, _ path: String, _ invocation: Invocation) throws(CommandFailure) {
        (self.scenario, self.path) = (scenario, path)
        do throws(UsageError) {
            let seed = try invocation.value("--seed", as: "a whole number or \"random\"") { text -> UInt64? in
                var generator = SystemRandomNumberGenerator()
                return text == "random" ? generator.next() : UInt64(text)
            }
            self.seed = seed ?? scenario.seed
            if let limit = try invocation.duration("--for") { self.scenario.limit = limit }
        } catch { throw CommandFailure(error) }
        (events, trace) = (invocation.text("--events"), invocation.text("--trace"))
    }

    private static func variables(_ invocation: Invocation) throws(CommandFailure) -> [String: Node] {
        var variables: [String: Node] = [:]
        for text in invocation.texts("--set") {
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

/// Reads a scenario, or says every problem of it.
func readScenario(_ path: String, variables: [String: Node] = [:]) throws(CommandFailure) -> Scenario {
    let reading = ScenarioFile.read(path, variables: variables, load: contents)
    guard reading.problems.isEmpty else {
        throw CommandFailure(.usage, reading.problems.map(\.description).joined(separator: "\n"))
    }
    guard let scenario = reading.scenario else {
        throw CommandFailure(.usage, "lubdub: \(path) is a suite; suites are not played yet by this version")
    }
    return scenario
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
