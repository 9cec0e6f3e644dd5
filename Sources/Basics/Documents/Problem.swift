/// Something that a document's author has to change.
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// As the caller named it.
    public var file: String
    /// Of the key or value that is wrong; of the object, when a key is missing.
    public var position: Position
    /// The kind of problem.
    public var code: DiagnosticCode
    /// The way from the root to the key or value, `devices[0].services[2].servce`; empty for the root and for syntax.
    public var path: String
    /// What is wrong, in words and on one line.
    public var message: String

    /// The problem `message` of this code at this place.
    public init(file: String, position: Position, code: DiagnosticCode, path: String, message: String) {
        (self.file, self.position, self.code, self.path, self.message) = (file, position, code, path, message)
    }

    /// `file:line:column: code: path: message`, and no `path: ` where there is none.
    public var description: String {
        let place = "\(file):\(position.line):\(position.column)"
        return [place, code.rawValue, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// Where everything that looks at a document writes down what is wrong with it.
public final class ProblemLog {
    private var noted: [Problem] = []

    /// So many are written down; then there is nothing to look for any more.
    public static let most = 1000

    /// Whether no more are written down.
    public private(set) var isFull = false

    /// An empty log.
    public init() {}

    /// Writes one down; when it was the last one that is, also that there may be more.
    public func note(_ problem: Problem) {
        guard !isFull else { return }
        noted.append(problem)
        guard noted.count >= Self.most else { return }
        isFull = true
        noted.append(
            Problem(
                file: problem.file, position: Position(), code: .tooManyProblems, path: "",
                message: "there are \(Self.most) problems or more, and only the first that were found are told"))
    }

    /// All problems so far: file by file as each first had one, and in the order of the text; of those with one
    /// code at one place, the first.
    public var problems: [Problem] {
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
