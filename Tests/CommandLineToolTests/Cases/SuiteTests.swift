import Basics
import Conformance
import Documents
import Expectations
import FoundationEssentials
import Glibc
import ScenarioModel
import Testing

@testable import Cases
@testable import CommandLineTool
@testable import CommandSupport

@Suite struct SuiteTests {
    private static let root = String(#filePath.dropLast("/Tests/CommandLineToolTests/Cases/SuiteTests.swift".count))

    @Test func `The artifacts of each case are in a separate folder below the named one`() {
        let ids = ["a/b", "/etc/x", "../../x", "_/_/x", "a//b", "", "./.", "x\u{7}/y"]
        #expect(
            ArtifactDirectory.paths(of: ids, in: "kept") == [
                "kept/a/b", "kept/etc/x", "kept/_/_/x", "kept/_/_/x_", "kept/a/b_", "kept/_", "kept/__", "kept/x_/y",
            ])
    }

    private static func entry(
        _ verdict: Verdict, reasons: [String] = [], replay: String? = "lubdub run a"
    ) -> Report.Entry {
        var report = Report(version: "1")
        return report.add(
            "a/x", Outcome(verdict, title: "X", reasons: reasons, replay: replay, duration: .milliseconds(12_340)))
    }

    @Test(
        arguments: [
            (entry(.pass), ["pass          a/x  12.3 s"]),
            (
                entry(.fail, reasons: ["one", "two"]),
                [
                    "fail          a/x  12.3 s", "              one", "              two",
                    "              replay: lubdub run a",
                ]
            ),
            (entry(.skip, reasons: ["needs pairing"]), ["skip          a/x  12.3 s", "              needs pairing"]),
            (entry(.error, reasons: ["bad"], replay: nil), ["error         a/x  12.3 s", "              bad"]),
        ])
    func `A case is one line, and other results than passes have details`(entry: Report.Entry, lines: [String]) {
        #expect(CaseFormatter(paint: Paint(isOn: false), isVirtual: true).lines(entry).map(\.description) == lines)
    }

