import Arguments
import CommandSupport
import Conformance
import Documents
import Reporting
import Spelling

let matrixGrammar = Arguments.Grammar(
    "matrix", "put JSON reports side by side on one page: cases by reports",
    operands: [
        .repeated("REPORT", "a JSON report, as \"run --report FILE.json\" writes it; its column is named by the file")
    ],
    options: [.option("-o", "FILE", "the file to write: FILE.html, or FILE.md")])

func matrix(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    guard let path = invocation.text("-o") else {
        throw CommandFailure(.usage, "matrix needs -o FILE.html, or FILE.md")
    }
    let write: ([ReportColumn]) -> String
    if path.hasSuffix(".html") {
        write = HTMLReport.text
    } else if path.hasSuffix(".md") {
        write = MarkdownReport.text
    } else {
        throw CommandFailure(.usage, "-o must be a file that ends in .html or .md, and is \(path.quoted)")
    }
    guard !invocation.operands.map(absolutePath).contains(absolutePath(path)) else {
        throw CommandFailure(.usage, "-o \(path.quoted) would be written over what it is made of")
    }
    let columns = try columns(invocation.operands)
    do throws(OutputFailure) { try WholeFile(path).write(write(columns)) } catch {
        throw CommandFailure(.environment, "\(error) (choose a place that you may write to)")
    }
    let cases = Set(columns.flatMap { $0.report.cases.map(\.id) }).count
    Console.print("\(path): \(cases) \(cases == 1 ? "case" : "cases") in \(columns.count) reports")
    return .success
}

/// The reports of some files, or every problem of all of them.
private func columns(_ paths: [String]) throws(CommandFailure) -> [ReportColumn] {
    var (columns, problems): ([ReportColumn], [Problem]) = ([], [])
    for (path, name) in zip(paths, names(of: paths)) {
        guard let octets = contents(of: path) else {
            problems.append(
                Problem(
                    file: path, position: Position(), code: .unreadable, path: "", message: "this file cannot be read"))
            continue
        }
        let (report, found) = JSONReport.read(octets, file: path)
        problems += found
        if let report { columns.append(ReportColumn(name, report)) }
    }
    guard problems.isEmpty else {
        throw CommandFailure(.usage, problems.map(\.description).joined(separator: "\n"))
    }
    return columns
}

/// What columns are called: the names of the files, and their paths where two files have one name.
private func names(of paths: [String]) -> [String] {
    let names = paths.map { Case.id(of: String($0.split(separator: "/").last ?? "")) }
    return zip(paths, names).map { path, name in
        names.count { $0 == name } > 1 ? Case.id(of: path) : name
    }
}
