import Basics
import Cases
import CommandSupport
import Documents
import Glibc
import Linux
import ScenarioLanguage
import ScenarioModel

/// The event log of a run, and the scenario that was played in it: together they make a scenario with the run's manual
/// actions in its script.
struct EventLogReplay {
    let scenario: String
    private let logPath: String
    private let log: ManualActionLog

    /// Reads the log at a path. `scenario` overrides the scenario's path in the log.
    init(of path: String, scenario: String?) throws(Obstacle) {
        (logPath, log) = (path, try Self.log(at: path))
        if let scenario { self.scenario = scenario } else { self.scenario = try Self.scenario(of: log, at: path) }
    }

    var actionCount: Int { log.actions.count }

    /// The text of the new scenario for a file at `target`, or in this folder; it has been parsed and compared with the
    /// original. Throws when the file is one that is read.
    func text(at target: String?, acceptingChanges: Bool) throws(Obstacle) -> String {
        let path = scenario
        let variables = try RunPlan.variables(log.source.settings)
        let source = try readSource(path, variables: variables)
        if let target {
            var uses = FileUses(reading: [logPath] + source.files)
            try uses.write(target, "-o")
        }
        let target = target ?? "replay.json"
        if let digest = log.source.digest, digest != source.digest, !acceptingChanges {
            throw Obstacle(
                .usage,
                "\(path) has changed since the run (digest \(digest), now \(source.digest)): name the original with "
                    + "--scenario FILE, or accept the change with --changed")
        }
        if log.source.digest == nil {
            Console.warn("the log has no digest of \(path), which may have changed")
        }
        guard log.source.seed <= UInt64(Int.max) else {
            throw Obstacle(.usage, "the log's seed \(log.source.seed) is too large for a scenario")
        }
        let original = ScenarioFile.flattened(
            path, variables: variables, naming: { Self.relative($0, to: target) }, load: contents)
        guard let original else { throw Obstacle(.internalError, "cannot convert \(path) into a single file") }
        let replay = ReplayScenario(
            original, devices: source.scenario.devices.map(\.id),
            limit: source.scenario.limit.inNanoseconds / 1000 + 1, log)
        let text = replay.root.indentedJSON + "\n"
        let again = ScenarioFile.read(target) { $0 == target ? Array(text.utf8) : contents(of: $0) }
        guard again.problems.isEmpty else {
            throw Obstacle(
                .usage,
                problems: ["lubdub: the manual actions do not fit \(path):"] + again.problems.flatMap(\.lines))
        }
        guard again.scenario?.devices == source.scenario.devices else {
            throw Obstacle(.internalError, "cannot merge the devices of \(path) into one file")
        }
        return text
    }

    /// Reads a log line by line; ignores an incomplete last line.
    private static func log(at path: String) throws(Obstacle) -> ManualActionLog {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, code: errno) }
        defer { close(descriptor) }
        var (lines, log) = (LineFramer(longest: 1 << 20), ManualActionLog?.none)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        do {
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count < 0 {
                    guard errno == EINTR else { throw unreadable(path, code: errno) }
                    continue
                }
                guard count > 0 else { break }
                lines.append(Array(buffer[..<count]))
                while let line = try lines.next() {
                    if log == nil { log = try ManualActionLog(line) } else { try log?.add(line) }
                }
            }
        } catch let failure as Obstacle {
            throw failure
        } catch let error as ManualActionLog.Unreadable {
            throw Obstacle(.usage, "\(path):\(error.line): \(error.reason)")
        } catch { throw Obstacle(.usage, "\(path): a line is longer than \(1 << 20) octets") }
        guard let log else { throw Obstacle(.usage, "\(path): not an event log: it has no complete line") }
        return log
    }

    private static func unreadable(_ path: String, code: Int32) -> Obstacle {
        Obstacle(.usage, "cannot read \(path.quoted): \(unsafe String(cString: strerror(code)))")
    }

    private static func scenario(of log: ManualActionLog, at path: String) throws(Obstacle) -> String {
        let scenario = log.source.scenario
        guard !scenario.isEmpty else { throw Obstacle(.usage, "\(path): this log has no scenario") }
        guard contents(of: scenario) != nil else {
            throw Obstacle(
                .usage,
                "\(path): cannot read its scenario \(scenario.quoted): run replay in the folder where serve ran, or use "
                    + "--scenario FILE")
        }
        return scenario
    }

    /// A path relative to the folder of `target`.
    private static func relative(_ path: String, to target: String) -> String {
        let words = absolutePath(path).split(separator: "/")
        let folder = absolutePath(target).split(separator: "/").dropLast()
        let common = zip(words, folder).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: folder.count - common) + words.dropFirst(common).map(String.init))
            .joined(separator: "/")
    }
}

