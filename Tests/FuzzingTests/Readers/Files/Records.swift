import Basics
import CommandSupport
import Documents
import Fuzzing
import Linux
import ScenarioLanguage
import ScenarioModel

@testable import CommandLineTool
@testable import Conformance

/// Reads a JSON report, and writes it in all formats.
func readReport(_ octets: [UInt8]) throws(Broken) {
    let (report, problems) = JSONReport.read(octets, file: "a.json")
    try require((report == nil) != problems.isEmpty, "there is neither a report nor a problem, or both")
    guard let report else { return }
    let text = JSONReport.text(of: report)
    let again = JSONReport.read(Array(text.utf8), file: "a.json")
    try require(again.problems.isEmpty, "it is written with the problems \(again.problems)")
    try require(again.report.map(JSONReport.text) == text, "it is written as \(text)")
    let columns = [ReportColumn("a", report), ReportColumn("b", report)]
    let pages = [HTMLReport.text(of: columns), MarkdownReport.text(of: columns), JUnitReport.text(of: report)]
    try require(!pages.contains(where: \.isEmpty), "a page is empty")
}

/// Reads an event log, and writes a scenario with its actions.
func readLog(_ octets: [UInt8]) throws(Broken) {
    var lines = LineFramer(longest: 1 << 16)
    lines.append(octets + [0x0A])
    guard let first = (try? lines.next()) ?? nil, var log = try? ManualActionLog(first) else { return }
    while let line = (try? lines.next()) ?? nil {
        do throws(ManualActionLog.Unreadable) { try log.add(line) } catch { return }
    }
    let original = Node.object([
        ("lubdub", Node(.number("1"))), ("name", Node(.string("a"))), ("devices", Node(.array([]))),
    ])
    let scenario = ReplayScenario(original, devices: ["strap"], limit: 1_000_000, log)
    let text = scenario.root.indentedJSON
    try require((try? Node(json: text.utf8, file: ""))?.json == scenario.root.json, "the scenario is \(text)")
    _ = ScenarioFile.read("replay.json") { $0 == "replay.json" ? Array(text.utf8) : nil }
}
