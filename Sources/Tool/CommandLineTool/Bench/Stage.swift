import Arguments
import CommandSupport
import Documents
import Glibc
import Reporting
import ScenarioRuns
import Scenarios
import Spelling

/// A scenario with a strap in it, in JSON: what its heart is like, which other services it has, and what
/// happens to it.
func strap(_ heart: String, others: String = "", script: String = "") -> String {
    """
    {"lubdub": 1, "name": "Bench", "devices": [{"id": "strap", "name": "Bench", "address": "C0:FF:EE:00:00:01/random",
    "advertise": {"interval": "100 ms", "services": ["180D"]}, "services": [{"service": "heart_rate", \(heart)}\(others)]}],
    "script": [\(script)]}
    """
}

/// A scenario with the built-in client, and with all logs in files, as `run --events --trace` has them, or without.
struct Stage {
    var clientRun: BuiltInClientRun
    private let directory: ScratchDirectory
    private let files: LogFiles

    init(_ json: String, limit: Duration = .seconds(24 * 3600), isLogged: Bool = true) throws(CommandFailure) {
        var scenario = try benchScenario(json)
        scenario.limit = limit
        directory = try ScratchDirectory()
        let configuration = RunConfiguration(
            scenario, seed: 1, events: isLogged ? directory.path("events.jsonl") : nil,
            trace: isLogged ? directory.path("trace.btsnoop") : nil)
        clientRun = try BuiltInClientRun(configuration)
        files = try LogFiles(configuration, &clientRun.world)
    }

    /// Writes what is left of the logs.
    mutating func close() throws(CommandFailure) { try files.close(&clientRun.world, status: 0) }
}

/// A directory for files that nobody will miss; it goes away with its last owner.
final class ScratchDirectory {
    private let place: String

    init() throws(CommandFailure) {
        let base = Self.base
        var template = Array("\(base)/lubdub-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
        guard unsafe mkdtemp(&template) != nil else {
            throw CommandFailure(
                .environment,
                "cannot make a directory in \(base.quoted): \(unsafe String(cString: strerror(errno))); "
                    + "TMPDIR names another place")
        }
        place = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var base: String {
        guard let named = unsafe getenv("TMPDIR") else { return "/tmp" }
        return unsafe String(cString: named)
    }

    func path(_ name: String) -> String { "\(place)/\(name)" }

    deinit {
        for name in ["events.jsonl", "trace.btsnoop", "scenario.json"] { unsafe unlink(path(name)) }
        unsafe rmdir(place)
    }
}

/// Makes a file of a text.
func write(_ text: String, to path: String) throws(CommandFailure) {
    let file: OutputFile
    do throws(OutputFailure) {
        file = try OutputFile(path)
        file.write(Array(text.utf8)[...])
        try file.close()
    } catch { throw CommandFailure(.environment, "\(error)") }
}