    @Test func `Groups are counted where there are several`() {
        let wording = CaseFormatter(paint: Paint(isOn: false), isVirtual: false)
        var report = Report(version: "1")
        report.add("long/x", Outcome(.pass, title: "", duration: .seconds(1)))
        #expect(wording.summary(report) == ["1 pass, 0 fail, 0 inconclusive, 0 skip, 0 error in 1.0 s"])
        report.add("x", Outcome(.inconclusive, title: "", duration: .seconds(1)))
        #expect(
            wording.summary(report) == [
                "           pass  fail  inconclusive  skip  error",
                "long          1     0             0     0      0",
                "no folder     0     0             1     0      0",
                "1 pass, 0 fail, 1 inconclusive, 0 skip, 0 error in 2.0 s",
            ])
    }

    @Test func `A link to a folder is followed only where it was named`() throws {
        let folder = "/tmp/lubdub-\(getpid())-links"
        let files = FileManager.default
        defer { try? files.removeItem(atPath: folder) }
        try files.createDirectory(atPath: "\(folder)/inner", withIntermediateDirectories: true)
        let scenario = try #require(files.contents(atPath: "\(Self.root)/scenarios/resting.json"))
        try scenario.write(to: URL(filePath: "\(folder)/inner/a.json"))
        try files.createSymbolicLink(atPath: "\(folder)/inner/loop", withDestinationPath: folder)
        try files.createSymbolicLink(atPath: "\(folder)/inner/b.json", withDestinationPath: "a.json")
        #expect(try discoverCases([folder]).map(\.id) == ["inner/a", "inner/b"])
        #expect(try discoverCases(["\(folder)/inner/loop"]).map(\.id) == ["inner/a", "inner/b"])
    }

    @Test func `Broken files are errors`() throws {
        let broken = "\(Self.root)/Tests/ScenarioLanguageTests/Broken"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: broken).sorted().first { $0.hasSuffix(".json") })
        guard case .unplayed(let outcome) = CaseReading(Case("x", path: "\(broken)/\(name)", of: broken)) else {
            return #expect(Bool(false), "\(name) is not a broken file")
        }
        #expect(outcome.verdict == .error)
        #expect(outcome.reasons.count == 1)
        guard case .unplayed(let missing) = CaseReading(Case("x", path: "none.json", of: "none.json")) else {
            return #expect(Bool(false), "a file that is not there was read")
        }
        #expect(missing.verdict == .error)
        #expect(missing.title == "x")
    }

    /// A suite of strangers can name any file; its errors do not print what is in there.
    @Test func `Errors show nothing of files outside of the suite's folder that are not scenarios`() throws {
        let files = FileManager.default
        let root = files.temporaryDirectory.appending(path: "suite-\(UInt64.random(in: 0 ... .max))").path
        defer { try? files.removeItem(atPath: root) }
        try files.createDirectory(atPath: "\(root)/suite", withIntermediateDirectories: true)
        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: "\(root)/\(name)", atomically: false, encoding: .utf8)
        }
        try write("hunter2:x:0", "passwd")
        try write(#"{"auths": {"hunter2": "hunter2"}}"#, "secret.json")
        try write(#"{"lubdub": 1, "name": "hunter2", "limit": "1 s", "devicez": []}"#, "sibling.json")
        try write("{\"oops\": hunter2}", "suite/own.json")
        try files.createSymbolicLink(atPath: "\(root)/suite/link.json", withDestinationPath: "../passwd")
        let including = #"{"lubdub": 1, "name": "I", "limit": "1 s", "include": ["../secret.json"], "devices": []}"#
        try write(including, "suite/including.json")
        let paths = ["../passwd", "../secret.json", "link.json", "including.json", "../sibling.json", "own.json"]
        let cases = paths.map { "{\"scenario\": \"\($0)\"}" }.joined(separator: ",")
        try write("{\"lubdub\": 1, \"kind\": \"suite\", \"name\": \"S\", \"cases\": [\(cases)]}", "suite/suite.json")
        for operand in ["\(root)/suite/suite.json", "\(root)/suite"] {
            for item in try discoverCases([operand]) where !item.path.hasSuffix("suite.json") {
                guard case .unplayed(let outcome) = CaseReading(item) else {
                    Issue.record("\(item.path) was read")
                    continue
                }
                let text = outcome.findings.flatMap { [$0.line] + $0.trace }.joined(separator: "\n")
                let mayShow = item.path.hasSuffix("sibling.json") || item.path.hasSuffix("own.json")
                #expect(text.contains("hunter2") == mayShow, "\(item.path): \(text)")
                #expect(text.contains("is not shown") == !mayShow, "\(item.path): \(text)")
            }
        }
        for name in ["suite/suite.json", "suite/including.json"] {
            let failure = #expect(throws: Obstacle.self) { try readSource("\(root)/\(name)") }
            #expect(failure?.description.contains("is not shown") == true)
            #expect(!["hunter2:x", "auths"].contains { failure?.description.contains($0) == true })
        }
    }

    @Test func `A replay line names the case as it is called where it comes from`() throws {
        let path = "\(Self.root)/scenarios/resting.json"
        let item = Case("my case", path: path, seed: 3, variables: ["rest": Node(.string("4 s"))], of: "all suites/")
        guard case .scenario(let scenario, _) = CaseReading(Case("x", path: path, of: path)) else {
            return #expect(Bool(false), "it cannot be read")
        }
        let words = ["all suites/", "--for", "9 s", "--strict", "--set", "a=b"]
        let configuration = try RunPlan(scenario, item, seed: nil, keep: nil, try runGrammar.parse(words))
        #expect(configuration.seed == 3)
        #expect(
            configuration.replay
                == "lubdub run 'all suites/' --seed 3 --set a=b --for '9 s' --strict --only 'my case'")
        let client = ["all suites/", "--client", "a b", "--controller", "vhci"]
        #expect(
            try RunPlan(scenario, item, seed: nil, keep: nil, try runGrammar.parse(client)).replay
                == "lubdub run 'all suites/' --seed 3 --client 'a b' --controller vhci --only 'my case'")
        #expect(try RunPlan(scenario, item, seed: 8, keep: nil, try runGrammar.parse(words)).seed == 8)
    }
}
