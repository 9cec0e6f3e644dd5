import Basics
import Cases
import FoundationEssentials
import Glibc
import ScenarioModel
import Testing

@testable import CommandLineTool
@testable import CommandSupport

/// A folder with a scenario, and a file with other names.
private final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "clash-\(UInt64.random(in: 0 ... .max))").path
        try FileManager.default.createDirectory(atPath: "\(path)/sub", withIntermediateDirectories: true)
        let scenario = """
            {"lubdub": 1, "name": "S", "limit": "10 s", "devices": [{"id": "s", "name": "S", "address": "C0:FF:EE:00:00:01/random",
             "advertise": {"services": ["180D"]},
             "services": [{"service": "heart_rate", "value": 60}]}]}
            """
        for (name, text) in [("scenario.json", scenario), ("a.json", scenario), ("other.json", "{}")] {
            try write(text, name)
        }
        unsafe link("\(path)/a.json", "\(path)/hard.json")
        unsafe symlink("a.json", "\(path)/soft.json")
        unsafe symlink("new.json", "\(path)/dangling.json")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
    }

    /// What is in the folder and in its files, which nothing that is refused changes.
    func contents() throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        return Dictionary(
            names.map { ($0, (try? String(contentsOfFile: "\(path)/\($0)", encoding: .utf8)) ?? "") }
        ) { first, _ in first }
    }
}

/// A place of a command line where a file is named.
private enum Slot: Hashable {
    case operand(Int)
    case option(String)
}

extension CommandGrammar {
    /// The pairs of files of which the command writes one, each option that can be repeated also with itself.
    fileprivate var pairs: [(one: Slot, other: Slot, isRead: Bool)] {
        var files: [(slot: Slot, use: FileUse, isRepeatable: Bool)] = []
        for (place, operand) in operands.enumerated() {
            if let use = operand.kind.fileUse { files.append((.operand(place), use, operand.count.upperBound > 1)) }
        }
        for option in options where option.value != nil {
            if let use = option.kind.fileUse { files.append((.option(option.name), use, option.isRepeatable)) }
        }
        return files.indices.flatMap { one in
            files[one...].enumerated().compactMap { offset, other in
                guard files[one].use != .read || other.use != .read, offset > 0 || other.isRepeatable else {
                    return nil
                }
                return (files[one].slot, other.slot, files[one].use == .read || other.use == .read)
            }
        }
    }

    private func isAddress(_ name: String) -> Bool { options.contains { $0.name == name && $0.kind == .address } }

    /// A command line with these files, and something for the operands that it needs.
    fileprivate func words(_ files: [(Slot, String)], in folder: Folder) -> [String] {
        var words = files.flatMap { slot, path in
            if case .option(let name) = slot { [name, isAddress(name) ? "unix:\(path)" : path] } else { [String]() }
        }
        let last = files.compactMap { if case .operand(let place) = $0.0 { place } else { nil } }.max() ?? -1
        for (place, operand) in operands.enumerated() where operand.count.lowerBound > 0 || place <= last {
            let own = files.filter { $0.0 == .operand(place) }.map(\.1)
            words += own.isEmpty ? [operand.kind.example(in: folder)] : own
        }
        return words
    }
}

extension WordKind {
    fileprivate func example(in folder: Folder) -> String {
        switch self {
        case .words(let words): words.first ?? ""
        case .scenario, .suite: "\(folder.path)/scenario.json"
        case .file: "\(folder.path)/other.json"
        case .text, .folder, .address: "x"
        }
    }
}

/// Commands that run in the process of the tests: one at a time, since they share its standard output.
@Suite(.serialized) enum CommandTests {}

extension CommandTests {
    /// No command overwrites a file that it reads, or writes a file twice: whatever its options, and whatever links lead there.
    @Suite struct FileClashTests {
        private let folder: Folder

        init() throws { folder = try Folder() }

        private static let existing = [
            ("a.json", "a.json"), ("a.json", "sub/../a.json"), ("a.json", "hard.json"), ("a.json", "soft.json"),
        ]
        private static let missing = [
            ("new.json", "new.json"), ("new.json", "sub/.././new.json"), ("new.json", "dangling.json"),
            ("new.json", "NEW.json"),
        ]

