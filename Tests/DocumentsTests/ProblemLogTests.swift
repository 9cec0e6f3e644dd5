import Basics
import Testing

@testable import Documents

/// How many problems are listed.
@Suite struct ProblemLogTests {
    /// A log with `counts[file]` problems of one kind in each file, on the lines from 2 on.
    private static func log(_ counts: KeyValuePairs<String, Int>, code: DiagnosticCode = .unknownKey) -> ProblemLog {
        let log = ProblemLog()
        for (file, count) in counts {
            log.keep(Array(String(repeating: "\"abc\"\n", count: count + 1).utf8), of: file)
            for line in 0..<count {
                log.note(
                    Problem(
                        file: file, position: Position(line: line + 2, column: 1), code: code, path: "a",
                        message: "wrong"))
            }
        }
        return log
    }

    @Test func `Of many problems of a kind, the first are listed, and how many more there are`() {
        #expect(Self.log(["a": 50]).problems.map(\.others) == Array(repeating: 0, count: 50))
        let problems = Self.log(["a": 120]).problems
        #expect(problems.count == 51 && problems.total == 120)
        #expect(problems.dropLast().map(\.position.line) == Array(2...51))
        #expect(problems.last?.lines == ["a:52:1: LD0107: and 70 more of this kind"])
    }

    @Test func `A kind is a code in a file`() {
        let log = Self.log(["a": 60, "b": 60])
        log.note(Problem(file: "a", position: Position(line: 60, column: 2), code: .wrongType, message: "another"))
        let problems = log.problems
        #expect(problems.count == 51 + 1 + 51 && problems.total == 121)
        #expect(
            problems.filter { $0.others > 0 }.map(\.description) == [
                "a:52:1: LD0107: and 10 more of this kind", "b:52:1: LD0107: and 10 more of this kind",
            ])
    }

    @Test func `More warnings are still warnings`() {
        let last = Self.log(["a": 51], code: .deviation).problems.last
        #expect(last?.code.isWarning == true)
        #expect(last?.description == "a:52:1: warning LD0191: and 1 more of this kind")
    }

    @Test func `The rest has its number in JSON, and is one annotation`() throws {
        let last = try #require(Self.log(["a": 53]).problems.last)
        #expect(
            last.json == #"{"file": "a", "line": 52, "column": 1, "endColumn": 2, "severity": "error", "#
                + #""code": "LD0107", "path": "", "message": "and 3 more of this kind", "others": 3, "related": []}"#)
        #expect(
            last.annotation
                == "::error file=a,line=52,endLine=52,col=1,endColumn=2,title=LD0107::and 3 more of this kind")
    }

    @Test func `Checking stops after a thousand problems, of whichever kinds`() {
        let log = Self.log(["a": 999])
        #expect(!log.isFull)
        log.note(Problem(file: "b", position: Position(), code: .wrongType, message: "the last"))
        #expect(log.isFull)
        log.note(Problem(file: "c", position: Position(), code: .wrongType, message: "too many"))
        #expect(log.problems.map(\.message).contains("there are 1000 problems or more: checking stopped"))
        #expect(!log.problems.map(\.message).contains("too many"))
    }

    @Test func `Problems that are not listed are not put into words`() throws {
        let log = Self.log(["": 50])
        let root = Cursor(try Node(json: Array("{}".utf8), file: ""), file: "", log: log)
        func words() -> String {
            Issue.record("the problem is not listed")
            return ""
        }
        root.note(.unknownKey, words(), help: words(), key: "b")
        root.note(.unknownKey, words(), help: words())
        #expect(!root.lists(.unknownKey) && log.problems.last?.others == 2)
    }
}
