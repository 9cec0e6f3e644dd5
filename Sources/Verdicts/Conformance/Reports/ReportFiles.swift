package import Basics
import Linux

/// The files for reports of a run, each in the format of its suffix.
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

    /// A report of each format in a folder.
    package static func paths(in folder: String) -> [String] {
        Format.allCases.map { "\(folder)/report\($0.rawValue)" }
    }

    /// Whether one of these files shows the timelines of cases.
    package static func showTimelines(_ paths: [String]) -> Bool { paths.contains { Format($0) == .html } }

    /// Opens files, which `option` names; and below a folder, which is made if it is missing, one of each format.
    package init(_ named: [String], option: String, in folder: String? = nil) throws(Obstacle) {
        var formats = try Self.formats(of: named, option)
        var paths = named
        if let folder {
            try makeFolders(folder)
            paths += Self.paths(in: folder)
            formats += Format.allCases
        }
        files = try orFail(.environment, hint: " (choose a writable path)") {
            try zip(paths, formats).map { path, format in (try WholeFile(path), format) }
        }
    }

    private static func formats(of paths: [String], _ option: String) throws(Obstacle) -> [Format] {
        try paths.map { path throws(Obstacle) in
            guard let format = Format(path) else {
                throw Obstacle(
                    .usage,
                    "\(option) must be a file that ends in .xml (JUnit), .json, .html or .md, not \(path.quoted)")
            }
            return format
        }
    }

    /// Writes all files, even when one fails; throws the first error.
    package func write(_ report: Report) throws(Obstacle) {
        var failure: OutputFailure?
        for (file, format) in files {
            let text = format.text(of: report)
            let (cases, octets) = (report.cases.count, text.utf8.count)
            if format == .json, let reason = JSONReport.unreadableReason(cases: cases, octets: octets) {
                Notices.warn(
                    "no Lubdub command can read the JSON report: \(reason) (run fewer cases, or shards of them)")
            }
            do throws(OutputFailure) { try file.write(text) } catch { failure = failure ?? error }
        }
        if let failure { throw Obstacle(.environment, "\(failure)") }
    }
}