        private static func isRefusal(_ failure: Obstacle?) -> Bool {
            guard let failure, failure.code == .usage else { return false }
            return ["would overwrite", "the same file", " twice"].contains(where: failure.description.contains)
        }

        @Test(arguments: program.commands.map(\.command))
        func `Each pair of files of a command is refused if it is one file`(command: String) throws {
            let grammar = try program.grammar(of: command)
            let before = try folder.contents()
            for (one, other, isRead) in grammar.pairs {
                for (left, right) in Self.existing + (isRead ? [] : Self.missing) {
                    let paths = ["\(folder.path)/\(left)", "\(folder.path)/\(right)"]
                    for files in [[(one, paths[0]), (other, paths[1])], [(one, paths[1]), (other, paths[0])]] {
                        let words = grammar.words(files, in: folder)
                        let invocation = try grammar.parse(words)
                        let failure = #expect(throws: Obstacle.self, "\(words)") {
                            try prepared(invocation, by: grammar)
                        }
                        #expect(Self.isRefusal(failure), "\(words): \(failure?.description ?? "")")
                    }
                }
                let path = "\(folder.path)/a.json"
                #expect(runTool([command] + grammar.words([(one, path), (other, path)], in: folder)) == 2)
            }
            #expect(try folder.contents() == before)
        }

        @Test func `All commands that write files are there`() {
            let pairs = Dictionary(program.commands.map { ($0.command, $0.pairs.count) }) { first, _ in first }
            #expect(
                pairs.filter { $0.value > 0 }.keys.sorted() == [
                    "check", "controller", "demo", "matrix", "merge", "record", "replay", "run", "serve",
                ])
            // SCENARIO, --events, --trace, --bonds, --control, --system, and --controller, which can be repeated
            #expect(pairs["serve"] == 22)
        }

        @Test func `Files that are different, and streams, are accepted`() throws {
            for words in [
                ["--events", "\(folder.path)/e", "--trace", "\(folder.path)/t", "--bonds", "\(folder.path)/b"],
                ["--events", "/dev/null", "--trace", "/dev/null"],
                ["--events", "-", "--bonds", "\(folder.path)/soft.json"],
            ] {
                let invocation = try serveGrammar.parse(words + ["\(folder.path)/scenario.json"])
                _ = try prepared(invocation, by: serveGrammar)
            }
        }

        @Test(arguments: ["scenario.json", "run.json", "events.jsonl", "trace.btsnoop", "report.json"])
        func `A file of --keep is not a file of another option`(name: String) throws {
            let words = ["--keep", "\(folder.path)/new", "--bonds", "\(folder.path)/NEW/\(name)", "a.json"]
            let failure = #expect(throws: Obstacle.self) {
                try RunPlan(.empty, "a.json", try serveGrammar.parse(words))
            }
            #expect(Self.isRefusal(failure))
        }

        @Test func `The lock of a file of bonds is not a file of another option`() throws {
            let words = ["--bonds", "\(folder.path)/soft.json", "--events", "\(folder.path)/a.json.lock", "a.json"]
            let invocation = try serveGrammar.parse(words)
            #expect(Self.isRefusal(#expect(throws: Obstacle.self) { try FileUses(invocation) }))
        }

        @Test(arguments: [("S", "S.lock"), ("stale", "stale"), ("b.lock", "b"), ("S.lock", "S")])
        func `A socket and its lock are not files of another option`(socket: String, other: String) throws {
            #expect(unsafe mknod("\(folder.path)/stale", S_IFSOCK | 0o600, 0) == 0)
            for words in [
                ["--control", "unix:\(folder.path)/\(socket)", "--bonds", "\(folder.path)/\(other)"],
                ["--controller", "unix:\(folder.path)/\(socket)", "--bonds", "\(folder.path)/\(other)"],
            ] {
                let invocation = try serveGrammar.parse(words + ["a.json"])
                let failure = #expect(throws: Obstacle.self) { try FileUses(invocation) }
                #expect(Self.isRefusal(failure))
                #expect(failure?.description.contains(words[0]) == true)
                #expect(failure?.description.contains("--bonds") == true)
            }
        }

        /// The names of the scenario and of the trace; the table is a link.
        @Test(arguments: [
            ("a.json", "a.json", nil), ("hard.json", "a.json", nil), ("soft.json", "a.json", nil),
            ("x.json", "a.json", "a.json"), ("x.json", "other.json", "x.json"), ("x.json", "x.csv", nil),
        ])
        func `A recording does not overwrite the trace that it reads`(
            target: String, trace: String, table: String?
        ) throws {
            if let table { unsafe symlink(table, "\(folder.path)/x.csv") }
            let before = try folder.contents()
            let words = ["--from", "\(folder.path)/\(trace)", "-o", "\(folder.path)/\(target)", "--force"]
            let invocation = try recordGrammar.parse(words)
            #expect(Self.isRefusal(#expect(throws: Obstacle.self) { try record(invocation) }))
            #expect(try folder.contents() == before)
        }
    }
}

