import Basics
import Documents
import FoundationEssentials
import Testing

@Suite struct ProblemFormatTests {
    private static func problem(
        in text: String, at position: Position, length: Int? = nil, help: String? = nil, related: [RelatedPlace] = []
    ) throws -> Problem {
        let log = ProblemLog()
        log.keep(Array(text.utf8), of: "a.json")
        log.note(
            Problem(
                file: "a.json", position: position, length: length, code: .unknownKey, path: "x", message: "wrong",
                help: help, related: related))
        return try #require(log.problems.first)
    }

    @Test func `A problem has its line, marks below it, related lines and the fix`() throws {
        let text = "{\n  \"é\": 1,\n\n\n\n\n\n\n\n\t\"x\\\"y\": 62 }\r\n"
        let first = RelatedPlace(file: "a.json", position: Position(line: 2, column: 3), message: "the first is here")
        let other = RelatedPlace(file: "b.json", position: Position(line: 7, column: 1), message: "and there")
        let help = String(repeating: "word ", count: 22)
        let problem = try Self.problem(
            in: text, at: Position(line: 10, column: 2), help: help, related: [first, other])
        #expect(
            problem.lines.joined(separator: "\n") == """
                a.json:10:2: LD0107: x: wrong
                  10 |  "x\\"y": 62 }
                     |  ^^^^^^
                   2 |   "é": 1,
                     |   --- the first is here
                     = note: b.json:7:1: and there
                     = help: word word word word word word word word word word word word word word word word word word word
                             word word word
                """)
        #expect(problem.endColumn == 8)
    }

    @Test(
        arguments: [
            (1, 1, nil, "{", "^"), (1, 12, nil, #"{"k": 12.5, "#, "           ^"),
            (1, 7, nil, #"{"k": 12.5, "#, "      ^^^^"),
            (1, 7, 2, #"{"k": 12.5, "#, "      ^^"), (1, 99, 3, #"{"k": 12.5, "#, "             ^"),
            (2, 1, nil, "", "^"),
        ] as [(Int, Int, Int?, String, String)])
    func `Marks are below the range, as far as the line reaches`(
        line: Int, column: Int, length: Int?, shown: String, marks: String
    ) throws {
        let text = line == 1 && column == 1 ? "{" : "{\"k\": 12.5, \u{1B}\n"
        let problem = try Self.problem(in: text, at: Position(line: line, column: column), length: length)
        #expect(problem.lines.count == 3)
        #expect(problem.lines[1].hasPrefix("  \(line) | \(shown)"), "\(problem.lines)")
        #expect(problem.lines[2] == "    | \(marks)", "\(problem.lines)")
        #expect(problem.lines.allSatisfy { $0 == $0.escapingControls })
    }

    @Test func `A wide line is cut around the position`() throws {
        let text = "[" + String(repeating: "1234567, ", count: 100_000) + "\"x\"]"
        let count = text.unicodeScalars.count
        for column in [1, 50, 100, 5000, count - 3, count, count + 9] {
            let lines = try Self.problem(in: text, at: Position(line: 1, column: column)).lines
            #expect(lines.allSatisfy { $0.count <= 121 }, "\(lines)")
            #expect(lines[2].contains("^"))
        }
        let lines = try Self.problem(in: text, at: Position(line: 1, column: count - 3)).lines
        #expect(lines[1].hasSuffix("1234567, \"x\"]") && lines[1].hasPrefix("  1 | ..."))
        #expect(lines[2].count == lines[1].count - 1 && lines[2].hasSuffix(" ^^^"))
    }

    @Test func `A problem without its text has one line`() {
        let problem = Problem(file: "a", position: Position(), code: .unreadable, message: "cannot read this file")
        #expect(problem.lines == ["a:1:1: LD0113: cannot read this file"])
        #expect(problem.summary == "cannot read this file")
    }

    @Test func `A problem is an object of JSON on one line`() throws {
        let first = RelatedPlace(file: "a.json", position: Position(line: 1, column: 2), message: "the first is here")
        let problem = try Self.problem(
            in: "{\"k\": 1,\n \"kk\": 2}", at: Position(line: 2, column: 2), help: "fix", related: [first])
        #expect(
            problem.json == """
                {"file": "a.json", "line": 2, "column": 2, "endColumn": 6, "severity": "error", "code": "LD0107", "path": "x", \
                "message": "wrong", "help": "fix", "related": [{"file": "a.json", "line": 1, "column": 2, "endColumn": 5, \
                "message": "the first is here"}]}
                """)
        var warning = problem
        (warning.code, warning.help, warning.related) = (.deviation, nil, [])
        #expect(
            warning.json.hasSuffix(
                #""severity": "warning", "code": "LD0191", "path": "x", "message": "wrong", "related": []}"#))
    }

    @Test func `An annotation of GitHub escapes what a workflow command reserves`() {
        let problem = Problem(
            file: "a,b:c%.json", position: Position(line: 3, column: 4), length: 2, code: .syntax,
            message: "100 %: a, b",
            help: "delete it\r")
        #expect(
            problem.annotation
                == "::error file=a%2Cb%3Ac%25.json,line=3,endLine=3,col=4,endColumn=6,title=LD0102::100 %25: a, b%0Adelete it%0D"
        )
    }

    @Test func `The committed schema of problems is up to date`() throws {
        let root = String(#filePath.dropLast("Tests/DocumentsTests/ProblemFormatTests.swift".count))
        let path = root + "schema/problem.schema.json"
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try Data(Problem.schema.utf8).write(to: URL(filePath: path))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Problem.schema)
    }
}
