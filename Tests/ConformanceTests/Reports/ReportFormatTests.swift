import Basics
import Conformance
import Documents
import Expectations
import FoundationEssentials
import Glibc
import Linux
import Testing

@Suite struct ReportFormatTests {
    /// A case of each verdict, with text that formats must escape.
    private static var report: Report {
        var report = Report(version: "0.1", seed: 7)
        let nasty = "<&\"'> \u{0}\u{1B}[31m\t\u{85}\u{FFFE}é\r\n]]>"
        report.add("a/pass", Outcome(.pass, title: nasty, seed: 7, duration: .milliseconds(1500)))
        let finding = CaseFinding(id: "shows", requirement: "HRP/COL/HRF/BV-04-C", verdict: .fail, reason: nasty)
        let other = CaseFinding(id: "clears", verdict: .inconclusive, reason: "not said")
        report.add(
            "a/fail",
            Outcome(
                judging: [finding, other], title: "Fail", replay: "lubdub run a --only fail", duration: .seconds(3)))
        report.add("b/" + nasty, Outcome(.inconclusive, title: "Open"))
        report.add("b/skip", Outcome(.skip, title: "Skip", reasons: ["needs pairing"]))
        report.add("error", Outcome(.error, title: "Error", reasons: ["one", "two"]))
        return report
    }

    @Test func `JUnit has a suite for each group, and no character that XML forbids`() {
        let text = JUnitReport.text(of: Self.report)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[1] == #"<testsuites name="lubdub" tests="5" failures="2" errors="1" time="4.500">"#)
        #expect(text.contains(#"<testsuite name="a" tests="2" failures="1" errors="0" time="4.500" skipped="0">"#))
        #expect(text.contains(#"<testsuite name="b" tests="2" failures="1" errors="0" time="0.000" skipped="1">"#))
        #expect(text.contains(#"<testcase name="a/pass" classname="lubdub.a" time="1.500"/>"#))
        #expect(text.contains(#"<testcase name="error" classname="lubdub" time="0.000">"#))
        #expect(text.contains(#"<skipped type="skip" message="needs pairing">"#))
        #expect(text.contains(#"<error type="error" message="one">Error"# + "\none\ntwo</error>"))
        #expect(text.contains(#"<failure type="inconclusive" message="inconclusive">Open</failure>"#))
        #expect(text.contains("requirement: HRP/COL/HRF/BV-04-C\nreplay: lubdub run a --only fail</failure>"))
        #expect(text.contains(#"&lt;&amp;&quot;'&gt; \u{00}\u{1B}[31m&#9;\u{85}\u{FFFE}é"#))
        #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || 0x7F...0x9F ~= $0.value })
        #expect(!text.contains("]]>"))
    }

    @Test func `JSON has one case per line`() throws {
        let text = JSONReport.text(of: Self.report)
        _ = try Node(json: text.utf8, file: "report")
        let lines = text.split(separator: "\n")
        #expect(lines[0] == #"{"lubdub": "0.1", "seed": 7, "cases": ["#)
        #expect(lines[1].hasPrefix(#"  {"id": "a/pass", "title": "<&\"'>"#))
        #expect(
            lines[1].hasSuffix(
                #""verdict": "pass", "requirement": null, "reason": null, "replay": null, "start": 0.000000, "duration": 1.500000, "note": null, "findings": [], "stderr": null},"#
            ))
        #expect(lines[2].contains(#""requirement": "HRP/COL/HRF/BV-04-C", "reason": "shows (HRP/COL/HRF/BV-04-C): "#))
        #expect(lines[2].contains(#"\nclears: not said", "replay": "lubdub run a --only fail", "start": 1.500000"#))
        #expect(lines[6] == #" "summary": {"pass": 1, "fail": 1, "inconclusive": 1, "skip": 1, "error": 1}}"#)
    }

    @Test func `An empty report is valid`() throws {
        let empty = Report(version: "0.1")
        #expect(JUnitReport.text(of: empty).contains(#"<testsuites name="lubdub" tests="0""#))
        #expect(try Node(json: JSONReport.text(of: empty).utf8, file: "report")["seed"]?.kind == "1")
    }

    @Test func `The committed schema is up to date`() throws {
        let path =
            String(#filePath.dropLast("Tests/ConformanceTests/Reports/ReportFormatTests.swift".count))
            + "schema/report.schema.json"
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try Data(JSONReport.schema.utf8).write(to: URL(filePath: path))
        }
        // Updated by make generate.
        #expect(try String(contentsOfFile: path, encoding: .utf8) == JSONReport.schema)
        _ = try Node(json: JSONReport.schema.utf8, file: "schema")
    }

    // MARK: WholeFile

    private static func folder() throws -> String {
        var template = Array("/tmp/lubdub-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
        let isMade = unsafe mkdtemp(&template) != nil
        try #require(isMade)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func `A whole file changes nothing until it is written`() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/report.xml"
        let file = try WholeFile(path)
        #expect(try Self.names(folder) == [])
        try file.write("old")
        unsafe symlink("report.xml", "\(folder)/link")
        let again = try WholeFile("\(folder)/link")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        try again.write("new")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try Self.names(folder) == ["link", "report.xml"])
    }

    @Test func `A path that cannot be written is reported at once`() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let inDirectory = #expect(throws: OutputFailure.self) { try WholeFile(folder) }
        #expect(inDirectory?.code == EISDIR)
        let missing = #expect(throws: OutputFailure.self) { try WholeFile("\(folder)/none/report.xml") }
        #expect(missing?.code == ENOENT)
        #expect(missing?.path == "\(folder)/none/report.xml")
        let full = try WholeFile("/dev/full")
        let failure = #expect(throws: OutputFailure.self) { try full.write("x") }
        #expect(failure?.code == ENOSPC)
    }

    @Test func `A whole file keeps links and permissions, and the old content after an error`() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/log"
        try "old".write(toFile: path, atomically: false, encoding: .utf8)
        unsafe chmod(path, 0o600)
        unsafe symlink("missing", "\(folder)/link")
        let (file, linked) = (try OutputFile(path, isWhole: true), try OutputFile("\(folder)/link", isWhole: true))
        for file in [file, linked] { file.write(Array("new".utf8)[...]) }
        file.flush()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        try file.close()
        try linked.close()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try String(contentsOfFile: "\(folder)/missing", encoding: .utf8) == "new")
        #expect(try Self.names(folder) == ["link", "log", "missing"])
        var status = stat()
        unsafe stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o600)
        // A folder takes its place, so that it cannot be replaced.
        let lost = try OutputFile(path, isWhole: true)
        unsafe unlink(path)
        unsafe mkdir(path, 0o755)
        let failure = #expect(throws: OutputFailure.self) { try lost.close() }
        #expect(failure?.code == EISDIR)
        #expect(try Self.names(folder) == ["link", "log", "missing"])
    }
}
