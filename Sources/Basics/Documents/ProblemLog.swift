import Basics

/// Collects the problems of a document and the files it includes.
///
/// Of each kind, a code in a file, it lists the first few and counts the others, so that a mistake that a program has made
/// thousands of times costs neither the time nor the lines of thousands.
package final class ProblemLog {
    private var noted: [Problem] = []
    /// The number of all problems, listed or not.
    private var count = 0
    private var tallies: [Kind: Tally] = [:]
    private var places: Set<Place> = []
    /// Index and number of places of problems that were noted with a key; without an index if the problem is not listed.
    private var merged: [String: (index: Int?, count: Int)] = [:]
    private var sources: [String: [UInt8]] = [:]
    private let maximum: Int

    /// Maximum number of problems; later ones are ignored.
    package static let maximum = 1000

    /// Maximum number of listed problems of a kind: with one code in one file.
    package static let listed = 50

    package private(set) var isFull = false

    /// The work so far, in steps such as a look at a key of an object or at a candidate for a misspelt word: tests limit it.
    package var steps = 0

    /// Whether nothing was noted.
    package var isEmpty: Bool { count == 0 }

    /// An empty log.
    package convenience init() { self.init(maximum: Self.maximum) }

    /// An empty log for `maximum` problems.
    init(maximum: Int) { self.maximum = maximum }

    /// Keeps the text of a file, so that its problems show their lines.
    package func keep(_ octets: [UInt8], of file: String) { sources[file] = octets }

    /// Whether the next problem of a kind is listed; others are counted only.
    package func lists(_ code: DiagnosticCode, in file: String) -> Bool {
        !isFull && (tallies[Kind(file, code)]?.listed ?? 0) < Self.listed
    }

    /// Adds a problem; after the last one that fits, adds the note that there may be more.
    package func note(_ problem: Problem) {
        note(problem.code, in: problem.file, at: problem.position, problem.path) { problem }
    }

    /// Adds a problem, which is made only if it is listed.  Returns its index among those that are.
    ///
    /// Of several problems with one code at one place only the first is kept.
    @discardableResult
    func note(
        _ code: DiagnosticCode, in file: String, at position: Position, _ path: String, _ problem: () -> Problem
    ) -> Int? {
        guard !isFull, places.insert(Place(file, position, code, path)).inserted else { return nil }
        count += 1
        defer { noteFullness(file) }
        guard lists(code, in: file) else {
            tallies[Kind(file, code)]?.add(position)
            return nil
        }
        noted.append(problem())
        tallies[Kind(file, code), default: Tally()].listed += 1
        return noted.count - 1
    }

    private func noteFullness(_ file: String) {
        guard count >= maximum else { return }
        isFull = true
        noted.append(
            Problem(
                file: file, position: Position(), code: .tooManyProblems,
                message: "there are \(maximum) problems or more: checking stopped"))
    }

    /// Adds a problem, or adds its place to the first one with the same code and key: three of them are shown.
    func note(
        _ code: DiagnosticCode, in file: String, at position: Position, _ path: String, mergedBy key: String,
        _ problem: () -> Problem
    ) {
        let key = "\(code.rawValue) \(key)"
        guard let (index, count) = merged[key] else {
            merged[key] = (note(code, in: file, at: position, path, problem), 1)
            return
        }
        guard !isFull, let index else { return }
        merged[key]?.count += 1
        if count <= 3 {
            noted[index].related.append(RelatedPlace(file: file, position: position, message: "and here"))
        } else {
            noted[index].related[2].message = "and here, and at \((count - 3).counted("more place"))"
        }
    }

    /// The listed problems with their source lines, and how many more there are of each kind, ordered by file in the order
    /// of their first problems and then by position.
    package var problems: [Problem] {
        var files: [String: Int] = [:]
        for problem in noted where files[problem.file] == nil { files[problem.file] = files.count }
        let all = noted + rests
        let order = all.indices.sorted { left, right in
            let (one, other) = (all[left], all[right])
            let ranks = (files[one.file] ?? 0, files[other.file] ?? 0)
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            return one.position == other.position ? left < right : one.position < other.position
        }
        return withExcerpts(order.map { all[$0] })
    }

    /// For each kind of which not all problems are listed, how many more there are, after the last one.
    private var rests: [Problem] {
        var last: [Kind: Position] = [:]
        for problem in noted {
            let kind = Kind(problem.file, problem.code)
            last[kind] = max(last[kind] ?? problem.position, problem.position)
        }
        return tallies.compactMap { kind, tally in
            guard tally.others > 0, let position = last[kind] else { return nil }
            return Problem(
                file: kind.file, position: max(position, tally.position), code: kind.code, others: tally.others)
        }
        .sorted { $0.code.rawValue < $1.code.rawValue }
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
            problem.excerpt = problem.others > 0 ? nil : excerpts[problem.file]?[problem.position]
            for index in problem.related.indices {
                let place = problem.related[index]
                problem.related[index].excerpt = excerpts[place.file]?[place.position]
            }
            return problem
        }
    }

    /// The problems with one code in one file.
    private struct Kind: Hashable {
        let file: String
        let code: DiagnosticCode

        init(_ file: String, _ code: DiagnosticCode) { (self.file, self.code) = (file, code) }
    }

    /// How many problems of a kind there are.
    private struct Tally {
        var listed = 0
        /// Those that are not listed, and the place of the first.
        private(set) var others = 0
        private(set) var position = Position()

        mutating func add(_ position: Position) {
            if others == 0 { self.position = position }
            others += 1
        }
    }

    /// What distinguishes two problems.
    private struct Place: Hashable {
        let file: String
        let position: Position
        let code: DiagnosticCode
        let path: String

        init(_ file: String, _ position: Position, _ code: DiagnosticCode, _ path: String) {
            (self.file, self.position, self.code, self.path) = (file, position, code, path)
        }
    }
}
