import Arguments
import Documents
import Scenarios
import Testing

@testable import Conformance

@Suite struct SuiteDiscoveryTests {
    private static let device = #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap"}]}"#
    private static let suite = #"""
        {"lubdub": 1, "kind": "suite", "name": "s", "cases": [
         {"scenario": "folder/b.json"}, {"scenario": "folder/b.json", "id": "again", "seed": 3, "variables": {"away": "4 s"}}]}
        """#

    /// Files by their paths; the folders are those in which they are.
    private func discovery(_ operands: [String], _ files: [String: String]) -> SuiteDiscovery {
        func inside(_ folder: String) -> [Substring] {
            files.keys.compactMap { $0.hasPrefix("\(folder)/") ? $0.dropFirst(folder.utf8.count + 1) : nil }
        }
        func clean(_ path: String) -> String { path.split(separator: "/").joined(separator: "/") }
        return SuiteDiscovery(
            operands,
            in: CaseFiles(
                kind: { path in files[clean(path)] != nil ? .file : inside(clean(path)).isEmpty ? nil : .folder },
                names: { folder in Array(Set(inside(clean(folder)).map { String($0.prefix { $0 != "/" }) })) },
                contents: { path in files[clean(path)].map { Array($0.utf8) } }))
    }

    private static let tree = [
        "all/b.json": device, "all/a/z.json": device, "all/a/y.json": #"{"lubdub": 1, "include": ["z.json"]}"#,
        "all/a/broken.json": "{", "all/list.json": suite, "all/other.json": #"{"lubdub": 1, "expect": []}"#,
        "all/notes.txt": device, "all/.hidden/c.json": device, "all/values.csv": "1,2",
    ]

    @Test(arguments: ["all", "all/"])
    func `A folder is the scenarios in it, in the order of their paths`(operand: String) {
        let discovery = discovery([operand], Self.tree)
        #expect(discovery.problems.isEmpty)
        #expect(discovery.cases.map(\.id) == ["a/broken", "a/y", "a/z", "b"])
        #expect(discovery.cases.map(\.path) == ["all/a/broken.json", "all/a/y.json", "all/a/z.json", "all/b.json"])
        #expect(discovery.cases.allSatisfy { $0.operand == operand })
    }

    @Test func `A suite is its cases, in its order`() {
        let discovery = discovery(["in/suite.json"], ["in/suite.json": Self.suite, "in/folder/b.json": Self.device])
        #expect(discovery.problems.isEmpty)
        #expect(discovery.cases.map(\.id) == ["folder/b", "again"])
        #expect(discovery.cases.map(\.path) == ["in/folder/b.json", "in/folder/b.json"])
        #expect(discovery.cases.map(\.seed) == [nil, 3])
        #expect(discovery.cases[1].variables["away"]?.string == "4 s")
    }

    @Test func `A scenario is a case of its own, whatever is wrong with it`() {
        let discovery = discovery(["a/x.json", "y"], ["a/x.json": "{", "y": Self.device])
        #expect(discovery.problems.isEmpty)
        #expect(discovery.cases == [Case(of: "a/x.json"), Case(of: "y")])
        #expect(discovery.cases.map(\.id) == ["a/x", "y"])
    }

    @Test func `Cases of several operands with one id are called by their operands`() {
        let files = ["one/a.json": Self.device, "two/a.json": Self.device, "two/b.json": Self.device]
        let cases = discovery(["one", "two/"], files).cases
        #expect(cases.map(\.id) == ["one/a", "two/a", "b"])
        #expect(cases.map(\.ownID) == ["a", "a", "b"])
    }

    @Test(arguments: [
        (["none.json"], "none.json:1:1: LD0113: this file cannot be read"),
        (["all/a", "all/a"], #"all/a/broken.json:1:1: LD0131: there is another case "all/a/broken""#),
        (["empty"], "empty:1:1: LD0113: there is no scenario in this folder"),
        (["bad.json"], #"bad.json:1:1: LD0106: cases: missing key"#),
    ])
    func `What cannot be meant is said`(operands: [String], problem: String) {
        let more = ["empty/x.txt": "", "bad.json": #"{"lubdub": 1, "kind": "suite", "name": "no cases"}"#]
        let said = discovery(operands, Self.tree.merging(more) { $1 }).problems.map(\.description)
        #expect(said.first == problem)
    }

    @Test func `A tree without end is not followed for ever`() {
        let endless = CaseFiles(kind: { _ in .folder }, names: { _ in ["a", "b"] }, contents: { _ in nil })
        let discovery = SuiteDiscovery(["root"], in: endless)
        #expect(discovery.problems.map(\.code) == [.tooLarge])
    }

    // MARK: Which of them

    private static let cases = ["a/x", "a/y", "b/x", "b/y", "c"].map { Case($0, path: "\($0).json", of: "all") }

    private func ids(_ only: [String], _ shard: String?) -> [String] {
        Selection(only: only.map { Glob($0) }, shard.flatMap { Selection.Shard($0) }).chosen(of: Self.cases).map(\.id)
    }

    @Test func `Ids choose, and shards divide what is chosen`() {
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
    func `What is no shard is none`(text: String) { #expect(Selection.Shard(text) == nil) }
}
