import Basics
import Cases
import CommandSupport
import Conformance
import Linux

let matrixGrammar = CommandGrammar(
    "matrix", "Compare JSON reports: one row per case, one column per report",
    operands: [
        .repeated(
            "REPORT", of: .file(.read),
            "A JSON report, as \"run --report FILE.json\" writes it; the file's name is the column's title")
    ],
    options: [
        .option(
            "-o", "FILE", of: .file(.written), "File to write: FILE.html or FILE.md (default: HTML on standard output)")
    ])

func matrix(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let path = invocation.text("-o")
    let write: ([ReportColumn]) -> String
    switch path {
    case let path? where path.hasSuffix(".md"): write = MarkdownReport.text
    case let path? where !path.hasSuffix(".html"):
        throw Obstacle(.usage, "-o must be a file that ends in .html or .md, not \(path.quoted)")
    default: write = HTMLReport.text
    }
    let reports = try JSONReport.read(files: invocation.operands)
    let columns = zip(names(of: invocation.operands), reports).map { ReportColumn($0, $1) }
    for (path, report) in zip(invocation.operands, reports) {
        for gap in report.gaps { Console.warn("\(path): \(gap)") }
    }
    guard let path else {
        Console.print(linesOf: String(write(columns).dropLast()))  // without its last line feed
        return .success
    }
    try orFail(.environment, hint: " (choose a writable path)") { try WholeFile(path).write(write(columns)) }
    let cases = Set(columns.flatMap { $0.report.cases.map(\.id) }).count
    Console.print("Wrote \(path): \(cases.counted("case")) from \(columns.count.counted("report"))")
    return .success
}

/// The titles of the columns: the names of the files, or their paths where two names are equal.
private func names(of paths: [String]) -> [String] {
    let names = paths.map { Case.id(of: String($0.split(separator: "/").last ?? "")) }
    return zip(paths, names).map { path, name in
        names.count { $0 == name } > 1 ? Case.id(of: path) : name
    }
}
