import Arguments
package import CommandSupport
import Documents
import Glibc
import ScenarioRuns
import Scenarios
import Simulation
import Spelling

/// The event log of a run, and the scenario that was played in it: together they make a scenario with the run's manual
/// actions in its script.
package struct EventLogReplay {
    /// The path of the scenario that was played.
    package let scenario: String
    private let log: ManualActionLog

    /// Reads the log at a path. `scenario` is where the scenario is, if not where the log says.
    package init(of path: String, scenario: String?) throws(CommandFailure) {
        log = try Self.log(at: path)
        if let scenario { self.scenario = scenario } else { self.scenario = try Self.scenario(of: log, at: path) }
    }

    package var actionCount: Int { log.actions.count }

    /// The text of the new file, which is to stand at a path; it has been read again, and says the same.
    package func text(at target: String, acceptingChanges: Bool) throws(CommandFailure) -> String {
        let path = scenario
        let variables = try RunConfiguration.variables(log.source.settings)
        let source = try readSource(path, variables: variables)
        if let digest = log.source.digest, digest != source.digest, !acceptingChanges {
            throw CommandFailure(
                .usage,
                "\(path) has changed since it was played (its digest was \(digest), and is \(source.digest)): name "
                    + "the old one with --scenario FILE, or take it as it is now with --changed")
        }
        if log.source.digest == nil {
            Console.warn("the log does not say whether \(path) has changed since")
        }
        guard log.source.seed <= UInt64(Int.max) else {
            throw CommandFailure(.usage, "a scenario cannot have the seed \(log.source.seed) of the log")
        }
        let original = ScenarioFile.flattened(
            path, variables: variables, naming: { Self.relative($0, to: target) }, load: contents)
        guard let original else { throw CommandFailure(.inner, "\(path) cannot be made into one file") }
        let replay = ReplayScenario(
            original, devices: source.scenario.devices.map(\.id),
            limit: source.scenario.limit.inNanoseconds / 1000 + 1, log)
        let text = replay.root.indentedJSON + "\n"
        let again = ScenarioFile.read(target) { $0 == target ? Array(text.utf8) : contents(of: $0) }
        guard again.problems.isEmpty else {
            throw CommandFailure(
                .usage,
                (["what was done by hand does not fit \(path):"] + again.problems.map(\.description))
                    .joined(separator: "\n"))
        }
        guard again.scenario?.devices == source.scenario.devices else {
            throw CommandFailure(.inner, "the devices of \(path) cannot be said in one file")
        }
        return text
    }

    /// Reads a log line by line, however long it is; a last line that was cut off does not count.
    private static func log(at path: String) throws(CommandFailure) -> ManualActionLog {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.usage, "cannot read \(path.quoted): \(unsafe String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var (lines, log) = (LineFramer(longest: 1 << 20), ManualActionLog?.none)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        do {
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                lines.append(Array(buffer[..<count]))
                while let line = try lines.next() {
                    if log == nil { log = try ManualActionLog(line) } else { try log?.add(line) }
                }
            }
        } catch let error as ManualActionLog.Unreadable {
            throw CommandFailure(.usage, "\(path):\(error.line): \(error.reason)")
        } catch { throw CommandFailure(.usage, "\(path): a line has more than \(1 << 20) octets") }
        guard let log else { throw CommandFailure(.usage, "\(path): this is no event log: it has no whole line") }
        return log
    }

    /// The path of the scenario that a log is of.
    private static func scenario(of log: ManualActionLog, at path: String) throws(CommandFailure) -> String {
        let scenario = log.source.scenario
        guard !scenario.isEmpty else { throw CommandFailure(.usage, "\(path): this is the log of no scenario") }
        guard contents(of: scenario) != nil else {
            throw CommandFailure(
                .usage,
                "\(path): it is the log of \(scenario.quoted), which cannot be read from here: run replay in the folder "
                    + "where serve ran, or name the file with --scenario FILE")
        }
        return scenario
    }

    /// A path as a file at `target` names it.
    private static func relative(_ path: String, to target: String) -> String {
        let words = absolutePath(path).split(separator: "/")
        let folder = absolutePath(target).split(separator: "/").dropLast()
        let common = zip(words, folder).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: folder.count - common) + words.dropFirst(common).map(String.init))
            .joined(separator: "/")
    }
}
