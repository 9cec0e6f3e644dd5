import Basics
import Documents
import Fuzzing

extension Reader {
    static let json = Reader(
        "json", "JSON: it is read again as it is written, on one line or indented; errors have a place"
    ) {
        octets throws(Broken) in
        try readRepaired(octets)
        guard let node = try? Node(json: octets, file: "a.json") else { return }
        for text in [node.json, node.indentedJSON] {
            try require((try? Node(json: text.utf8, file: ""))?.json == node.json, "it is written as \(text)")
        }
    }

    /// Reads JSON and goes on after errors: there are none exactly if the text is JSON, and each is printed on safe lines.
    private static func readRepaired(_ octets: [UInt8]) throws(Broken) {
        let log = ProblemLog()
        let node = Node.repaired(json: octets, file: "a.json", log: log)
        let problems = log.problems
        let syntax = problems.filter { $0.code != .duplicateKey }
        try require(syntax.total <= 101, "there are \(syntax.total) errors")
        if let strict = try? Node(json: octets, file: "a.json") {
            try require(syntax.isEmpty && node == strict, "the text is JSON, and has \(syntax)")
        } else {
            try require(!syntax.isEmpty, "the text is not JSON, and has no error")
        }
        let lines = octets.count { $0 == 0x0A } + 1
        for problem in problems {
            try require(problem.position.line <= lines, "\(problem) is in no line")
            try require(problem.excerpt != nil || problem.others > 0, "\(problem) shows no line")
        }
        // The texts of many problems would take most of the time.
        for problem in problems.prefix(4) {
            let texts = problem.lines + [problem.json, problem.annotation]
            try require(texts.allSatisfy { $0 == $0.escapingControls }, "\(texts) has a control character")
            try require((try? Node(json: problem.json.utf8, file: "")) != nil, "\(problem.json) is not JSON")
        }
    }
}
