/// A problem that the author of a document has to fix.
package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as given by the caller.
    package var file: String
    /// Position of the wrong key or value; of the object, if a key is missing.
    package var position: Position
    package var code: DiagnosticCode
    /// The path of the wrong or missing key or value, `devices[0].services[2].servce`; empty for the root and for syntax
    /// errors.
    package var path: String
    /// What is wrong, on one line.
    package var message: String

    package init(file: String, position: Position, code: DiagnosticCode, path: String, message: String) {
        (self.file, self.position, self.code, self.path, self.message) = (file, position, code, path, message)
    }

    /// `file:line:column: code: path: message`; without `path: ` if the path is empty.
    package var description: String {
        let place = "\(file):\(position.line):\(position.column)"
        return [place, code.rawValue, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// Collects the problems of a document and the files it includes.
package final class ProblemLog {
    private var noted: [Problem] = []

    /// Maximum number of problems; later ones are ignored.
    package static let maximum = 1000

    package private(set) var isFull = false

    /// An empty log.
    package init() {}

    /// Adds a problem; after the last one that fits, adds the note that there may be more.
    package func note(_ problem: Problem) {
        guard !isFull else { return }
        noted.append(problem)
        guard noted.count >= Self.maximum else { return }
        isFull = true
        noted.append(
            Problem(
                file: problem.file, position: Position(), code: .tooManyProblems, path: "",
                message: "there are \(Self.maximum) problems or more; only the first \(Self.maximum) are listed"))
    }

    /// All problems, ordered by file in the order of their first problems and then by position. Of several problems
    /// with one code at one place only the first is kept.
    package var problems: [Problem] {
        var files: [String: Int] = [:]
        for problem in noted where files[problem.file] == nil { files[problem.file] = files.count }
        let order = noted.indices.sorted { left, right in
            let (one, other) = (noted[left], noted[right])
            let ranks = (files[one.file] ?? 0, files[other.file] ?? 0)
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            return one.position == other.position ? left < right : one.position < other.position
        }
        var seen: Set<Problem> = []
        return order.map { noted[$0] }.filter { problem in
            var place = problem
            place.message = ""
            return seen.insert(place).inserted
        }
    }
}
