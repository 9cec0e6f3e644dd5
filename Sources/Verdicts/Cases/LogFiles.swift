package import Basics
package import Causes
package import Conformance
import Expectations
import Glibc
import Linux
package import ScenarioModel
package import VirtualWorld

/// Functions that receive what happens in a run, while it plays.
package struct RunListener: Sendable {
    /// Receives the events, with what describes values; nil if nobody follows them.
    package var events: (@Sendable (EventChunk, ValueFormatter) -> Void)?
    /// Receives the HCI packets; nil if nobody follows them.
    package var packets: (@Sendable (PacketChunk) -> Void)?
    /// Whether nobody is left who reads the results, so that the run may end.
    package var isGone: @Sendable () -> Bool = { false }

    package init() {}
}

/// The event logs and traces of a run, and what is passed to its listener.
package struct LogFiles: Sendable {
    private let events: [EventFile]
    private let traces: [TraceFile]
    /// The standard error of an external client.
    private let clientErrors: OutputFile?
    private let listener: RunListener
    private let recorder: CaseTimelineRecorder?
    /// The trace around failures, recorded when an external client makes a second run impossible.
    package let traceContext: TraceContext?

    /// `source` is the scenario's text, for `--keep`; `isCase`: whether the data for reports is recorded, too.
    ///
    /// A log can be followed while the run plays; but a run that is not `inRealTime` replaces existing files when it has ended.
    /// `observer` gets all events, too, but not at once.
    package init(
        _ plan: RunPlan, _ world: inout World, for listener: RunListener, source: [UInt8] = [],
        isCase: Bool = false, inRealTime: Bool, observer: EventJournal.Sink? = nil
    ) throws(Obstacle) {
        var folder: ArtifactDirectory?
        if let path = plan.keep { folder = try ArtifactDirectory(path, plan, source: source) }
        let wording = world.wording
        let begins = Duration.seconds(plan.scenario.begins.secondsSince2000 + Self.seconds1970To2000)
        func replaces(_ path: String) -> Bool { !inRealTime && FilePlace(path)?.exists == true }
        let (events, traces) = try orFail(.environment) {
            var (events, traces): ([EventFile], [TraceFile]) = ([], [])
            for path in [plan.events, folder?.events].compactMap({ $0 }) {
                events.append(
                    try EventFile(
                        path, wording: wording, version: version, scenario: plan.path,
                        seed: plan.seed,
                        source: plan.source, isWhole: replaces(path)))
            }
            for path in [plan.trace, folder?.trace].compactMap({ $0 }) {
                traces.append(try TraceFile(path, epoch: begins, isWhole: replaces(path)))
            }
            return (events, traces)
        }
        (self.events, self.traces) = (events, traces)
        clientErrors = try orFail(.environment) {
            guard plan.hasExternalClient, let path = folder?.clientErrors else { return nil }
            return try OutputFile(path)
        }
        self.listener = listener
        recorder = isCase && plan.showsTimelines ? CaseTimelineRecorder(plan.scenario, wording) : nil
        traceContext = isCase && plan.hasExternalClient ? TraceContext(world) : nil
        let (recorder, traceContext) = (recorder, traceContext)
        if !events.isEmpty || listener.events != nil || recorder != nil || traceContext != nil || observer != nil {
            world.journal = EventJournal { [events] chunk in
                for file in events { file.write(chunk) }
                listener.events?(chunk, wording)
                recorder?.take(chunk)
                traceContext?.take(chunk)
                observer?(chunk)
            }
        }
        if !traces.isEmpty || listener.packets != nil || traceContext != nil {
            world.packets = PacketLog { [traces] chunk in
                for file in traces { file.write(chunk) }
                listener.packets?(chunk)
                traceContext?.take(chunk)
            }
        }
    }

    private static let seconds1970To2000: Int64 = 946_684_800

    /// Whether nobody reads a log, or the results, any more.
    package var isUnread: Bool { readerIsGone || listener.isGone() }

    /// Whether the reader of a log has closed its pipe.
    package var readerIsGone: Bool {
        (events.map(\.failure) + traces.map(\.failure)).contains { $0?.code == EPIPE }
    }

    /// Saves what an external client wrote to its standard error.
    package func writeClientErrors(_ octets: ArraySlice<UInt8>) { clientErrors?.write(octets) }

    /// Passes recent events and packets on to the listener; files are not flushed.
    package func inform(_ world: inout World) {
        guard listener.events != nil || listener.packets != nil else { return }
        world.packets.flush()
        world.journal.flush()
    }

    /// Writes all buffered events and packets.
    package func flush(_ world: inout World) {
        world.packets.flush()
        world.journal.flush()
        for file in events { file.flush() }
        for file in traces { file.flush() }
        clientErrors?.flush()
        traceContext?.mark(world.rulings)
    }

    /// The timeline of the run, if a report shows it.
    package func timeline(of world: inout World) -> CaseTimeline? {
        world.journal.flush()
        return recorder?.timeline(until: world.now)
    }

    /// Closes the files. Returns `code`, or the code of SIGPIPE when a reader is gone.
    package func close(_ world: inout World, _ code: ExitCode) throws(Obstacle) -> ExitCode {
        flush(&world)
        var code = code
        if isUnread, code == .success || code == .failure { code = .signal(SIGPIPE) }
        try close(&world, status: code.status)
        return code
    }

    package func close(_ world: inout World, status: Int32) throws(Obstacle) {
        world.packets.flush()
        world.journal.flush()
        var failure: OutputFailure?
        for file in traces {
            do throws(OutputFailure) { try file.close() } catch { failure = failure ?? error }
        }
        do throws(OutputFailure) { try clientErrors?.close() } catch { failure = failure ?? error }
        let status = failure == nil || failure?.code == EINTR ? status : ExitCode.environment.status
        for file in events {
            do throws(OutputFailure) { try file.close(status: status) } catch { failure = failure ?? error }
        }
        if let failure, failure.code != EPIPE, failure.code != EINTR {
            throw Obstacle(.environment, "\(failure)")
        }
    }
}