/// A scenario whose script contains the manual actions of a run.
struct ReplayScenario {
    let root: Node

    /// - Parameters:
    ///   - original: The scenario of the run, as a single file.
    ///   - devices: The ids of its devices.
    ///   - limit: Its limit in microseconds; extended if the log is longer.
    ///   - log: The manual actions and the seed.
    init(_ original: Node, devices: [String], limit: Int64, _ log: ManualActionLog) {
        let ends = Self.ends(of: log.actions)
        let rules = zip(log.actions, ends).flatMap { Self.rules(for: $0, until: $1, devices: devices) }
        var members: [(key: String, node: Node)] = []
        if case .object(let old) = original.value { members = old.map { ($0.key, $0.node) } }
        members.removeAll { ["seed", "limit"].contains($0.key) }
        let own: [(key: String, node: Node)] = [
            ("seed", Node(.number("\(log.source.seed)"))),
            ("limit", Node(.string(Self.seconds(max(limit, Self.microseconds(log.end)))))),
        ]
        members.insert(contentsOf: own, at: members.firstIndex { $0.key == "devices" } ?? members.count)
        if !rules.isEmpty {
            var script: [Node] = []
            if case .array(let old)? = original["script"]?.value { script = old }
            members.removeAll { $0.key == "script" }
            let place = members.firstIndex { $0.key == "devices" }.map { $0 + 1 } ?? members.count
            members.insert(("script", Node(.array(script + rules))), at: place)
        }
        root = .object(members)
    }

    private static func rules(
        for action: ManualActionLog.ManualAction, until end: String, devices: [String]
    ) -> [Node] {
        guard case .object(let said) = action.line.value else { return [] }
        var members: [(key: String, node: Node)] = [("when", Node(.string("\(action.time) s")))]
        members += said.filter { $0.key != "chance" }.map { ($0.key, $0.node) }  // the log shows its outcome
        if action.isEndless { members.append(("until", Node(.string(end)))) }
        if action.line["note"] == nil { members.append(("note", Node(.string(action.name)))) }
        guard action.kind == .clear, action.line["of"] == nil else { return [.object(members)] }
        // A rule clears one target, so clearing everything takes several rules.
        return (devices + ["client"]).map { entity in
            .object(members.prefix(2) + [("of", Node(.string(entity)))] + members.dropFirst(2))
        }
    }

    /// When each action without a duration ended.  With an end, the rule restores what it replaced, as manual actions do.
    private static func ends(of actions: [ManualActionLog.ManualAction]) -> [String] {
        var ends = [String](repeating: "end", count: actions.count)
        // An action is covered by a later one, whose end is known first.
        for index in actions.indices.reversed() {
            switch actions[index].end {
            case .at(let time): ends[index] = "\(time) s"
            case .covered(let next): if next > index { ends[index] = ends[next] }
            case .open: break
            }
        }
        return ends
    }

    /// Microseconds of a time in the log's format.
    private static func microseconds(_ time: String) -> Int64 { Int64(time.filter { $0 != "." }) ?? 0 }

    private static func seconds(_ microseconds: Int64) -> String {
        let decimals = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return "\(microseconds / 1_000_000).\(decimals) s"
    }
}
