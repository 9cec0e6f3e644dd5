import Basics
import Cases
import CommandSupport
import Conformance
import Documents
import Glibc
import LEHost
import Linux
import ScenarioModel
import VirtualWorld

/// A scenario with a strap, in JSON: `heart` has the fields of its Heart Rate service, `others` its other services, after
/// a comma, `script` the rules of the script, and `more` the further fields of the strap, before a comma.
func strap(_ heart: String, others: String = "", script: String = "", more: String = "") -> String {
    """
    {"lubdub": 1, "name": "Bench", "devices": [{"id": "strap", "name": "Bench", "address": "C0:FF:EE:00:00:01/random",
    \(more)"advertise": {"interval": "100 ms", "services": ["180D"]}, "services": [{"service": "heart_rate", \(heart)}\(others)]}],
    "script": [\(script)]}
    """
}

/// A run of the built-in client, with or without the files of `run --events --trace`.
struct LoggedRun {
    var clientRun: BuiltInClientRun
    private let directory: ScratchDirectory
    private let files: LogFiles

    init(_ json: String, limit: Duration = .seconds(24 * 3600), isLogged: Bool = true) throws(Obstacle) {
        var scenario = try benchScenario(json)
        scenario.limit = limit
        directory = try ScratchDirectory()
        let plan = RunPlan(
            scenario, seed: 1, events: isLogged ? directory.path("events.jsonl") : nil,
            trace: isLogged ? directory.path("trace.btsnoop") : nil)
        clientRun = try BuiltInClientRun(plan)
        files = try LogFiles(plan, &clientRun.world, for: RunListener(), inRealTime: false)
    }

    /// Takes what the client's host outputs, so that the client receives nothing.  Returns how many notifications have
    /// `length` octets.
    mutating func takeNotifications(of length: Int) -> Int {
        var count = 0
        while let output = clientRun.world.outbox.takeFirst() {
            guard case .client(_, .notified(_, _, let packet)) = output else { continue }
            if packet.count == length { count += 1 }
            clientRun.world.pool.release(packet)
        }
        return count
    }

    mutating func close() throws(Obstacle) { try files.close(&clientRun.world, status: 0) }
}

/// A temporary directory, removed by `deinit`.
final class ScratchDirectory {
    private let directory: String

    init() throws(Obstacle) {
        let base = Self.base
        var template = Array("\(base)/lubdub-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
        guard unsafe mkdtemp(&template) != nil else {
            throw Obstacle(
                .environment,
                "cannot create a directory in \(base.quoted): \(unsafe String(cString: strerror(errno))) "
                    + "(set TMPDIR to another directory)")
        }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var base: String {
        guard let named = unsafe getenv("TMPDIR") else { return "/tmp" }
        return unsafe String(cString: named)
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    deinit {
        for name in ["events.jsonl", "trace.btsnoop", "scenario.json"] { unsafe unlink(path(name)) }
        unsafe rmdir(directory)
    }
}

func write(_ text: String, to path: String) throws(Obstacle) {
    try orFail(.environment) {
        let file = try OutputFile(path)
        file.write(Array(text.utf8)[...])
        try file.close()
    }
}
