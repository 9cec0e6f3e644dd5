package import Basics
import Documents
import Linux

extension JSONReport {
    /// The reports in files, in their order; throws all problems of all files.
    package static func read(files paths: [String]) throws(Obstacle) -> [Report] {
        var (reports, problems): ([Report], [Problem]) = ([], [])
        for path in paths {
            guard let octets = contents(of: path, atMost: maximumSize) else {
                let (why, fix) = readingFailure(of: path)
                problems.append(
                    Problem(
                        file: path, position: Position(), code: .unreadable, path: "",
                        message: "cannot read this file: \(why)", help: fix))
                continue
            }
            let (report, found) = read(octets, file: path)
            problems += found
            if let report { reports.append(report) }
        }
        guard problems.isEmpty else { throw Obstacle(.usage, problems: problems.flatMap(\.lines)) }
        return reports
    }
}
