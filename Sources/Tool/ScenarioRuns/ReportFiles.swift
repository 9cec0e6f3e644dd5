package import Arguments
package import CommandSupport
package import Conformance
import Reporting
import TextFormatting

/// The files of `--report`.
package struct ReportFiles {
    private enum Format: String, CaseIterable {
        case junit = ".xml"
        case json = ".json"
        case html = ".html"
        case markdown = ".md"

        init?(_ path: String) {
            guard let format = Self.allCases.first(where: { path.hasSuffix($0.rawValue) && path != $0.rawValue }) else {
                return nil
            }
            self = format
        }

        func text(of report: Report) -> String {
            switch self {
            case .junit: JUnitReport.text(of: report)
            case .json: JSONReport.text(of: report)
            case .html: HTMLReport.text(of: [ReportColumn("verdict", report)])
            case .markdown: MarkdownReport.text(of: [ReportColumn("verdict", report)])
            }
        }
    }

    private var files: [(file: WholeFile, format: Format)] = []

    package static let option = Arguments.Grammar.Option.option(
        "--report", "FILE", repeatable: true,
        "Write a report: FILE.xml (JUnit), FILE.json, FILE.html (a page) or FILE.md (for CI)")

    static func showTimelines(_ invocation: Invocation) -> Bool {
        invocation.has("--keep") || invocation.texts("--report").contains { Format($0) == .html }
    }

    /// Opens the files; with `--keep`, also a report of each format in that folder.
    package init(_ invocation: Invocation) throws(CommandFailure) {
        var paths: [(String, Format)] = []
        for path in invocation.texts("--report") {
            guard let format = Format(path) else {
                throw CommandFailure(
                    .usage,
                    "--report must be a file that ends in .xml (JUnit), .json, .html or .md, not \(path.quoted)"
                )
            }
            guard !paths.contains(where: { $0.0 == path }) else {
                throw CommandFailure(.usage, "--report names \(path.quoted) twice")
            }
            paths.append((path, format))
        }
        if let folder = invocation.text("--keep") {
            try makeFolders(folder)
            paths += Format.allCases.map { ("\(folder)/report\($0.rawValue)", $0) }
        }
        files = try orFail(.environment, hint: " (choose a writable path)") {
            try paths.map { path, format in (try WholeFile(path), format) }
        }
    }

    /// Writes all files, even when one fails; throws the first error.
    package func write(_ report: Report) throws(CommandFailure) {
        var failure: OutputFailure?
        for (file, format) in files {
            do throws(OutputFailure) { try file.write(format.text(of: report)) } catch { failure = failure ?? error }
        }
        if let failure { throw CommandFailure(.environment, "\(failure)") }
    }
}
