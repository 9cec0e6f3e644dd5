import Basics
import Cases
import CommandSupport
import Conformance

let mergeGrammar = CommandGrammar(
    "merge", "Put the JSON reports of shards into one report",
    operands: [
        .repeated(
            "REPORT", of: .file(.read), "A JSON report, as \"run --shard I/N --report FILE.json\" writes it")
    ],
    options: [
        .option(
            "-o", "FILE", of: .file(.written), repeatable: true, required: true,
            "Report to write: FILE.json, FILE.xml (JUnit), FILE.html or FILE.md")
    ])

/// Writes one report of several. The exit status is that of a run of all cases, but a missing shard prevents success.
func merge(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let paths = invocation.texts("-o")
    guard !paths.isEmpty else { throw Obstacle(.usage, "merge requires -o FILE.json") }
    let files = try ReportFiles(paths, option: "-o")
    let parts = zip(invocation.operands, try JSONReport.read(files: invocation.operands)).map { Report.Part($0, $1) }
    let report = try orFail { try Report(merging: parts) }
    try files.write(report)
    for line in report.campaign.map(\.line) { Console.print("\(line)") }
    Console.print(
        "\(report.cases.count.counted("case")) from \(parts.count.counted("report")): \(report.summary.words())")
    for gap in report.gaps { Console.warn("\(gap)") }
    return !report.gaps.isEmpty && report.code == .success ? .environment : report.code
}
