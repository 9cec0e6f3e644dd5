import TextFormatting

/// Collects the problems of a document and the files it includes.
package final class ProblemLog {
    private var noted: [Problem] = []
    /// Index and number of places of problems that were noted with a key.
    private var merged: [String: (index: Int, count: Int)] = [:]
    private var sources: [String: [UInt8]] = [:]

    /// Maximum number of problems; later ones are ignored.
    package static let maximum = 1000

    package private(set) var isFull = false

    /// Whether nothing was noted.
    package var isEmpty: Bool { noted.isEmpty }

    /// An empty log.
    package init() {}

    /// Keeps the text of a file, so that its problems show their lines.
    package func keep(_ octets: [UInt8], of file: String) { sources[file] = octets }

    /// Adds a problem; after the last one that fits, adds the note that there may be more.
    package func note(_ problem: Problem) {
        guard !isFull else { return }
        noted.append(problem)
        guard noted.count >= Self.maximum else { return }
        isFull = true
        noted.append(
            Problem(
                file: problem.file, position: Position(), code: .tooManyProblems,
                message: "there are \(Self.maximum) problems or more; only the first \(Self.maximum) are listed"))
    }

    /// Adds a problem, or adds its place to the first one with the same code and key: three of them are shown.
    func note(_ problem: Problem, mergedBy key: String) {
        let key = "\(problem.code.rawValue) \(key)"
        guard let (index, count) = merged[key] else {
            merged[key] = (noted.count, 1)
            return note(problem)
        }
        guard !isFull, noted.indices.contains(index) else { return }
        merged[key]?.count += 1
        if count <= 3 {
            let place = RelatedPlace(file: problem.file, position: problem.position, message: "and here")
            noted[index].related.append(place)
        } else {
            noted[index].related[2].message = "and here, and at \((count - 3).counted("more place"))"
        }
    }

    /// All problems with their source lines, ordered by file in the order of their first problems and then by position.
    /// Of several problems with one code at one place only the first is kept.
    package var problems: [Problem] {
        var files: [String: Int] = [:]
        for problem in noted where files[problem.file] == nil { files[problem.file] = files.count }
        let order = noted.indices.sorted { left, right in
            let (one, other) = (noted[left], noted[right])
            let ranks = (files[one.file] ?? 0, files[other.file] ?? 0)
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            return one.position == other.position ? left < right : one.position < other.position
        }
        var seen: Set<Place> = []
        let kept = order.map { noted[$0] }.filter { seen.insert(Place($0)).inserted }
        return withExcerpts(kept)
    }

    /// The problems with the lines of the texts that the log has.
    package func withExcerpts(_ problems: [Problem]) -> [Problem] {
        var positions: [String: Set<Position>] = [:]
        for problem in problems {
            positions[problem.file, default: []].insert(problem.position)
            for place in problem.related { positions[place.file, default: []].insert(place.position) }
        }
        var excerpts: [String: [Position: SourceExcerpt]] = [:]
        for (file, octets) in sources {
            guard let places = positions[file] else { continue }
            excerpts[file] = SourceExcerpt.excerpts(of: octets, at: places.sorted())
        }
        return problems.map { problem in
            var problem = problem
            problem.excerpt = excerpts[problem.file]?[problem.position]
            for index in problem.related.indices {
                let place = problem.related[index]
                problem.related[index].excerpt = excerpts[place.file]?[place.position]
            }
            return problem
        }
    }

    /// What distinguishes two problems.
    private struct Place: Hashable {
        let file: String
        let position: Position
        let code: DiagnosticCode
        let path: String

        init(_ problem: Problem) {
            (file, position, code, path) = (problem.file, problem.position, problem.code, problem.path)
        }
    }
}