extension CommandTests {
    /// What a run with `--keep` writes stays in that folder, whatever its cases are named.
    @Suite struct KeptFolderTests {
        private let folder: Folder

        init() throws { folder = try Folder() }

        private func run(_ ids: [String], keep: String) throws -> Int32 {
            let cases = ids.map { "{\"id\": \"\($0)\", \"scenario\": \"scenario.json\"}" }.joined(separator: ",")
            try folder.write(
                "{\"lubdub\": 1, \"kind\": \"suite\", \"name\": \"S\", \"cases\": [\(cases)]}", "suite.json")
            return runTool(["run", "\(folder.path)/suite.json", "--keep", "\(folder.path)/\(keep)", "--quiet"])
        }

        @Test(arguments: [
            ["a", "A", "a_"], ["report.json", "report.html/x", "REPORT.xml", "report"],
            ["x", "x/events.jsonl", "x/RUN.json/y"],
            [String(repeating: "n", count: 300), String(repeating: "n", count: 301)],
            ["index", "scenario.json", ".", ".."],
        ])
        func `Each case has its own folder, whatever its id`(ids: [String]) throws {
            #expect(try run(ids, keep: "kept") == 0)
            let logs = try folder.contents().keys.filter { $0.hasSuffix("/run.json") && $0.hasPrefix("kept/") }
            #expect(logs.count == ids.count)
            #expect(try folder.contents()["kept/report.json"]?.contains("\"pass\"") == true)
        }

        @Test func `An id that no path can have is refused before the run`() throws {
            #expect(try run(["a", String(repeating: "n/", count: 3000)], keep: "kept") == 2)
            #expect(try folder.contents().keys.contains { $0.hasPrefix("kept") } == false)
        }

        @Test(arguments: ["events.jsonl", "run.json", "", "../report.md"])
        func `No link in the folder of an earlier run leads out of it`(name: String) throws {
            #expect(try run(["one"], keep: "kept") == 0)
            try FileManager.default.createDirectory(atPath: "\(folder.path)/out", withIntermediateDirectories: true)
            let place = "\(folder.path)/kept/one" + (name.isEmpty ? "" : "/\(name)")
            for makeLink in [{ unsafe symlink($0, $1) }, { unsafe link($0, $1) }] as [(String, String) -> CInt] {
                try FileManager.default.removeItem(atPath: place)
                #expect(makeLink("\(folder.path)/\(name.isEmpty ? "out" : "other.json")", place) == 0 || name.isEmpty)
                let before = try folder.contents()
                guard before.keys.contains("kept/one") else { return }  // a folder has no hard links
                #expect(try run(["one"], keep: "kept") == 2)
                #expect(try folder.contents() == before)
            }
        }

        @Test func `A file is not where the folder of a case has to be`() throws {
            #expect(try run(["one"], keep: "kept") == 0)
            try folder.write("mine", "kept/two")
            #expect(try run(["one", "two"], keep: "kept") == 2)
            #expect(try folder.contents()["kept/two"] == "mine")
        }
    }
}
