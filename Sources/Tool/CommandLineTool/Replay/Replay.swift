import Arguments
import Documents
import Glibc
import Reporting
import Scenarios
import Simulation
import Spelling

let replayGrammar = Arguments.Grammar(
    "replay", "make a scenario of an event log, with what was done by hand in its script",
    operands: [.required("EVENTS", "the event log of a serve")],
    options: [
        .option("-o", "SCENARIO", "the file to write (default: standard output)"),
        .option("--scenario", "FILE", "the scenario that was played, where the log's own path does not lead to it"),
        .flag("--changed", "take the scenario as it is now, though it is not what it was"),
    ])

func replay(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let path = invocation.operands.first ?? ""
    let log = try handLog(path)
    let scenario = try played(log, path, invocation)
    let target = invocation.text("-o")
    if let target, [path, scenario].map(absolute).contains(absolute(target)) {
        throw CommandFailure(.usage, "lubdub: -o \(target.quoted) would be written over what it is made of")
    }
    let text = try replayed(log, scenario, at: target ?? "replay.json", invocation.has("--changed"))
    guard let target else {
        Console.print(String(text.dropLast()))
        return .success
    }
    do throws(OutputFailure) {
        let file = try OutputFile(target)
        file.write(Array(text.utf8)[...])
        try file.close()
    } catch { throw CommandFailure(.environment, "lubdub: \(error)") }
    let count = log.deeds.count
    Console.print("\(target): \(count) \(count == 1 ? "action" : "actions") by hand")
    return .success
}

/// Reads a log line by line, however long it is; a last line that was cut off does not count.
private func handLog(_ path: String) throws(CommandFailure) -> HandLog {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
        throw CommandFailure(.usage, "lubdub: cannot read \(path.quoted): \(unsafe String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var (lines, log) = (LineFramer(longest: 1 << 20), HandLog?.none)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    do {
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            lines.append(Array(buffer[..<count]))
            while let line = try lines.next() {
                if log == nil { log = try HandLog(line) } else { try log?.add(line) }
            }
        }
    } catch let error as HandLog.Unreadable {
        throw CommandFailure(.usage, "\(path):\(error.line): \(error.reason)")
    } catch { throw CommandFailure(.usage, "\(path): a line has more than \(1 << 20) octets") }
    guard let log else { throw CommandFailure(.usage, "\(path): this is no event log: it has no whole line") }
    return log
}

/// The path of the scenario that a log is of.
private func played(_ log: HandLog, _ path: String, _ invocation: Invocation) throws(CommandFailure) -> String {
    if let other = invocation.text("--scenario") { return other }
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

/// The text of the new file, which is to stand at a path; it has been read again, and says the same.
private func replayed(
    _ log: HandLog, _ path: String, at target: String, _ mayHaveChanged: Bool
) throws(CommandFailure) -> String {
    let variables = try Played.variables(log.source.settings)
    let source = try readSource(path, variables: variables)
    if let digest = log.source.digest, digest != source.digest, !mayHaveChanged {
        throw CommandFailure(
            .usage,
            "lubdub: \(path) has changed since it was played (its digest was \(digest), and is \(source.digest)): name "
                + "the old one with --scenario FILE, or take it as it is now with --changed")
    }
    if log.source.digest == nil {
        Console.complain("lubdub: the log does not say whether \(path) has changed since")
    }
    guard log.source.seed <= UInt64(Int.max) else {
        throw CommandFailure(.usage, "lubdub: a scenario cannot have the seed \(log.source.seed) of the log")
    }
    let original = ScenarioFile.flattened(
        path, variables: variables, naming: { relative($0, to: target) }, load: contents)
    guard let original else { throw CommandFailure(.internalError, "lubdub: \(path) cannot be made into one file") }
    let replay = ReplayScenario(
        original, devices: source.scenario.devices.map(\.id),
        limit: source.scenario.limit.inNanoseconds / 1000 + 1, log)
    let text = replay.root.indentedJSON + "\n"
    let again = ScenarioFile.read(target) { $0 == target ? Array(text.utf8) : contents(of: $0) }
    guard again.problems.isEmpty else {
        throw CommandFailure(
            .usage,
            (["lubdub: what was done by hand does not fit \(path):"] + again.problems.map(\.description))
                .joined(separator: "\n"))
    }
    guard again.scenario?.devices == source.scenario.devices else {
        throw CommandFailure(.internalError, "lubdub: the devices of \(path) cannot be said in one file")
    }
    return text
}

// MARK: Paths

/// The path of a file from the root.
func absolute(_ path: String) -> String {
    var words: [Substring] = []
    let folder = path.hasPrefix("/") ? "" : currentFolder
    for word in "\(folder)/\(path)".split(separator: "/") where word != "." {
        if word == ".." { _ = words.popLast() } else { words.append(word) }
    }
    return "/" + words.joined(separator: "/")
}

private var currentFolder: String {
    guard let folder = unsafe getcwd(nil, 0) else { return "" }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder)
}

/// A path as a file at `target` names it.
private func relative(_ path: String, to target: String) -> String {
    let words = absolute(path).split(separator: "/")
    let folder = absolute(target).split(separator: "/").dropLast()
    let common = zip(words, folder).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: folder.count - common) + words.dropFirst(common).map(String.init))
        .joined(separator: "/")
}
