import Basics
import Documents
import ScenarioModel
import Testing

@testable import Conformance

@Suite struct SuiteDiscoveryTests {
    private static let device = #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap"}]}"#
    private static let suite = #"""
        {"lubdub": 1, "kind": "suite", "name": "s", "cases": [
         {"scenario": "folder/b.json"}, {"scenario": "folder/b.json", "id": "again", "seed": 3, "variables": {"away": "4 s"}}]}
        """#

    /// The result for a file system with these files.
    private func discovery(
        _ operands: [String], _ contents: [String: String], mayRepeat: Bool = false
    ) -> SuiteDiscovery { SuiteDiscovery(operands, in: files(contents), mayRepeat: mayRepeat) }

    private func files(_ files: [String: String]) -> CaseFiles {
        func inside(_ folder: String) -> [Substring] {
            files.keys.compactMap { $0.hasPrefix("\(folder)/") ? $0.dropFirst(folder.utf8.count + 1) : nil }
        }
        func clean(_ path: String) -> String { path.split(separator: "/").joined(separator: "/") }
        return CaseFiles(
            kind: { path in files[clean(path)] != nil ? .file : inside(clean(path)).isEmpty ? nil : .folder },
            names: { folder in Array(Set(inside(clean(folder)).map { String($0.prefix { $0 != "/" }) })) },
            contents: { path in files[clean(path)].map { Array($0.utf8) } })
    }

    private static let tree = [
        "all/b.json": device, "all/a/z.json": device, "all/a/y.json": #"{"lubdub": 1, "include": ["z.json"]}"#,
        "all/a/broken.json": "{", "all/list.json": suite, "all/other.json": #"{"lubdub": 1, "expect": []}"#,
        "all/notes.txt": device, "all/.hidden/c.json": device, "all/values.csv": "1,2",
    ]

    @Test(arguments: ["all", "all/"])
    func `A folder yields its scenarios in the order of their paths`(operand: String) {
        let discovery = discovery([operand], Self.tree)
        #expect(discovery.problems.isEmpty)
        #expect(discovery.cases.map(\.id) == ["a/broken", "a/y", "a/z", "b"])
        #expect(discovery.cases.map(\.path) == ["all/a/broken.json", "all/a/y.json", "all/a/z.json", "all/b.json"])
        #expect(discovery.cases.allSatisfy { $0.operand == operand })
    }

    @Test func `A suite yields its cases in order`() {
        let discovery = discovery(["in/suite.json"], ["in/suite.json": Self.suite, "in/folder/b.json": Self.device])
        #expect(discovery.problems.isEmpty)
        #expect(discovery.cases.map(\.id) == ["folder/b", "again"])
        #expect(discovery.cases.map(\.path) == ["in/folder/b.json", "in/folder/b.json"])
        #expect(discovery.cases.map(\.seed) == [nil, 3])
        #expect(discovery.cases[1].variables["away"]?.string == "4 s")
    }

    @Test func `A malformed scenario is a case too`() {
        let discovery = discovery(["a/x.json", "y"], ["a/x.json": "{", "y": Self.device])
        #expect(discovery.problems.isEmpty)
        #expect(discovery.cases == [Case(of: "a/x.json"), Case(of: "y")])
        #expect(discovery.cases.map(\.id) == ["a/x", "y"])
    }

    @Test func `Cases of different operands with the same id have their operand as a prefix`() {
        let files = ["one/a.json": Self.device, "two/a.json": Self.device, "two/b.json": Self.device]
        let cases = discovery(["one", "two/"], files).cases
        #expect(cases.map(\.id) == ["one/a", "two/a", "b"])
        #expect(cases.map(\.ownID) == ["a", "a", "b"])
    }

    @Test func `The same case may be repeated, but another one needs another id`() {
        let repeated = discovery(["all/b.json", "all/b.json", "all/a", "all/a"], Self.tree, mayRepeat: true)
        #expect(repeated.problems.isEmpty)
        #expect(repeated.cases.map(\.id).count { $0 == "all/b" } == 2)
        #expect(repeated.cases.map(\.id).count { $0 == "all/a/z" } == 2)
        let twice =
            #"{"lubdub": 1, "kind": "suite", "name": "s", "cases": [{"scenario": "b.json"}, {"scenario": "b.json", "seed": 3}]}"#
        let different = discovery(["all/two.json"], Self.tree.merging(["all/two.json": twice]) { $1 }, mayRepeat: true)
        #expect(different.problems.first?.code == .duplicateID)
    }

    /// Ids are equal if they look alike, since people cannot distinguish them.
    @Test(arguments: [false, true])
    func `Two names that look alike are a problem, with the fix for that`(mayRepeat: Bool) {
        let names = ["\u{E9}.json", "e\u{301}.json"]
        let files = CaseFiles(
            kind: { $0 == "all" ? .folder : .file }, names: { _ in names }, contents: { _ in Array(Self.device.utf8) })
        let problems = SuiteDiscovery(["all"], in: files, mayRepeat: mayRepeat).problems
        #expect(problems.map(\.code) == [.duplicateID])
        #expect(problems.first?.description.hasSuffix("can be one or two: rename one of them") == true)
        #expect(problems.first?.description.contains("--repeat") == false)
    }

    @Test(arguments: [
        (["none.json"], "none.json:1:1: LD0113: no such file or folder"),
        (
            ["all/a", "all/a"],
            #"all/a/broken.json:1:1: LD0131: another case has the id "all/a/broken"; to run a case several times, use --repeat"#
        ),
        (["empty"], "empty:1:1: LD0113: this folder contains no scenario"),
        (["bad.json"], #"bad.json:1:1: LD0106: cases: "cases" is required"#),
    ])
    func `Invalid operands are reported`(operands: [String], problem: String) {
        let more = ["empty/x.txt": "", "bad.json": #"{"lubdub": 1, "kind": "suite", "name": "no cases"}"#]
        let problems = discovery(operands, Self.tree.merging(more) { $1 }).problems.map(\.description)
        #expect(problems.first == problem)
    }

    @Test func `The files to validate are those of folders, with suites, and all others that are named`() {
        func documents(_ operands: String...) -> (paths: [String], problems: [Problem]) {
            SuiteDiscovery.documents(operands, in: files(Self.tree.merging(["empty/x.txt": ""]) { $1 }))
        }
        let all = documents("all/", "all/values.csv", "none.json")
        #expect(
            all.paths == [
                "all/a/broken.json", "all/a/y.json", "all/a/z.json", "all/b.json", "all/list.json", "all/values.csv",
                "none.json",
            ])
        #expect(all.problems.isEmpty)
        #expect(documents("empty").problems.map(\.code) == [.unreadable])
    }

    @Test(arguments: [
        (#"{"lubdub": 1, "name": "x", "device": []}"#, true), (#"{"lubdub": 1, "seed": 3}"#, true),
        (#"{"lubdub": 1, "kind": "scenario", "name": "x"}"#, true), (#"{"lubdub": 1, "cases": []}"#, true),
        (#"{"lubdub": 1, "note": "x", "script": [], "tags": []}"#, false),
        (#"{"lubdub": "0.1.0", "cases": []}"#, false),
        (#"{"lubdub_bonds": 1, "devices_": []}"#, false), ("[1]", false),
    ])
    func `A file whose devices are misspelt is a case, too, but neither a part of others nor a report is one`(
        text: String, isCase: Bool
    ) {
        let cases = discovery(["all"], ["all/a.json": text, "all/b.json": Self.device]).cases
        #expect(cases.map(\.id) == (isCase ? ["a", "b"] : ["b"]))
    }

    @Test func `A name in a folder that leads nowhere is reported`() {
        let kinds: [String: CaseFiles.Kind] = [
            "all": .folder, "all/closed": .folder, "all/good.json": .file, "all/pipe.json": .other, "all/tty": .other,
        ]
        let names = [
            "all/": [
                "closed", "good.json", "gone", "gone.json", "gone.txt", "pipe.json", "tty", "x\u{FFFD}.json",
                ".gone.json",
            ]
        ]
        let files = CaseFiles {
            kinds[$0]
        } names: {
            names[$0]
        } contents: { _ in
            Array(Self.device.utf8)
        }
        for problems in [
            SuiteDiscovery(["all"], in: files).problems, SuiteDiscovery.documents(["all"], in: files).problems,
        ] {
            #expect(
                problems.map(\.description) == [
                    "all/closed:1:1: LD0113: this folder cannot be read",
                    "all/gone:1:1: LD0113: nothing is there: a link to a missing file? remove it",
                    "all/gone.json:1:1: LD0113: nothing is there: a link to a missing file? remove it",
                    "all/pipe.json:1:1: LD0113: neither a file nor a folder: name what it leads to, or move it away",
                    "all/x\u{FFFD}.json:1:1: LD0113: this name is not UTF-8: rename it",
                ])
        }
    }

    @Test func `The search of an endless tree ends`() {
        let endless = CaseFiles(kind: { _ in .folder }, names: { _ in ["a", "b"] }, contents: { _ in nil })
        let discovery = SuiteDiscovery(["root"], in: endless)
        #expect(discovery.problems.map(\.code) == [.tooLarge])
    }

    @Test func `Folders that are too deep are reported, once`() {
        func problems(_ levels: Int) -> [String] {
            let deep = String(repeating: "d/", count: levels)
            return discovery(["all"], ["all/\(deep)a.json": Self.device, "all/e/\(deep)a.json": Self.device])
                .problems.map(\.description)
        }
        #expect(problems(31) == [])
        let found = problems(100)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("all:1:1: LD0112: there are more than 32 levels of folders: \"all/d/d/") == true)
        #expect(found.first?.hasSuffix("; choose a folder further down") == true)
    }

    // MARK: Selection

    private static let cases = ["a/x", "a/y", "b/x", "b/y", "c"].map { Case($0, path: "\($0).json", of: "all") }

    private func ids(_ only: [String], _ shard: String?) -> [String] {
        Selection(only: only.map { Glob($0) }, shard.flatMap { Selection.Shard($0) }).chosen(of: Self.cases).map(\.id)
    }

    @Test func `Ids select cases, and shards divide the selected cases`() {
        #expect(ids([], nil) == ["a/x", "a/y", "b/x", "b/y", "c"])
        #expect(ids(["a/*"], nil) == ["a/x", "a/y"])
        #expect(ids(["*x"], nil) == ["a/x", "b/x"])
        #expect(ids(["c", "a/*", "a/x"], nil) == ["a/x", "a/y", "c"])
        #expect(ids(["x"], nil) == [])
        #expect(ids([], "1/2") == ["a/x", "b/x", "c"])
        #expect(ids([], "2/2") == ["a/y", "b/y"])
        #expect(ids(["*y"], "2/2") == ["b/y"])
        #expect(ids([], "9/9") == [])
    }

    @Test(arguments: ["0/2", "3/2", "1", "1/", "/1", "1/2/3", "-1/2", "+1/2", "a/b", "", "1/99999999999999999999"])
    func `An invalid shard is rejected`(text: String) { #expect(Selection.Shard(text) == nil) }
}