/// The folder of `--keep`: everything that is needed to inspect or repeat a run.
package struct ArtifactDirectory {
    package let path: String

    package var events: String { "\(path)/\(Self.names.events)" }
    package var trace: String { "\(path)/\(Self.names.trace)" }
    package var clientErrors: String { "\(path)/\(Self.names.errors)" }

    private static let names = (
        scenario: "scenario.json", run: "run.json", events: "events.jsonl", trace: "trace.btsnoop",
        errors: "client.stderr"
    )

    /// The files in a folder of `--keep`.
    package static func files(in path: String) -> [String] {
        [names.scenario, names.run, names.events, names.trace, names.errors].map { "\(path)/\($0)" }
    }

    /// Creates the folder, and writes the scenario's text, and `run.json` with the seed, the variables of the command line,
    /// and the limit in seconds.
    package init(_ path: String, _ plan: RunPlan, source: [UInt8]) throws(Obstacle) {
        self.path = path
        try makeFolders(path)
        let settings = (plan.ownSettings + plan.settings).map(\.quoted).joined(separator: ", ")
        let limit = Instant.start.advanced(by: plan.scenario.limit)
        let run = """
            {"lubdub": \(version.quoted), "scenario": \(plan.path.quoted), "seed": \(plan.seed), \
            "set": [\(settings)], "limit": \(limit)}

            """
        try orFail(.environment) {
            for (name, octets) in [(Self.names.scenario, source), (Self.names.run, Array(run.utf8))]
            where !octets.isEmpty {
                let file = try OutputFile("\(path)/\(name)", isWhole: true)
                file.write(octets[...])
                try file.close()
            }
        }
    }

    /// The folders of cases below `path`: their ids, made unique, also for file systems that ignore case, and without `..` and
    /// the names of files that runs write.
    package static func paths(of ids: [String], in path: String) -> [String] {
        let files = Set((ReportFiles.paths(in: "") + files(in: "")).map { String($0.dropFirst()) })
        var taken: Set<String> = []
        return ids.map { id in
            let words = id.split(separator: "/").filter { $0 != "." }.map { folder(named: $0, besides: files) }
            var name = (words.isEmpty ? ["_"] : words).joined(separator: "/")
            while !taken.insert(name.lowercased()).inserted { name += "_" }
            return "\(path)/\(name)"
        }
    }

    /// In octets. File systems have names of up to 255.
    private static let longestName = 200

    private static func folder(named word: Substring, besides files: Set<String>) -> String {
        guard word != ".." else { return "_" }
        let name = String(word.map { $0.isASCII && ($0.asciiValue ?? 0) < 0x20 ? "_" : $0 })
        guard name.utf8.count <= longestName else {
            var digest = FileDigest()
            digest.add(Array(name.utf8))
            return "\(String(decoding: name.utf8.prefix(longestName / 2), as: UTF8.self))_\(digest.text)"
        }
        return files.contains(name.lowercased()) ? "\(name)_" : name
    }
}
